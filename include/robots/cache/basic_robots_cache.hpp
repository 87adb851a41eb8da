#pragma once

#include <robots/base/config.hpp>
#include <robots/cache/cache_controls.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/own_parts.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fwd.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// Decides for any URL whether a crawler may fetch it now, with the reason.
///
/// Fetches the robots.txt of a site at the first call about the site. Keeps the rules of the
/// crawler, and fetches the file again after the rules expire (SPYDER's robots component; RFC 9309,
/// sections 2.3 and 2.4). Threads that ask for one site at the same time share one fetch. The site
/// of a URL is its origin. A host without a scheme means the https origin of the host or, if that
/// origin cannot be reached, the http origin.
///
/// With a `TieredStorage`, the cache shares answers and rulings with the other processes of the
/// crawl, so that only one process fetches the file of a site. The cache checks each record that it
/// reads from the shared store. If the store fails, each process fetches for itself. Circuit
/// breakers are not shared.
///
/// Any thread may call any member function. Network failures and bad content never throw. A look-up
/// without a fetch takes constant time on average, plus the time of `rule_set::match`.
template <Fetcher F, Clock C, Storage S, Observer O>
class basic_robots_cache : private cache_detail::parts_holder<F, C, S, O>, public cache_controls {
 public:
  /// Makes a cache from its parts. Starts to watch the shared store, if there is one. Throws
  /// `std::invalid_argument` if options contradict each other. The message says what to change.
  explicit basic_robots_cache(cache_options options, F fetcher = {}, C clock = {}, S storage = {},
                              O observer = {})
      : holder{{std::move(fetcher), std::move(clock), std::move(storage), std::move(observer)}},
        cache_controls(std::move(options), holder::parts_,
                       cache_detail::shared_by(parts_.storage)) {
    if constexpr (detail::ObserverOf<O, drop_event> && requires { parts_.storage.on_drop({}); }) {
      parts_.storage.on_drop([this](std::string_view key, bool expired) {
        parts_.tell(drop_event{parts_.about(key), expired});
      });
    }
  }

  basic_robots_cache(const basic_robots_cache&) = delete;
  basic_robots_cache& operator=(const basic_robots_cache&) = delete;

  /// Stops the background threads and waits for them.
  ~basic_robots_cache() = default;

  /// Returns the policy of a site. The argument is a URL, a host or `host:port`. The result is
  /// never null. For an excluded host, and for a text that names no site, the policy denies
  /// everything. For an excluded host, the call is counted as a decision, and the observer gets
  /// this decision.
  ///
  /// If the call is stopped or its time runs out during the fetch, the result is the fallback
  /// policy for `outcome::cancelled`, which the cache does not keep. The fetch continues for later
  /// calls (`cache_options::finish_abandoned`).
  [[nodiscard]] std::shared_ptr<const policy> get(std::string_view host_or_url,
                                                  const call_options& call = {}) {
    const std::size_t agent = agent_of(call);
    const std::string_view key = first_key(host_or_url);
    cache_detail::found known = parts_.find_fresh(key, call.context);
    if (!known.policy) {
      known = load_for_user(host_or_url, key, call);
    }
    return cache_detail::selected(std::move(known), agent).policy;
  }

  /// Decides whether the crawler may fetch `url`, with the reason.
  [[nodiscard]] decision check(std::string_view url, const call_options& call = {}) {
    const std::size_t agent = agent_of(call);
    const std::string_view key = first_key(url);
    cache_detail::found known = parts_.find_fresh(key, call.context);
    const bool is_kept = known.policy != nullptr;
    decision decided = is_kept ? decide(detail::target_behind_key(url, key),
                                        cache_detail::selected(std::move(known), agent))
                               : decide(url, cache_detail::selected(load(url, key, call), agent));
    if constexpr (has_observer) {
      const std::string looked_up = is_kept ? std::string{} : site_of(url);
      const std::string_view site = is_kept ? key : looked_up;
      parts_.tell(
          decision_event{parts_.about(site, call.context, agent_name(agent)), url, decided});
    }
    return decided;
  }
  using cache_controls::check;

  /// Returns `check(url, call).allowed`.
  [[nodiscard]] bool allowed(std::string_view url, const call_options& call = {}) {
    return check(url, call).allowed;
  }

  /// Begins a look-up in steps, for programs that do their own network I/O, such as an event loop,
  /// or a single thread that looks up thousands of sites at once. Never blocks. See `look_up` for
  /// the steps. Uses only `context` and `user_agent` of `call`. For an excluded host, the call is
  /// counted as a decision, as in `get`. A later `check` of the same text with this look-up does
  /// not count this decision again.
  ///
  /// While you drive a look-up, do not call a blocking function for its site, since that call would
  /// wait for you. The cache renews stale policies (`cache_options::stale_while_revalidate`) and
  /// asks the shared store in background threads.
  [[nodiscard]] look_up begin(std::string_view host_or_url, const call_options& call = {}) {
    const std::string_view tried = first_key(host_or_url);
    return cache_controls::begin(host_or_url, tried, parts_.find_fresh(tried, call.context), call);
  }

  /// Drops the expired entries, and returns their number. Without this call, an expired entry stays
  /// until its site is looked up or another entry needs the room. Has no effect unless the storage
  /// has `remove_expired`, as `LruStorage` has. Takes linear time in the number of entries.
  std::size_t remove_expired() {
    if constexpr (requires { parts_.storage.remove_expired(parts_.clock.now()); }) {
      return parts_.storage.remove_expired(parts_.clock.now());
    } else {
      return 0;
    }
  }

  /// Returns the statistics of the cache. The counts are read one after another, so other threads
  /// can change some of them meanwhile.
  [[nodiscard]] cache_stats stats() const {
    const S& storage = parts_.storage;
    cache_stats result = counted();
    result.size = storage.size();
    if constexpr (requires { storage.evictions(); }) {
      result.evictions = storage.evictions();
    }
    return result;
  }

  /// Returns the octets of memory that the rules use, or an empty optional if the storage does not
  /// count the octets.
  [[nodiscard]] std::optional<std::size_t> memory_bytes() const {
    const S& storage = parts_.storage;
    if constexpr (requires { storage.memory_bytes(); }) {
      return storage.memory_bytes();
    } else {
      return std::nullopt;
    }
  }

  /// Returns the clock of the cache.
  [[nodiscard]] C& clock() noexcept { return parts_.clock; }

 private:
  using holder = cache_detail::parts_holder<F, C, S, O>;
  using holder::parts_;
  static constexpr bool has_observer = cache_detail::own_parts<F, C, S, O>::has_observer;
};

}  // namespace robots
