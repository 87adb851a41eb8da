// The common parts of the cache's tests: a crawler, a scripted web, and observers.
#pragma once

#include "support/gate.hpp"
#include "support/site_rules.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

namespace robots::test {

inline constexpr const char* secret = "https://example.com/private/x";
inline constexpr const char* robots_url = "https://example.com/robots.txt";

/// A crawler with the default options of the library and a fixed seed.
[[nodiscard]] inline cache_options foo_bot(
    robots::detail::any_fallback_policy fallback = fallback_policy::rfc9309()) {
  return {.user_agent = "FooBot/1.0 (+https://foo.example/bot)",
          .fallback = std::move(fallback),
          .seed = 1};
}

/// The options of `foo_bot` without retries and circuit breaker, for tests that count requests.
/// Every failure is remembered for the same time.
[[nodiscard]] inline cache_options foo_bot_that_asks_once(
    robots::detail::any_fallback_policy fallback = fallback_policy::rfc9309()) {
  cache_options options = foo_bot(std::move(fallback));
  options.retry.attempts = 1;
  options.breaker.failures = 0;
  options.max_failure_ttl = std::chrono::seconds{0};
  options.failure_jitter = 0.0;
  return options;
}

[[nodiscard]] inline fetch_response ok(std::string_view body = rules,
                                       std::vector<http_header> headers = {}) {
  return ScriptedFetcher::ok(std::string{body}, std::move(headers));
}

/// Returns the outcome of the retrieval that a decision is based on.
[[nodiscard]] inline std::string outcome_of(const decision& answer) {
  return std::string{to_string(answer.policy->last_retrieval().outcome)};
}

[[nodiscard]] inline std::string reason_of(const decision& answer) {
  return std::string{to_string(answer.reason)};
}

/// Answers a request with `answer` once `door` is open.
[[nodiscard]] inline auto behind(gate& door, fetch_response answer = ok()) {
  return [&door, answer = std::move(answer)](const fetch_request&) {
    door.pass();
    return answer;
  };
}

using scripted_cache = basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<64>>;

/// A cache over a scripted web, with its own clock.
struct scripted {
  explicit scripted(cache_options options = foo_bot()) : cache(std::move(options), web, clock) {}

  /// Answers the request of a look-up.
  void answer(look_up& work) { work.on_response(web.fetch(std::get<fetch_request>(work.next()))); }

  /// Drives a look-up as far as possible without waiting, like an event loop.
  void drive(look_up& work) {
    for (;;) {
      const look_up::step step = work.next();
      if (std::holds_alternative<fetch_request>(step)) {
        answer(work);
      } else if (const auto* const pause = std::get_if<look_up::retry_wait>(&step)) {
        clock.sleep_until(pause->until, pause->stop);
        work.on_wait_over();
      } else {
        return;
      }
    }
  }

  ScriptedFetcher web;
  ManualClock clock;
  scripted_cache cache;
};

/// A storage that counts the threads that have searched without success. Copies share everything.
class WatchedStorage {
 public:
  [[nodiscard]] std::optional<cache_entry> find(std::string_view key, time_point now) {
    auto found = shared_->storage.find(key, now);
    const std::scoped_lock lock{shared_->mutex};
    shared_->looked[std::string{key}].insert(std::this_thread::get_id());
    if (!found) {
      shared_->missed.insert(std::this_thread::get_id());
    }
    shared_->changed.notify_all();
    return found;
  }
  void store(std::string_view key, const cache_entry& entry, time_point now) {
    shared_->storage.store(key, entry, now);
  }
  void erase(std::string_view key) { shared_->storage.erase(key); }
  void clear() { shared_->storage.clear(); }
  [[nodiscard]] std::size_t size() const { return shared_->storage.size(); }

  /// Waits until `threads` threads have looked for `key`.
  void wait_for_looks(const std::string& key, std::size_t threads) const {
    std::unique_lock lock{shared_->mutex};
    shared_->changed.wait(lock, [&] { return shared_->looked[key].size() >= threads; });
  }

  /// Waits until `threads` threads have searched without success.
  void wait_for_misses(std::size_t threads) const {
    std::unique_lock lock{shared_->mutex};
    shared_->changed.wait(lock, [&] { return shared_->missed.size() >= threads; });
  }

 private:
  struct state {
    LruStorage<64> storage;
    std::mutex mutex;
    std::condition_variable changed;
    std::set<std::thread::id> missed;
    std::map<std::string, std::set<std::thread::id>> looked;
  };
  std::shared_ptr<state> shared_ = std::make_shared<state>();
};

static_assert(Storage<WatchedStorage>);

/// A cache over a scripted web, with a `WatchedStorage` and a gate for its answers.
struct watched {
  explicit watched(cache_options options = foo_bot())
      : cache(std::move(options), web, clock, storage) {}

  gate door;
  ScriptedFetcher web;
  ManualClock clock;
  WatchedStorage storage;
  basic_robots_cache<ScriptedFetcher, ManualClock, WatchedStorage> cache;
};

}  // namespace robots::test

// Code that several programs use is compiled once, in cache_fixture.cpp and
// cache_fixture_steady.cpp.
extern template class robots::basic_robots_cache<robots::ScriptedFetcher>;
extern template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock>;
extern template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                                 robots::LruStorage<64>>;
extern template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::SteadyClock,
                                                 robots::test::WatchedStorage>;
extern template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                                 robots::test::WatchedStorage>;
