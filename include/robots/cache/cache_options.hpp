#pragma once

#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/retry_options.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/rep/read/malformed_limit.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

class excluded_hosts;

/// The options of a `basic_robots_cache`. The first two are required.
struct cache_options {
  /// The crawler's `User-Agent` header, such as `FooBot/1.0 (+https://foo.example/bot)`. Rules are
  /// those for its product token.
  std::string user_agent;
  /// The policy if no robots.txt is available: a preset of `fallback_policy`, or a `FallbackPolicy`
  /// of your own.
  any_fallback_policy fallback;

  /// Further crawlers that the same cache answers for, by their product tokens; `*` stands for all
  /// that a file does not name. Each file is fetched once, as `user_agent`, and compiled for each
  /// of them. `call_options::user_agent` selects one.
  std::vector<std::string> other_agents{};
  /// Hosts that are never fetched and never allowed: top-level domains, suffixes or hosts, as for
  /// `should_skip_by_tld`.
  std::vector<std::string> excluded{};
  /// High-risk sites, which are not asked and not allowed until somebody has signed them off (the
  /// pipeline guide: "mandatory manual sign-off"); names as in `excluded`. See
  /// `basic_robots_cache::sign_off`.
  std::vector<std::string> sign_off{};
  /// Returns true if a host, as in `site::host`, is high-risk, too. Called by any thread at each
  /// look-up; may be empty. If it throws, the host is high-risk.
  std::function<bool(std::string_view host)> is_high_risk{};
  /// Keeps the text of each file with its policy: see `policy::text` and `policy::document`.
  bool keep_text = false;
  /// The reading of robots.txt files. `max_bytes` also limits the fetched octets.
  parse_options parse{};
  /// For each exchange; the pipeline guide asks for 3 to 5 seconds. 0 means no limit.
  std::chrono::milliseconds timeout{5'000};
  /// Most time that one call takes, whatever the network does; 0 means no limit. Then the caller
  /// gets the action of `fallback` for `outcome::cancelled`, and the fetch goes on while others
  /// wait for it. `call_options::timeout` goes before it.
  std::chrono::milliseconds longest_call{15'000};
  /// Redirects to follow; RFC 9309, section 2.3.1.2, asks for at least five. Where fewer are, one
  /// more counts as `outcome::server_error`.
  int max_redirects = 5;

  /// The lifetime of an answer whose headers do not state one (SPYDER; RFC 9309, section 2.4), but
  /// never longer than `max_ttl`.
  std::chrono::seconds default_ttl = std::chrono::hours{24};
  /// The shortest time for which an answer is used, whatever its headers say.
  std::chrono::seconds min_ttl = std::chrono::minutes{5};
  /// The longest time for which an answer is used, whatever its headers say. It wins over
  /// `default_ttl` and `min_ttl`.
  std::chrono::seconds max_ttl = std::chrono::hours{24};
  /// The time for which a failure is remembered, so that a dead host is not asked for every URL.
  /// Doubled with each further one in a row.
  std::chrono::seconds failure_ttl = std::chrono::minutes{5};
  /// The limit of the doubling.
  std::chrono::seconds max_failure_ttl = std::chrono::hours{1};
  /// The share of that time, from 0 to 1, that chance may take off.
  double failure_jitter = 0.1;
  /// The greatest age of a last good copy that is used while the file is unavailable (RFC 9309,
  /// section
  /// 2.3.1.4).
  std::chrono::seconds last_good_for = std::chrono::days{30};
  /// For how long after it ceased to be fresh a policy still answers, while one thread renews it;
  /// 0 means that callers wait for the new one.
  std::chrono::seconds stale_while_revalidate{0};
  /// Above this, a file counts as `outcome::malformed`.
  malformed_limit malformed{};
  /// So many malformed files in a row put a site into quarantine, where `fallback` denies them; 0
  /// means never. See `basic_robots_cache::release`.
  int quarantine_after = 3;

  /// A site is halted at once when its robots.txt denies everything (`denies_everything`) and the
  /// one before did not: nothing is allowed there until `basic_robots_cache::resume`, whatever it
  /// says later. If false, the site's rules hold. By default, on where the fallback says so
  /// (`fallback_policy::halts_hostile`: `strict()` and what `with` makes of it): elsewhere one
  /// mistake of one day would deny a site until somebody looks. A `policy_change_event` reports the
  /// change either way. With a shared store, every process halts the site that gets this answer.
  std::optional<bool> halt_hostile{};
  /// A site is halted when its robots.txt could not be had for this long (`outcome::unreachable` or
  /// `server_error`), seen when it is asked for again. 0 means never. See
  /// `halt_reason::unreachable`.
  std::chrono::seconds halt_unreachable_after{0};
  /// A site is halted at once when it revokes access: `basic_robots_cache::report_response` says
  /// so, or its robots.txt is answered with 401 or 403 and was not before. See
  /// `access_revoked_event`.
  bool halt_revoked = false;
  /// A change of more than this share of the rules and lines (`change_report::share`), from 0 to 1,
  /// counts as fast (the pipeline guide: ">30% directive delta").
  double fast_change_share = 0.3;
  /// Only changes within this time count as fast, from the retrieval before the first one to that
  /// after the last one. Their shares are added up: a change that is taken back counts twice. By
  /// default each change counts alone, whatever time it took: rules are fresh for a day, so two
  /// retrievals are rarely within the pipeline guide's hour.
  std::optional<std::chrono::seconds> fast_change_within{};

  /// The retries of a retrieval.
  retry_options retry{};
  /// When an origin that fails is left alone.
  breaker_options breaker{};
  /// A retrieval that nobody waits for any more goes on, so that the next caller finds its result.
  /// If false, it is stopped: callers whose timeout is too short for a slow site then send it one
  /// request after the other, and never get an answer.
  bool finish_abandoned = true;
  /// Most threads that the cache starts, for calls that may end before the fetch does, and for
  /// renewals. Without one free, such a call fetches in its own thread if it has the time for an
  /// exchange, else it waits for a thread; and a renewal waits for the next call.
  std::size_t background_threads = 64;
  /// Seed of the random shares of waits and lifetimes. Without one, each cache derives its seed
  /// from the clocks, so that no two caches wait in step. Such a seed can be guessed.
  std::optional<std::uint64_t> seed{};
};

namespace cache_detail {

/// Returns true if a site that turns hostile is halted.
[[nodiscard]] inline bool halts_hostile(const cache_options& options) noexcept {
  return options.halt_hostile.value_or(options.fallback.halts_hostile());
}

[[nodiscard]] inline detail::retrieval_options retrieval_options_of(const cache_options& options) {
  return {.user_agent = options.user_agent,
          .max_redirects = options.max_redirects,
          .timeout = options.timeout,
          .max_bytes = options.parse.max_bytes,
          .retry = options.retry};
}

[[nodiscard]] inline detail::judge_options judge_options_of(const cache_options& options) {
  return {.fallback = options.fallback,
          .parse = options.parse,
          .malformed = options.malformed,
          .keep_text = options.keep_text,
          .default_ttl = options.default_ttl,
          .min_ttl = options.min_ttl,
          .max_ttl = options.max_ttl,
          .failure_ttl = options.failure_ttl,
          .max_failure_ttl = options.max_failure_ttl,
          .failure_jitter = options.failure_jitter,
          .breaker_cooldown = options.breaker.cooldown,
          .last_good_for = options.last_good_for,
          .stale_while_revalidate = options.stale_while_revalidate};
}

}  // namespace cache_detail

/// Throws `std::invalid_argument` if the options contradict each other. The message says what to
/// mend.
inline void validate(const cache_options& options) {
  validate(cache_detail::retrieval_options_of(options));
  validate(cache_detail::judge_options_of(options));
  for (const std::string& one : options.other_agents) {
    if (one != "*" && (one.empty() || product_token(one) != one)) {
      throw std::invalid_argument{"other_agents: \"" + one +
                                  "\" is no product token: use letters, '_' and '-', or '*'"};
    }
  }
  if (options.longest_call.count() < 0) {
    throw std::invalid_argument{"longest_call is negative: use 0 for no limit"};
  }
  if (!(options.fast_change_share >= 0 && options.fast_change_share <= 1)) {
    throw std::invalid_argument{"fast_change_share is no share: use a number from 0 to 1"};
  }
  if (options.fast_change_within && options.fast_change_within->count() < 0) {
    throw std::invalid_argument{
        "fast_change_within is negative: use 0 or more, or leave it empty for any time"};
  }
  if (options.halt_unreachable_after.count() < 0) {
    throw std::invalid_argument{"halt_unreachable_after is negative: use 0 for never"};
  }
  if (options.quarantine_after < 0) {
    throw std::invalid_argument{"quarantine_after is negative: use 0 for no quarantine"};
  }
}

}  // namespace robots
