#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

// RFC 9309, section 2.3.1.4, permits a crawler to act as if there were no robots.txt when the file
// has been undefined "for a reasonably long period of time". Each record states this time in
// `record_head::failing_for`. A new record adds the time since the record before it, at most one
// day. An answer of the site ends the time. `judge` compares the time with
// `judge_options::no_file_after`.

namespace robots::detail {

/// Returns true after a 5xx, or if the site could not be reached. Returns false for the failures
/// that RFC 9309, section 2.3.1.4, does not mean: the site answered in another way, this process or
/// its proxy failed, or this process could not read the response, for example beyond a limit.
[[nodiscard]] constexpr bool is_site_failing(const record_head& head) noexcept {
  if (head.outcome == outcome::server_error) {
    return head.status >= 500 && head.status <= 599;
  }
  return head.outcome == outcome::unreachable && !is_on_our_side(head.error) &&
         head.error != fetch_error::protocol && head.error != fetch_error::other;
}

/// Returns true if the site could not answer, so an earlier time of failure neither grows nor ends.
[[nodiscard]] constexpr bool leaves_failing_time(const record_head& head) noexcept {
  return head.outcome == outcome::unreachable || head.outcome == outcome::circuit_open ||
         head.outcome == outcome::cancelled;
}

/// Returns the value of `record_head::failing_for` for `head`. `before` is the record that `head`
/// follows, or null. At most one day counts for each failure, so that a crawler that paused does
/// not count the pause.
[[nodiscard]] inline std::optional<std::chrono::seconds> failing_time(const record_head& head,
                                                                      const record_head* before) {
  using std::chrono::seconds;
  const std::optional<seconds> earlier =
      before != nullptr ? before->failing_for : std::optional<seconds>{};
  if (!is_site_failing(head)) {
    return leaves_failing_time(head) ? earlier : std::nullopt;
  }
  if (!earlier) {
    return seconds{0};
  }
  constexpr seconds longest_step = std::chrono::days{1};
  return *earlier +
         std::clamp(seconds{head.fetched_at - before->fetched_at}, seconds{0}, longest_step);
}

/// Returns true if a site has failed for so long that it counts as one without a robots.txt. An
/// open circuit breaker changes nothing. `no_file_after` is as in `cache_options`.
[[nodiscard]] inline bool counts_as_without_file(const record_head& head,
                                                 std::chrono::seconds no_file_after) noexcept {
  return no_file_after.count() > 0 && head.failing_for && *head.failing_for >= no_file_after &&
         (is_site_failing(head) || head.outcome == outcome::circuit_open);
}

/// Returns the reason that `judge` adds to the `error_text` of such a site.
[[nodiscard]] inline std::string without_file_text(std::chrono::seconds failing_for) {
  return "failing for " +
         std::to_string(std::chrono::floor<std::chrono::days>(failing_for).count()) +
         " days, so no_file_after applies: unless there is a last good copy, the site counts as "
         "one "
         "without a robots.txt";
}

/// Removes from `error_text` what `judge` has added for a site that counts as one without a
/// robots.txt. Only `judge_redirected` calls this function.
inline void remove_without_file_text(record_head& head) {
  const std::string why = without_file_text(head.failing_for.value_or(std::chrono::seconds{0}));
  if (head.error_text.ends_with(why)) {
    head.error_text.resize(head.error_text.size() - why.size());
    if (head.error_text.ends_with("; ")) {
      head.error_text.resize(head.error_text.size() - 2);
    }
  }
}

}  // namespace robots::detail
