#pragma once

#include <robots/base/config.hpp>
#include <robots/cache/detail/moved_to_rulings.hpp>
#include <robots/cache/detail/required_user_agent.hpp>
#include <robots/fetch/breaker_options.hpp>
#include <robots/fetch/redirect_options.hpp>
#include <robots/fetch/retry_options.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/malformed_limit.hpp>
#include <robots/rep/read/parse_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace robots::detail {

struct judge_options;
struct retrieval_options;

}  // namespace robots::detail

namespace robots {

/// The options of a `basic_robots_cache`. The first two are required.
struct cache_options {
  /// The crawler's `User-Agent` header, such as `FooBot/1.0 (+https://foo.example/bot)`. Unless
  /// `names` is set, its product token selects the rules.
  cache_detail::required_user_agent user_agent;
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
  /// Not here any more: `rulings_options::needs_sign_off`.
  [[no_unique_address]] cache_detail::moved_option sign_off{};
  /// Not here any more: `rulings_options::is_high_risk`.
  [[no_unique_address]] cache_detail::moved_option is_high_risk{};
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

  /// Not here any more: `rulings_options::quarantine_after`.
  [[no_unique_address]] cache_detail::moved_option quarantine_after{};
  /// Not here any more: `rulings_options::halt_hostile`.
  [[no_unique_address]] cache_detail::moved_option halt_hostile{};
  /// Not here any more: `rulings_options::halt_unreachable_after`.
  [[no_unique_address]] cache_detail::moved_option halt_unreachable_after{};
  /// Not here any more: `rulings_options::halt_revoked`.
  [[no_unique_address]] cache_detail::moved_option halt_revoked{};
  /// Not here any more: `rulings_options::fast_change_share`.
  [[no_unique_address]] cache_detail::moved_option fast_change_share{};
  /// Not here any more: `rulings_options::fast_change_within`.
  [[no_unique_address]] cache_detail::moved_option fast_change_within{};

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

[[nodiscard]] detail::retrieval_options retrieval_options_of(const cache_options& options);

[[nodiscard]] detail::judge_options judge_options_of(const cache_options& options);

/// Returns the names and the header of the crawler that fetches.
[[nodiscard]] crawler_names names_of(const cache_options& options);

/// Throws `std::invalid_argument` unless each of `names` has a product token. The first must not be
/// `*`, unless `may_be_everyone` is true.
void require_names(const char* option, const crawler_names& names, dialect reading,
                   bool may_be_everyone);

}  // namespace cache_detail

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/cache_options.bodies.hpp>
#endif
