#pragma once

#include <robots/http/header.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Returns the absolute URLs of the licences that one `Link` header value names, such as
/// `<https://example.com/license.xml>; rel="license"; type="application/rsl+xml"` (RFC 8288;
/// RSL 1.0, section 4.2). `rel` can list several relations. Does not count a link without that
/// type, with a relative URL, or with an `anchor`, which speaks about another page. Takes linear
/// time, and accepts any octets. The views point into `value`.
[[nodiscard]] std::vector<std::string_view> parse_license_links(std::string_view value);

/// Returns true if the relations `rel` and the media type `type` of a link say that it names a
/// licence. Both are read in upper and lower case; `type` can have parameters.
[[nodiscard]] bool is_license_link(std::string_view rel, std::string_view type) noexcept;

/// Why a server demands a licence.
enum class licence_need : std::uint8_t {
  none,     ///< the response demands no licence
  token,    ///< 401: the token of a licence is missing, invalid or expired
  payment,  ///< 402: there is no licence for this use, or its terms are not met
};

/// The licence that a response demands for its content (RSL 1.0, section 6.3).
struct licence_demand_result {
  licence_need need = licence_need::none;  ///< `none` if the response demands no licence
  std::string challenge{};                 ///< the `WWW-Authenticate` value, as sent
  std::vector<std::string> licenses{};     ///< the URLs of the licences that `Link` headers name

  /// Returns true if the response demands a licence.
  [[nodiscard]] explicit operator bool() const noexcept { return need != licence_need::none; }
};

/// Returns the demand of a response with the status 401 or 402 and a `WWW-Authenticate` header
/// whose scheme is `License`. Any other response demands no licence; a 403 then means what it
/// always means. A demand is no reason to try again, and no sign that access was revoked. Takes
/// linear time.
[[nodiscard]] licence_demand_result licence_demand(int status,
                                                   std::span<const http_header> headers);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/license_link.bodies.hpp>
#endif
