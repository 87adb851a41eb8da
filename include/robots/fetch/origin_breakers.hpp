#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/fetch/breaker_options.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace robots::detail {

/// A circuit breaker for each origin, shared by all retrievals of a crawler.
///
/// Remembers at most 65,536 origins, and only origins whose last request failed. In a full table, a
/// new origin replaces one whose breaker is closed or whose cooldown is over. If there is no such
/// origin, the new origin gets no breaker. Any thread may call any member. `open` takes linear
/// time, other members logarithmic time.
class origin_breakers {
 public:
  /// Receives each change of a breaker's state, in the thread that causes it. It must not throw.
  using change_listener = std::function<void(std::string_view origin, breaker_state now)>;

  /// Throws `std::invalid_argument` if an option is negative.
  explicit origin_breakers(breaker_options options = {}, change_listener listener = {})
      : options_{options}, listener_{std::move(listener)} {
    validate(options);
  }

  /// Returns true if a request may be sent to `origin` now; see `circuit_breaker::admits`.
  [[nodiscard]] bool admits(std::string_view origin, time_point now) {
    return change(origin,
                  [now](state* found) { return found == nullptr || found->breaker.admits(now); });
  }

  /// Closes the breaker of `origin` after the success of a permitted request.
  void on_success(std::string_view origin) {
    change(origin, [&](state* /*found*/) { return origins_.erase(origin); });
  }

  /// Handles the failure of a permitted request. `answered` is true after a response, such as 500.
  void on_failure(std::string_view origin, time_point now, bool answered = false) {
    if (options_.failures == 0) {
      return;
    }
    change(origin, [&](state* found) {
      if (found == nullptr) {
        // A full table may drop an entry that is not needed at `now`. A table with room must keep
        // all entries, so the call passes a time at which every entry is needed.
        const bool full = origins_.size() == most;
        found = origins_.find_or_add(origin, full ? now : (time_point::min)(), &needed_until);
        if (found == nullptr) {
          return false;
        }
        found->breaker = circuit_breaker{options_};
      }
      found->breaker.on_failure(now);
      found->failed_at = now;
      found->answered = answered;
      return true;
    });
  }

  /// Handles a request that ended without a result. `admits` permitted this request at `admitted`.
  /// Has an effect only if the request is the current probe.
  void on_abandoned(std::string_view origin, time_point admitted) {
    const time_point probe_until = base::saturating_add(admitted, options_.cooldown);
    change(origin, [&](state* found) {
      const bool is_probe = found != nullptr && found->breaker.open_until() == probe_until;
      if (is_probe) {
        found->breaker.on_abandoned(admitted);
        origins_.forget_after(*found, needed_until(*found));
      }
      return is_probe;
    });
  }

  /// Returns true if the last request to `origin` failed, but got a response.
  [[nodiscard]] bool answered(std::string_view origin) const {
    const std::scoped_lock lock{mutex_};
    const state* const found = origins_.find(origin);
    return found != nullptr && found->answered;
  }

  /// Returns the number of origins whose breaker is not closed.
  [[nodiscard]] std::size_t open() const {
    const std::scoped_lock lock{mutex_};
    std::size_t count = 0;
    origins_.for_each([&count](std::string_view, const state& watched) {
      count += watched.breaker.state() == breaker_state::closed ? 0U : 1U;
    });
    return count;
  }

 private:
  static constexpr std::size_t most = 65'536;

  struct state {
    circuit_breaker breaker{};
    time_point failed_at{};
    bool answered = false;
  };

  /// Returns the end of the cooldown. If there is none, returns the time of the last failure.
  [[nodiscard]] static time_point needed_until(const state& watched) noexcept {
    return (std::max)(watched.failed_at, watched.breaker.open_until());
  }

  /// Calls `work` with the state of `origin`, or with null, and returns the result. If the state of
  /// the breaker changes, calls the listener afterwards.
  template <class Work>
  bool change(std::string_view origin, const Work& work) {
    const auto state_now = [&] {
      const state* const found = origins_.find(origin);
      return found == nullptr ? breaker_state::closed : found->breaker.state();
    };
    std::unique_lock lock{mutex_};
    const breaker_state before = state_now();
    const bool result = work(origins_.find(origin));
    const breaker_state after = state_now();
    lock.unlock();
    if (listener_ && after != before) {
      listener_(origin, after);
    }
    return result;
  }

  const breaker_options options_;
  const change_listener listener_;
  mutable std::mutex mutex_;
  base::site_table<state> origins_{most};
};

}  // namespace robots::detail
