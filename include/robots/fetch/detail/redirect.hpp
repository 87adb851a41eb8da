#pragma once

#include <robots/base/ascii.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/message.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/url.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::fetch_detail {

/// The target of a redirect, or the reason why it is not followed.
struct redirect {
  std::string url{};                                ///< empty if the redirect is not followed
  origin place{};                                   ///< the origin of `url`
  robots::outcome refusal = outcome::server_error;  ///< the outcome if the redirect is not followed
  std::string why{};                                ///< the reason if the redirect is not followed
};

/// Reads the `Location` of a response to a request for `from`. The target must use http or https,
/// and must not be on an excluded host.
[[nodiscard]] inline redirect read_redirect(std::string_view from, const fetch_response& response,
                                            const detail::retrieval_options& options) {
  // RFC 9110, section 4.1, recommends support for URIs of 8,000 octets.
  constexpr std::size_t longest = 8'000;
  const std::optional<std::string_view> location =
      detail::find_header(response.headers, "Location");
  if (!location) {
    return {.why = "the redirect has no Location"};
  }
  if (location->size() > longest) {
    return {.why = "the redirect's Location has " + std::to_string(location->size()) +
                   " octets, more than " + std::to_string(longest)};
  }
  const std::optional<std::string> target = resolve_reference(from, *location);
  if (!target) {
    return {.why = "the redirect's Location is not a URL: " +
                   base::printable(location->substr(0, 80))};
  }
  const std::string scheme = target->substr(0, target->find(':'));
  if (!detail::parse_scheme(scheme)) {
    return {.refusal = outcome::refused,
            .why = "redirect to a scheme that is not http or https: " + scheme.substr(0, 32)};
  }
  std::optional<origin> place = detail::parse_origin(*target);
  if (!place) {
    return {.why = "the redirect's Location has no valid host: " +
                   base::printable(location->substr(0, 80))};
  }
  if (options.excluded && options.excluded->contains(place->host)) {
    return {.refusal = outcome::refused,
            .why = "redirect to a host that is excluded: " + place->host};
  }
  return {.url = detail::url_at(*place, *target), .place = *std::move(place)};
}

}  // namespace robots::fetch_detail
