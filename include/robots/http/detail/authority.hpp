#pragma once

#include <robots/base/decimal.hpp>
#include <robots/http/detail/host_name.hpp>
#include <robots/http/host.hpp>
#include <robots/http/url.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::http_detail {

/// Reads `port = *DIGIT` (RFC 3986, section 3.2.3), from 1 to 65535. Returns 0 for an empty text,
/// and an empty optional for any other text.
[[nodiscard]] inline std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  if (text.empty()) {
    return std::uint16_t{0};
  }
  const std::uint64_t value = base::parse_decimal(text).value_or(0);
  return value > 0 && value <= 65535 ? std::optional{static_cast<std::uint16_t>(value)}
                                     : std::nullopt;
}

/// A checked authority: the host in normal form, and the port, or 0 if there is no port.
struct authority {
  std::string host;
  std::uint16_t port = 0;
};

[[nodiscard]] inline std::optional<authority> parse_authority(std::string_view text) {
  if (has_forbidden_octet(text)) {
    return std::nullopt;
  }
  const authority_parts parts = split_authority(text);
  const std::optional<std::uint16_t> port = parse_port(parts.port);
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
