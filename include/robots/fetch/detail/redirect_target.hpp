#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/location.hpp>
#include <robots/http/site.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace robots::fetch_detail {

/// The URL to which a redirect leads, in normal form and without user information.
struct redirect_url {
  origin place{};
  std::string url{};
};

/// Why a redirect leads nowhere, and the outcome of the retrieval that it ends. The text quotes the
/// `Location` as it came.
struct redirect_refusal {
  outcome kind = outcome::server_error;
  std::string why{};
};

/// Reads the `Location` of a redirect, the answer to a request for the URL `asked`. Does not decide
/// if the target may be asked.
///
/// A `Location` that cannot be used means that no file was found there, as a loop of redirects
/// does. It is not a failure of the site, which answered. A `Location` that is missing or longer
/// than we read is a failure, since it may lead to a file.
[[nodiscard]] inline std::variant<redirect_url, redirect_refusal> redirect_target(
    std::string_view asked, std::optional<std::string_view> location) {
  // RFC 9110, section 4.1, recommends support for URIs of 8,000 octets.
  constexpr std::size_t longest = 8'000;
  if (!location) {
    return redirect_refusal{outcome::server_error, "the redirect has no Location"};
  }
  if (location->size() > longest) {
    return redirect_refusal{outcome::server_error,
                            "the redirect's Location has " + std::to_string(location->size()) +
                                " octets, more than " + std::to_string(longest)};
  }
  const auto unusable = [&](const std::string& problem) {
    constexpr std::size_t most_shown = 80;
    return redirect_refusal{outcome::too_many_redirects,
                            "the redirect's Location cannot be used: " + problem +
                                "; Location: " + std::string{location->substr(0, most_shown)}};
  };
  const std::optional<std::string> target = resolve_location(asked, *location);
  if (!target) {
    return unusable("there is a blank or a control character in its host");
  }
  const std::string scheme = target->substr(0, target->find(':'));
  if (!detail::parse_scheme(scheme)) {
    return redirect_refusal{outcome::refused, "redirect to a scheme that is not http or https: " +
                                                  scheme.substr(0, 32)};
  }
  std::optional<origin> place = detail::parse_origin(*target);
  if (!place) {
    const std::string problem = detail::url_problem(*target);
    return unusable(problem.empty() ? "there is no host" : problem);
  }
  const std::string_view behind = detail::without_scheme(*target);
  const std::string path{behind.substr((std::min)(behind.find_first_of("/?"), behind.size()))};
  std::string url = to_string(*place) + (path.starts_with('/') ? "" : "/") + path;
  return redirect_url{*std::move(place), std::move(url)};
}

}  // namespace robots::fetch_detail
