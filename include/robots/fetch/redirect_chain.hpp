#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/fetch/redirect_options.hpp>
#include <robots/http/location.hpp>
#include <robots/http/site.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The way of a redirect, for a robots.txt and for a page:
///
///     Location --> redirect_target --> a URL in normal form --> redirect_chain::refusal --> follow
///                       | it leads nowhere                          | a loop, too many, refused
///                       +-----------------> redirect_refusal <------+
///
/// Nothing here decides if the rules of a site permit the target.

namespace robots::detail {

/// The URL to which a redirect leads, in normal form and without user information.
struct redirect_url {
  origin place{};
  std::string url{};
};

/// The reason why a redirect is not followed.
enum class redirect_problem : std::uint8_t {
  no_location,  ///< the `Location` is missing, or longer than we read
  unusable,     ///< the `Location` names no URL
  scheme,       ///< the URL is neither http nor https
  loop,         ///< the URL was asked before
  too_many,     ///< there were as many redirects as the crawler follows
  refused,      ///< `redirect_options` refuse it
};

/// Why a redirect is not followed. The text quotes the `Location` as it came.
struct redirect_refusal {
  redirect_problem problem = redirect_problem::no_location;
  std::string why{};
};

/// Returns the outcome of a retrieval of a robots.txt that ends so, after `followed` redirects.
///
/// A `Location` that cannot be used means that no file was found there, as a loop of redirects
/// does. It is not a failure of the site, which answered. A `Location` that is missing or longer
/// than we read is a failure, since it may lead to a file.
[[nodiscard]] constexpr outcome outcome_of(redirect_problem problem, int followed) noexcept {
  if (problem == redirect_problem::scheme || problem == redirect_problem::refused) {
    return outcome::refused;
  }
  // A file must be obeyed if it is behind at most five redirects (RFC 9309, section 2.3.1.2).
  const bool may_have_file = problem == redirect_problem::no_location ||
                             (problem == redirect_problem::too_many && followed < 5);
  return may_have_file ? outcome::server_error : outcome::too_many_redirects;
}

/// Returns an absolute URL that `resolve_location` returned in normal form. Returns nothing if it
/// is no http or https URL, or if its host is invalid.
[[nodiscard]] inline std::optional<redirect_url> in_normal_form(std::string_view url) {
  std::optional<origin> place = parse_origin(url);
  if (!place) {
    return {};
  }
  const std::string_view behind = without_scheme(url);
  const std::string path{behind.substr((std::min)(behind.find_first_of("/?"), behind.size()))};
  std::string normal = to_string(*place) + (path.starts_with('/') ? "" : "/") + path;
  return redirect_url{*std::move(place), std::move(normal)};
}

/// Returns the URL of a caller as a redirect to it would be requested. So the rules decide about
/// the URL that is sent. Returns a text that is no http or https URL as it is.
[[nodiscard]] inline std::string first_url(std::string_view url) {
  const std::optional<origin> place = parse_origin(url);
  const auto whole = place ? resolve_location(to_string(*place) + '/', url) : std::nullopt;
  auto normal = whole ? in_normal_form(*whole) : std::nullopt;
  return normal ? std::move(normal->url) : std::string{url};
}

/// Reads the `Location` of a redirect, the answer to a request for the URL `asked`. Does not decide
/// if the target may be asked.
[[nodiscard]] inline std::variant<redirect_url, redirect_refusal> redirect_target(
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

/// The URLs of one question, from the first one to the end of the redirects so far.
class redirect_chain {
 public:
  redirect_chain() = default;
  /// Begins with an http or https URL.
  explicit redirect_chain(std::string first) { urls_.push_back(std::move(first)); }

  /// Returns the first URL.
  [[nodiscard]] const std::string& first() const noexcept { return urls_.front(); }
  /// Returns the URL to ask now.
  [[nodiscard]] const std::string& last() const noexcept { return urls_.back(); }
  /// Returns the number of redirects so far.
  [[nodiscard]] int followed() const noexcept { return static_cast<int>(urls_.size()) - 1; }

  /// Returns the reason why the redirect from the last URL to `target` must not be followed, or an
  /// empty optional.
  [[nodiscard]] std::optional<redirect_refusal> refusal(const redirect_url& target,
                                                        int max_redirects,
                                                        const redirect_options& limits) const {
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

  /// Adds the next URL.
  void follow(std::string url) { urls_.push_back(std::move(url)); }

 private:
  std::vector<std::string> urls_;
};

}  // namespace robots::detail
