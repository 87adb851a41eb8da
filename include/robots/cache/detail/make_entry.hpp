#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/fetch/fallback.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/freshness.hpp>
#include <robots/http/retry_after.hpp>
#include <robots/rep/document.hpp>
#include <robots/store/policy.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/detail/later.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace robots::detail {

/// Whether an outcome is no answer of the site, so that it is asked again sooner.
[[nodiscard]] constexpr bool is_failure(outcome what) noexcept {
  switch (what) {
    case outcome::success:
    case outcome::not_found:
    case outcome::client_error:
    case outcome::malformed:
      return false;
    default:
      return true;
  }
}

/// How long the outcome of a retrieval is used. What a server says by Cache-Control, Expires or
/// Retry-After counts within the limits that the options set.
[[nodiscard]] inline std::chrono::seconds lifetime(const retrieval_result& result,
                                                   const cache_options& options) {
  const auto now = std::chrono::system_clock::now();
  if (is_failure(result.outcome)) {
    const auto asked = retry_after(result.headers, now).value_or(options.failure_ttl);
    return std::clamp(asked, std::min(options.failure_ttl, options.max_ttl), options.max_ttl);
  }
  const auto said = freshness_lifetime(result.headers, now).value_or(options.default_ttl);
  return std::clamp(said, options.min_ttl, options.max_ttl);
}

[[nodiscard]] inline provenance provenance_of(const retrieval_result& result, time_point now) {
  return {.outcome = result.outcome,
          .status = result.status,
          .error = result.error,
          .error_text = result.error_text,
          .url = result.url,
          .final_url = result.final_url,
          .redirects = result.redirects,
          .exchanges = result.exchanges,
          .fetched_at = now};
}

/// The policy that a retrieval leads to. `before` is the one it replaces, if any.
[[nodiscard]] inline std::shared_ptr<const policy> make_policy(
    const retrieval_result& result, const cache_options& options,
    const std::shared_ptr<const policy>& before, time_point now) {
  provenance source = provenance_of(result, now);
  if (result.outcome == outcome::success) {
    parse_options reading = options.parse;
    reading.truncated = reading.truncated || result.truncated;
    const utf8_text body = to_utf8(result.body, result.headers);
    // The limit is about octets served; what became longer is not cut once more.
    reading.max_bytes = std::max(reading.max_bytes, body.text().size());
    const document text = parse(body.text(), reading);
    if (options.malformed.exceeded_by(text.lines())) {
      source.outcome = outcome::malformed;
    }
    if (options.fallback.action(source.outcome) == fallback_action::parse) {
      return std::make_shared<const policy>(text, options.user_agent, std::move(source));
    }
  }
  // A failure says nothing about the rules, so the last good copy stays at hand; an answer replaces
  // it, even one that there is no robots.txt.
  std::shared_ptr<const policy> good;
  if (is_failure(source.outcome)) {
    good = policy::good(before);
    if (good && now > later(good->source().fetched_at, options.last_good_for)) {
      good = nullptr;
    }
  }
  const fallback_action action = options.fallback.action(source.outcome);
  return std::make_shared<const policy>(action, options.user_agent, std::move(source),
                                        std::move(good));
}

/// The entry that keeps `made`: as long as it is fresh, and while it could still serve as the last
/// good copy.
[[nodiscard]] inline cache_entry make_entry(std::shared_ptr<const policy> made,
                                            std::chrono::seconds lifetime,
                                            std::chrono::seconds last_good_for, time_point now) {
  cache_entry entry{.policy = std::move(made), .fresh_until = later(now, lifetime)};
  entry.keep_until = entry.fresh_until;
  if (const auto good = policy::good(entry.policy)) {
    const time_point end = later(good->source().fetched_at, last_good_for);
    if (entry.policy->basis() == policy_basis::last_good) {
      entry.fresh_until = std::min(entry.fresh_until, end);
    }
    entry.keep_until = std::max(entry.fresh_until, end);
  }
  return entry;
}

}  // namespace robots::detail
