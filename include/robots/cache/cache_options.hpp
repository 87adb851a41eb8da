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
  /// The crawler's `User-Agent` header, such as `FooBot/1.0 (+https://foo.example/bot)`. Its
  /// product token selects the rules.
  std::string user_agent;
  /// The policy if no robots.txt is available: a preset of `fallback_policy`, or a `FallbackPolicy`
  /// of your own.
  any_fallback_policy fallback;

  /// Other crawlers for which the cache also answers, by their product tokens; `*` means the rules
  /// for all crawlers that a file does not name. Each file is fetched once, by `user_agent`, and
  /// compiled for each crawler. `call_options::user_agent` selects one.
  std::vector<std::string> other_agents{};
  /// Hosts that are never fetched and never allowed: top-level domains, suffixes or hosts, as
  /// `should_skip_by_tld` reads them.
  std::vector<std::string> excluded{};
  /// High-risk sites, which get no requests and are not allowed until somebody has signed them off
  /// (the pipeline guide: "mandatory manual sign-off"); names as in `excluded`. See
  /// `basic_robots_cache::sign_off`.
  std::vector<std::string> sign_off{};
  /// Also marks hosts as high-risk: returns true for those. The argument is as in `site::host`. Any
  /// thread may call it, at each look-up. May be empty. If it throws, the host is high-risk.
  std::function<bool(std::string_view host)> is_high_risk{};
  /// Keeps the text of each file with its policy: see `policy::text` and `policy::document`.
  bool keep_text = false;
  /// The options for parsing robots.txt files. `max_bytes` also limits the fetched octets.
  parse_options parse{};
  /// The timeout of each exchange; the pipeline guide recommends 3 to 5 seconds. 0 means no limit.
  std::chrono::milliseconds timeout{5'000};
  /// The longest time of one call, whatever the network does; 0 means no limit. After it, the
  /// caller gets the action of `fallback` for `outcome::cancelled`. The fetch goes on if others
  /// wait for it. `call_options::timeout` overrides it.
  std::chrono::milliseconds longest_call{15'000};
  /// The most redirects to follow; RFC 9309, section 2.3.1.2, asks for at least five. If this is
  /// less than five, a further redirect counts as `outcome::server_error`.
  int max_redirects = 5;

  /// The lifetime of an answer whose headers state none (SPYDER; RFC 9309, section 2.4); at most
  /// `max_ttl`.
  std::chrono::seconds default_ttl = std::chrono::hours{24};
  /// The shortest lifetime of an answer, with any headers.
  std::chrono::seconds min_ttl = std::chrono::minutes{5};
  /// The longest lifetime of an answer, with any headers. It overrides `default_ttl` and `min_ttl`.
  std::chrono::seconds max_ttl = std::chrono::hours{24};
  /// The lifetime of a failure, so that a dead host is not asked for every URL. Doubles with each
  /// further failure in a row.
  std::chrono::seconds failure_ttl = std::chrono::minutes{5};
  /// The longest lifetime of a failure.
  std::chrono::seconds max_failure_ttl = std::chrono::hours{1};
  /// The share of that lifetime that is random, from 0 to 1.
  double failure_jitter = 0.1;
  /// The greatest age at which a last good copy may apply while the file is unavailable (RFC 9309,
  /// section 2.3.1.4).
  std::chrono::seconds last_good_for = std::chrono::days{30};
  /// The time for which a stale policy still answers while one thread renews it. With 0, callers
  /// wait for the new policy.
  std::chrono::seconds stale_while_revalidate{0};
  /// If more of its lines are malformed, a file counts as `outcome::malformed`.
  malformed_limit malformed{};
  /// After this many malformed files in a row that `fallback` denies, a site goes into quarantine,
  /// where it gets no requests; 0 means never. See `basic_robots_cache::release`.
  int quarantine_after = 3;

  /// Halts a site when its robots.txt denies everything (`denies_everything`) and the one before
  /// did not. Then nothing is allowed there until `basic_robots_cache::resume`, whatever the file
  /// says later. If false, the rules of the site apply. If empty, the fallback policy decides
  /// (`fallback_policy::halts_hostile`: true for `strict()` and for its variants by `with`). With
  /// other policies, one mistake of a site would deny it until somebody looks. A
  /// `policy_change_event` reports the change in any case. With a shared store, every process that
  /// gets this answer halts the site.
  std::optional<bool> halt_hostile{};
  /// Halts a site whose robots.txt was unavailable for this long (`outcome::unreachable` or
  /// `server_error`). It is checked when the site is asked again. 0 means never. See
  /// `halt_reason::unreachable`.
  std::chrono::seconds halt_unreachable_after{0};
  /// Halts a site that revokes access: `basic_robots_cache::report_response` says so, or its
  /// robots.txt gets 401 or 403 and did not before. See `access_revoked_event`.
  bool halt_revoked = false;
  /// A change of more than this share of rules and lines (`change_report::share`), from 0 to 1, is
  /// fast (the pipeline guide: ">30% directive delta").
  double fast_change_share = 0.3;
  /// The window in which changes must be to count as fast, from the retrieval before the first one
  /// to that after the last one. Their shares are added: a change that is reverted counts twice. By
  /// default, each change counts alone, whatever its window. Rules are fresh for a day, so two
  /// retrievals are rarely within the pipeline guide's hour.
  std::optional<std::chrono::seconds> fast_change_within{};

  /// The retries of a retrieval.
  retry_options retry{};
  /// The failures after which an origin gets no requests for a while.
  breaker_options breaker{};
  /// Lets a retrieval continue if nobody waits for it any more, so that the next caller has its
  /// result. If false, it is stopped. Then callers with a timeout that is too short for a slow site
  /// send it request after request, and never get an answer.
  bool finish_abandoned = true;
  /// The most threads that the cache starts, for calls that may end before the fetch does, and for
  /// renewals. If none is free, such a call fetches in its own thread if it has the time for an
  /// exchange, or else waits for a thread. A renewal waits for the next call.
  std::size_t background_threads = 64;
  /// The seed for the random parts of waits and lifetimes. If empty, each cache makes one from the
  /// clocks, so that no two caches retry together. Such a seed can be guessed.
  std::optional<std::uint64_t> seed{};
};

namespace cache_detail {

/// Returns true if hostile sites are halted.
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

/// Throws `std::invalid_argument` if options contradict each other. The message says what to
/// change.
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
    throw std::invalid_argument{"fast_change_share is not a share: use a number from 0 to 1"};
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
