#pragma once

#include <robots/base/url_head.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace robots {

namespace http_detail {

/// The start of a URL or of a host without a scheme: `[scheme "://"] authority`.
struct url_head {
  std::optional<std::string_view> scheme;
  std::string_view authority;
};

[[nodiscard]] constexpr url_head split_head(std::string_view text) noexcept {
  const std::size_t prefix = base::scheme_prefix(text);
  const std::string_view rest = text.substr(prefix);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  constexpr std::size_t separator = 3;  // "://"
  return prefix == 0 ? url_head{{}, authority}
                     : url_head{text.substr(0, prefix - separator), authority};
}

/// The parts of an authority, unchecked.
struct authority_parts {
  std::string_view host;    ///< the host, with its brackets if it has any
  std::string_view port{};  ///< the text after the host, without the `:`
};

[[nodiscard]] constexpr authority_parts split_authority(std::string_view text) noexcept {
  if (const std::size_t sign = text.rfind('@'); sign != std::string_view::npos) {
    text.remove_prefix(sign + 1);
  }
  const std::size_t close = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  const std::size_t colon = text.find(':', close == std::string_view::npos ? 0 : close);
  return colon == std::string_view::npos
             ? authority_parts{text}
             : authority_parts{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace http_detail

/// Returns the host in a text, which is a host, `host:port` or a URL with any scheme. The result is
/// as written, without user information, port and path, and with the brackets of an IPv6 literal.
///
/// Neither checks nor normalises the host. Letters keep their case, and percent-encoding stays. For
/// the normal form, see `parse_site`. Returns an empty text if there is no host. Takes linear time,
/// and allocates nothing.
[[nodiscard]] constexpr std::string_view host_of(std::string_view host_or_url) noexcept {
  return http_detail::split_authority(http_detail::split_head(host_or_url).authority).host;
}

}  // namespace robots
