#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/lifetime.hpp>
#include <robots/fetch/known_copy.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/validators.hpp>
#include <robots/policy/detail/provenance_of.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace robots::detail {

/// What is known of a site when it is asked again.
struct earlier_policies {
  std::shared_ptr<const policy> last{};       ///< the one to be replaced, if any
  std::shared_ptr<const policy> unchanged{};  ///< the one that a 304 speaks of, if it was asked for
};

/// The file by which to ask whether anything has changed.
[[nodiscard]] inline known_copy known_copy_of(const std::shared_ptr<const policy>& last) {
  const auto good = policy::good(last);
  return good ? known_copy{good->source().final_url, good->source().validators} : known_copy{};
}

[[nodiscard]] inline provenance provenance_of(const retrieval_result& result,
                                              const earlier_policies& before, time_point now) {
  provenance source = provenance_of(result, now);
  if (is_failure(result.outcome)) {
    const int failures = before.last ? before.last->source().failures : 0;
    source.failures = failures + (result.outcome == outcome::circuit_open ? 0 : 1);
  }
  if (result.outcome == outcome::success) {
    source.validators = validators_of(result.headers);
  }
  return source;
}

/// What the user wants done about `source`.
[[nodiscard]] inline fallback_action action_for(const provenance& source,
                                                const cache_options& options) noexcept {
  return options.fallback.action({.outcome = source.outcome,
                                  .status = source.status,
                                  .error = source.error,
                                  .failures = source.failures,
                                  .url = source.url});
}

/// What a 304 leads to: the rules and their row as they were. It keeps the validators, and may name
/// a date where there was none. One with another entity tag speaks of another file (RFC 9111,
/// section 4.3.4): then the next one is asked for whole.
[[nodiscard]] inline policy renewed(const policy& unchanged, provenance source) {
  source.outcome = unchanged.source().outcome;
  const validators named = std::exchange(source.validators, unchanged.source().validators);
  if (!named.etag.empty() && !same_entity(named.etag, source.validators.etag)) {
    source.validators = {};
  } else if (source.validators.last_modified.empty()) {
    source.validators.last_modified = named.last_modified;
  }
  return policy{unchanged, std::move(source)};
}

/// The policy that a retrieval leads to, not yet numbered; its lifetime is for the caller to set.
[[nodiscard]] inline policy make_policy(const retrieval_result& result, provenance source,
                                        const cache_options& options,
                                        const earlier_policies& before) {
  if (result.not_modified && before.unchanged) {
    return renewed(*before.unchanged, std::move(source));
  }
  const auto action = [&] { return action_for(source, options); };
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
    if (action() == fallback_action::parse) {
      return policy{text, options.user_agent, std::move(source)};
    }
  }
  // A failure says nothing about the rules, so the last good copy stays at hand; an answer replaces
  // it, even one that there is no robots.txt, unless the user wants to go by it then, too.
  const fallback_action chosen = action();
  std::shared_ptr<const policy> good;
  if (is_failure(source.outcome) || chosen == fallback_action::last_good_or_deny) {
    good = policy::good(before.last);
    if (good &&
        source.fetched_at > saturating_add(good->source().fetched_at, options.last_good_for)) {
      good = nullptr;
    }
  }
  return policy{chosen, options.user_agent, std::move(source), std::move(good)};
}

/// What holds for a site in quarantine, whose last file came as `source` says.
[[nodiscard]] inline std::shared_ptr<const policy> quarantined_policy(
    provenance source, const cache_options& options) {
  source.outcome = outcome::quarantined;
  source.error_text = "its files are malformed again and again; release it after a look";
  const fallback_action action = options.fallback.action(outcome::quarantined);
  return std::make_shared<const policy>(action, options.user_agent, std::move(source));
}

}  // namespace robots::detail
