#pragma once

#include <robots/base/decimal.hpp>
#include <robots/http/detail/host_name.hpp>
#include <robots/http/url.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::http_detail {

/// The start of a URL or of a bare host: `[scheme "://"] authority`.
struct url_head {
  std::optional<std::string_view> scheme;
  std::string_view authority;
};

/// Takes `name:` for a scheme only when `//` follows, since `localhost:80` names a host.
[[nodiscard]] constexpr url_head split_head(std::string_view text) noexcept {
  url_head head;
  const std::size_t length = scheme_length(text);
  if (length > 0 && text.substr(length).starts_with("://")) {
    head.scheme = text.substr(0, length);
    text.remove_prefix(length + 3);
  }
  head.authority = text.substr(0, text.find_first_of("/?#"));
  return head;
}

/// An authority cut up, but not checked.
struct authority_parts {
  std::string_view host;                 ///< with its brackets
  std::optional<std::string_view> port;  ///< whatever stands behind the host, without its `:`
};

[[nodiscard]] constexpr authority_parts split_authority(std::string_view text) noexcept {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    text.remove_prefix(at + 1);
  }
  const std::size_t close = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  const std::size_t colon = text.find(':', close == std::string_view::npos ? 0 : close);
  authority_parts parts{text.substr(0, colon), std::nullopt};
  if (colon != std::string_view::npos) {
    parts.port = text.substr(colon + 1);
  }
  return parts;
}

/// `port = *DIGIT` (RFC 3986, section 3.2.3) from 1 to 65535; 0 when empty.
[[nodiscard]] constexpr std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  if (text.empty()) {
    return std::uint16_t{0};
  }
  const std::uint64_t value = base::parse_decimal(text).value_or(0);
  return value > 0 && value <= 65535 ? std::optional{static_cast<std::uint16_t>(value)}
                                     : std::nullopt;
}

/// A checked authority: the host in normal form, and the port, or 0 when none is given.
struct authority {
  std::string host;
  std::uint16_t port = 0;
};

[[nodiscard]] inline std::optional<authority> parse_authority(std::string_view text) {
  if (has_forbidden_octet(text)) {
    return std::nullopt;
  }
  const authority_parts parts = split_authority(text);
  const std::optional<std::uint16_t> port = parse_port(parts.port.value_or(std::string_view{}));
  if (!port) {
    return std::nullopt;
  }
  std::optional<std::string> host = normal_host(parts.host);
  if (!host) {
    return std::nullopt;
  }
  return authority{*std::move(host), *port};
}

}  // namespace robots::http_detail
