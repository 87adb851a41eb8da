#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/redirect_chain.hpp>
#include <robots/http/location.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>

#include <algorithm>
#include <cstddef>

namespace robots::detail {

ROBOTS_INLINE std::optional<redirect_url> in_normal_form(std::string_view url) {
  std::optional<origin> place = parse_origin(url);
  if (!place) {
    return {};
  }
  const std::string_view behind = without_scheme(url);
  const std::string path{behind.substr((std::min)(behind.find_first_of("/?"), behind.size()))};
  std::string normal = to_string(*place) + (path.starts_with('/') ? "" : "/") + path;
  return redirect_url{*std::move(place), std::move(normal)};
}

ROBOTS_INLINE std::string first_url(std::string_view url) {
  const std::optional<origin> place = parse_origin(url);
  const auto whole = place ? resolve_location(to_string(*place) + '/', url) : std::nullopt;
  auto normal = whole ? in_normal_form(*whole) : std::nullopt;
  return normal ? std::move(normal->url) : std::string{url};
}

ROBOTS_INLINE std::variant<redirect_url, redirect_refusal> redirect_target(
    std::string_view asked, std::optional<std::string_view> location) {
  // RFC 9110, section 4.1, recommends support for URIs of 8,000 octets.
  constexpr std::size_t longest = 8'000;
  if (!location) {
    return redirect_refusal{redirect_problem::no_location, "the redirect has no Location"};
  }
  if (location->size() > longest) {
    return redirect_refusal{redirect_problem::no_location,
                            "the redirect's Location has " + std::to_string(location->size()) +
                                " octets, more than " + std::to_string(longest)};
  }
  const auto unusable = [&](const std::string& problem) {
    constexpr std::size_t most_shown = 80;
    return redirect_refusal{redirect_problem::unusable,
                            "the redirect's Location cannot be used: " + problem +
                                "; Location: " + std::string{location->substr(0, most_shown)}};
  };
  const std::optional<std::string> target = resolve_location(asked, *location);
  if (!target) {
    return unusable("there is a blank or a control character in its host");
  }
  const std::string scheme = target->substr(0, target->find(':'));
  if (!parse_scheme(scheme)) {
    return redirect_refusal{
        redirect_problem::scheme,
        "redirect to a scheme that is not http or https: " + scheme.substr(0, 32)};
  }
  std::optional<redirect_url> normal = in_normal_form(*target);
  if (!normal) {
    const std::string problem = url_problem(*target);
    return unusable(problem.empty() ? "there is no host" : problem);
  }
  return *std::move(normal);
}

ROBOTS_INLINE std::optional<redirect_refusal> redirect_chain::refusal(
    const redirect_url& target, int max_redirects, const redirect_options& limits) const {
  if (std::find(urls_.begin(), urls_.end(), target.url) != urls_.end()) {
    return redirect_refusal{redirect_problem::loop, "the redirects form a loop"};
  }
  if (followed() >= max_redirects) {
    return redirect_refusal{redirect_problem::too_many,
                            "more than " + std::to_string(max_redirects) + " redirects"};
  }
  const std::optional<origin> from = parse_origin(last());
  std::string why = from ? refusal_by(limits, *from, target.place) : std::string{};
  return why.empty() ? std::nullopt
                     : std::optional{redirect_refusal{redirect_problem::refused, std::move(why)}};
}

}  // namespace robots::detail
