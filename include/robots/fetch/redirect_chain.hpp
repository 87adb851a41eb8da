#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/redirect_options.hpp>
#include <robots/http/origin.hpp>

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
[[nodiscard]] std::optional<redirect_url> in_normal_form(std::string_view url);

/// Returns the URL of a caller as a redirect to it would be requested. So the rules decide about
/// the URL that is sent. Returns a text that is no http or https URL as it is.
[[nodiscard]] std::string first_url(std::string_view url);

/// Reads the `Location` of a redirect, the answer to a request for the URL `asked`. Does not decide
/// if the target may be asked.
[[nodiscard]] std::variant<redirect_url, redirect_refusal> redirect_target(
    std::string_view asked, std::optional<std::string_view> location);

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
                                                        const redirect_options& limits) const;

  /// Adds the next URL.
  void follow(std::string url) { urls_.push_back(std::move(url)); }

 private:
  std::vector<std::string> urls_;
};

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/redirect_chain.bodies.hpp>
#endif
