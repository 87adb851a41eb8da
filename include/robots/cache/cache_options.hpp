#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/redirect_options.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retry_options.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/judge.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The options of a `basic_robots_cache`. The first two are required.
struct cache_options {
  /// The crawler's `User-Agent` header, such as `FooBot/1.0 (+https://foo.example/bot)`. Unless
  /// `names` is set, its product token selects the rules.
  std::string user_agent;
  /// The policy if no robots.txt is available: a preset of `fallback_policy`, or your own
  /// `FallbackPolicy`.
  detail::any_fallback_policy fallback;

  /// The names that select the rules, the most specific name first: `{"FooBot-Image", "FooBot"}`.
  /// Set this option if `user_agent` is like the header of a browser, or if the crawler has several
  /// names. If it has no name, the product token of `user_agent` is the only name. Policy tokens
  /// that bind the crawler stand here, too: `{{"Google-Extended", purpose::ai_train}}`.
  crawler_names names{};
  /// Other crawlers for which the cache also answers: the name or the names of each. The entry `*`
  /// stands for any crawler that a file does not name. The cache fetches each file once, as
  /// `user_agent`. `call_options::user_agent` selects the crawler of a call, by its first name.
  std::vector<crawler_names> other_agents{};
  /// Hosts that are never allowed and get no requests. `gov` excludes a whole top-level domain.
  /// `example.com` excludes a host and its subdomains. See `should_skip_by_tld`.
  std::vector<std::string> excluded{};
  /// High-risk sites, written like the entries of `excluded`. Such a site gets no requests, and
  /// nothing is allowed there, until you call `basic_robots_cache::sign_off` (the pipeline guide:
  /// "mandatory manual sign-off").
  std::vector<std::string> sign_off{};
  /// A function that returns true if `host` is high-risk. `host` has the form of `site::host`. A
  /// look-up can call the function in any thread. The cache does not ask the function about hosts
  /// that `sign_off` lists. If the function throws, the host is high-risk.
  std::function<bool(std::string_view host)> is_high_risk{};
  /// If true, policies keep the texts of their files: see `policy::text` and `policy::document`.
  bool keep_text = false;
  /// The options for parsing robots.txt files. `max_bytes` limits the octets that are fetched and
  /// parsed.
  parse_options parse{};
  /// The timeout of each exchange; the pipeline guide recommends 3 to 5 seconds. 0 means no limit.
  std::chrono::milliseconds timeout{5'000};
  /// The maximum time of one call; 0 means no limit. After this time, the call returns the policy
  /// that `fallback` chooses for `outcome::cancelled`. The fetch continues if other callers wait
  /// for the result, or if `finish_abandoned` is true. `call_options::timeout` overrides this
  /// option.
  std::chrono::milliseconds longest_call{15'000};
  /// The maximum number of redirects to follow; RFC 9309, section 2.3.1.2, asks for at least five.
  /// With a limit below five, a redirect beyond the limit leads to `outcome::server_error`.
  int max_redirects = 5;
  /// The redirects of a robots.txt that are refused (`outcome::refused`).
  redirect_options redirects{};

  /// The lifetime of an answer whose headers state no lifetime (SPYDER; RFC 9309, section 2.4). It
  /// is at most `max_ttl`.
  std::chrono::seconds default_ttl = std::chrono::hours{24};
  /// The minimum lifetime of an answer, whatever its headers say.
  std::chrono::seconds min_ttl = std::chrono::minutes{5};
  /// The maximum lifetime of an answer, whatever its headers say. It overrides `default_ttl` and
  /// `min_ttl`.
  std::chrono::seconds max_ttl = std::chrono::hours{24};
  /// The lifetime of a failure. It doubles with each further failure in a row.
  std::chrono::seconds failure_ttl = std::chrono::minutes{5};
  /// The lifetime of a failure without a response (`outcome::unreachable`), such as a lost
  /// connection, which is often over sooner than a 5xx or a 429. Doubles in the same way. If empty,
  /// `failure_ttl` applies.
  std::optional<std::chrono::seconds> unreachable_ttl{};
  /// The maximum lifetime of a failure.
  std::chrono::seconds max_failure_ttl = std::chrono::hours{1};
  /// The share of a failure's lifetime that is random, from 0 to 1.
  double failure_jitter = 0.1;
  /// The maximum age of the last good copy, whose rules apply while the robots.txt cannot be
  /// fetched (RFC 9309, section 2.3.1.4).
  std::chrono::seconds last_good_for = std::chrono::days{30};
  /// The time after which a site whose robots.txt cannot be fetched counts as one without a
  /// robots.txt (RFC 9309, section 2.3.1.4). 0 means never; else it is at least one day. Then
  /// `fallback_action::last_good_or_deny` acts as `last_good_or_allow`. Only a 5xx and a site that
  /// cannot be reached count. See `record_head::failing_for`.
  std::chrono::seconds no_file_after{0};
  /// The time for which a stale policy still answers while one thread renews it. With 0, callers
  /// wait for the new policy.
  std::chrono::seconds stale_while_revalidate{0};
  /// The limit of malformed lines. A file above this limit has `outcome::malformed`.
  malformed_limit malformed{};
  /// The number of malformed files in a row after which a site goes into quarantine and gets no
  /// requests; 0 means never. A malformed file does not count if `fallback` applies its rules
  /// (`fallback_action::parse`). `basic_robots_cache::release` ends the quarantine.
  int quarantine_after = 3;

  /// If true, the cache halts a site when its robots.txt denies everything and the previous
  /// robots.txt did not. Then nothing is allowed at the site until `basic_robots_cache::resume`. If
  /// false, the rules of the site apply. With a shared store, every process that gets this
  /// robots.txt halts the site. A `policy_change_event` reports the change in both cases.
  ///
  /// If empty, `fallback.halts_hostile()` decides. The preset `strict()` halts the site, even if a
  /// call of `with()` has changed an action. The other presets do not halt the site, since a site
  /// can deny everything by mistake. A halt would outlast the mistake, until you call `resume`.
  std::optional<bool> halt_hostile{};
  /// The cache halts a site if all fetches of its robots.txt have failed for this time
  /// (`outcome::unreachable` or `server_error`). The cache checks the time only at a fetch, so the
  /// halt can come later. 0 means never. The halt has the reason `halt_reason::unreachable`.
  std::chrono::seconds halt_unreachable_after{0};
  /// If true, the cache halts a site that revokes access. A site revokes access if
  /// `basic_robots_cache::report_response` returns true, or if the site begins to answer the
  /// request for its robots.txt with 401 or 403. See `access_revoked_event`.
  bool halt_revoked = false;
  /// A number from 0 to 1. A change is fast if its share of changed rules and lines
  /// (`change_report::share`) is above this number (the pipeline guide: ">30% directive delta").
  /// `policy_change_event::fast` reports a fast change.
  double fast_change_share = 0.3;
  /// The time for which a change counts. The time begins at the last fetch of the old rules. The
  /// newest change is fast if the shares of all counted changes add up to more than
  /// `fast_change_share`. A change and its later reversal both count. If empty, each change is
  /// judged alone. One hour, as in the pipeline guide, is usually too short. Rules stay fresh for a
  /// day, so the last fetch of the old rules is often more than an hour ago.
  std::optional<std::chrono::seconds> fast_change_within{};

  /// The retries of a retrieval.
  retry_options retry{};
  /// The circuit breaker: after some failures in a row, an origin gets no requests for a while.
  breaker_options breaker{};
  /// If true, a fetch continues when nobody waits for it any more, so that the next caller gets the
  /// result. If false, the fetch is cancelled. Then a caller with a short timeout never gets the
  /// rules of a slow site, however often the caller asks. A fetch that nobody waits for can wait
  /// for a free thread. At most 1,024 such fetches wait; the oldest is dropped.
  bool finish_abandoned = true;
  /// The maximum number of threads that the cache starts for fetches. A renewal needs a thread. A
  /// call needs a thread if a time limit or stop request can end the call before its fetch ends. If
  /// no thread is free and the call has time for one request, the caller's thread does the fetch.
  /// If the call has less time, it waits for a thread. A fetch that a call waits for gets a thread
  /// before all others. If no thread is free for a renewal, the next
  /// call for the site starts the renewal. With a shared store, two more threads call the store.
  std::size_t background_threads = 64;
  /// The seed for the random parts of waits and lifetimes. If empty, each cache makes a seed from
  /// the clocks, so that no two caches retry together. A seed from the clocks can be guessed.
  std::optional<std::uint64_t> seed{};
};

namespace cache_detail {

[[nodiscard]] inline detail::retrieval_options retrieval_options_of(const cache_options& options) {
  return {.user_agent = options.user_agent,
          .max_redirects = options.max_redirects,
          .redirects = options.redirects,
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
          .unreachable_ttl = options.unreachable_ttl,
          .max_failure_ttl = options.max_failure_ttl,
          .failure_jitter = options.failure_jitter,
          .breaker_cooldown = options.breaker.cooldown,
          .last_good_for = options.last_good_for,
          .no_file_after = options.no_file_after,
          .stale_while_revalidate = options.stale_while_revalidate};
}

/// Returns the names and the header of the crawler that fetches.
[[nodiscard]] inline crawler_names names_of(const cache_options& options) {
  if (!options.names.empty()) {
    return options.names.sent_as(options.user_agent);
  }
  crawler_names names{options.user_agent};
  for (const policy_token& bound : options.names.policy_tokens()) {
    names = names.with_policy_token(bound.token, bound.purpose);
  }
  return names;
}

/// Throws `std::invalid_argument` unless each of `names` has a product token. The first must not be
/// `*`, unless `may_be_everyone` is true.
inline void require_names(const char* option, const crawler_names& names, dialect reading,
                          bool may_be_everyone) {
  const auto refuse = [option](std::string_view name, const char* problem) {
    throw std::invalid_argument{std::string{option} + " \"" + base::printable(name) + "\" " +
                                problem};
  };
  if (names.empty()) {
    refuse({}, "names nobody: give a product token, as in FooBot");
  }
  for (const std::string_view name : names) {
    const std::string_view token = product_token(name, reading);
    if (is_target(name)) {
      refuse(name, "is a path or a URL: give a product token, as in FooBot");
    } else if (token.empty()) {
      refuse(name,
             "has no product token, or only tokens of browsers and client libraries: begin it with "
             "the crawler's name, as in FooBot/1.0, or set cache_options::names");
    } else if (token == "*" && !may_be_everyone && name.data() == names.begin()->data()) {
      refuse(name, "names every crawler: give the name of yours, as in FooBot/1.0");
    }
  }
}

/// Throws `std::invalid_argument` if an option is set that the rulings of a cache decide.
inline void require_no_own_alarms(const cache_options& options) {
  const cache_options unset{.user_agent = {}, .fallback = options.fallback};
  const auto refuse = [](bool is_set, const char* old_name, const char* new_name) {
    if (is_set) {
      throw std::invalid_argument{"cache_options::" + std::string{old_name} +
                                  " has no effect in a cache with rulings: set rulings_options::" +
                                  new_name + " of its SiteRulings"};
    }
  };
  refuse(!options.sign_off.empty(), "sign_off", "needs_sign_off");
  refuse(static_cast<bool>(options.is_high_risk), "is_high_risk", "is_high_risk");
  refuse(options.quarantine_after != unset.quarantine_after, "quarantine_after",
         "quarantine_after");
  refuse(options.halt_hostile.has_value(), "halt_hostile", "halt_hostile");
  refuse(options.halt_unreachable_after != unset.halt_unreachable_after, "halt_unreachable_after",
         "halt_unreachable_after");
  refuse(options.halt_revoked, "halt_revoked", "halt_revoked");
  refuse(options.fast_change_share < unset.fast_change_share ||
             options.fast_change_share > unset.fast_change_share,
         "fast_change_share", "fast_change_share");
  refuse(options.fast_change_within.has_value(), "fast_change_within", "fast_change_within");
}

/// Returns `options`, with `names` set. Throws `std::invalid_argument` for invalid options. The
/// message says what to change.
[[nodiscard]] inline cache_options validated(cache_options options) {
  detail::validate(retrieval_options_of(options));
  detail::validate(judge_options_of(options));
  require_names(options.names.empty() ? "user_agent" : "names", names_of(options),
                options.parse.dialect, false);
  for (const crawler_names& other : options.other_agents) {
    require_names("other_agents", other, options.parse.dialect, true);
  }
  options.names = names_of(options);
  using base::require;
  const auto longest = options.longest_call.count();
  require(longest >= 0, "longest_call", longest, " ms: use 0 for no limit, or more");
  const double share = options.fast_change_share;
  require(share >= 0 && share <= 1, "fast_change_share", share, ": use a number from 0 to 1");
  const auto window = options.fast_change_within.value_or(std::chrono::seconds{0}).count();
  require(window >= 0, "fast_change_within", window,
          " s: use 0 or more, or leave it empty for any time");
  const auto unreachable = options.halt_unreachable_after.count();
  require(unreachable >= 0, "halt_unreachable_after", unreachable, " s: use 0 for never, or more");
  require(options.quarantine_after >= 0, "quarantine_after", options.quarantine_after,
          ": use 0 for no quarantine, or more");
  return options;
}

}  // namespace cache_detail

}  // namespace robots
