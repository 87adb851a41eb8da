#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// A circuit breaker for each origin, shared by all retrievals of a crawler.
///
/// Remembers only origins whose last request failed, 65,536 of them at most. When there are more,
/// it forgets one that is not kept waiting now; an origin that fails while there is no such one is
/// not watched. All members may be called from any thread. They take logarithmic time, but for
/// `open`, which is linear in what is remembered.
class origin_breakers {
 public:
  /// Called with each change of a breaker, by the thread that causes it. Does not throw.
  using change_listener = std::function<void(std::string_view origin, breaker_state now)>;

  /// All closed. Throws `std::invalid_argument` when an option is negative.
  explicit origin_breakers(breaker_options options = {}, change_listener listener = {})
      : options_{options}, listener_{std::move(listener)} {
    if (options.failures < 0 || options.cooldown.count() < 0) {
      throw std::invalid_argument{
          "breaker.failures and breaker.cooldown are not negative: use 0 failures for no breaker"};
    }
  }

  /// Whether a request may be sent to `origin` now; see `circuit_breaker::admits`, and
  /// `breaker_permit` for a request that may end in an exception.
  [[nodiscard]] bool admits(std::string_view origin, time_point now) {
    return change(origin, [&] {
      state* const found = watched_.find(origin);
      return found == nullptr || found->breaker.admits(now);
    });
  }

  /// An admitted request got an answer.
  void on_success(std::string_view origin) {
    change(origin, [&] { return watched_.erase(origin); });
  }

  /// An admitted request failed: for want of an answer or, when it `answered`, by what that says.
  void on_failure(std::string_view origin, time_point now, bool answered = false) {
    if (options_.failures == 0) {
      return;
    }
    change(origin, [&] {
      state* found = watched_.find(origin);
      if (found == nullptr) {
        // While there is room, nothing is forgotten.
        const bool full = watched_.size() == most_watched;
        found = watched_.find_or_add(origin, full ? now : time_point::min(), &state::needed_until);
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

  /// A request that was admitted at the time `admitted` ended in a way that says nothing of the
  /// origin. Without effect when it was no probe, or one that no longer counts.
  void on_abandoned(std::string_view origin, time_point admitted) {
    change(origin, [&] {
      state* const found = watched_.find(origin);
      const bool is_probe =
          found != nullptr &&
          found->breaker.open_until() == base::saturating_add(admitted, options_.cooldown);
      if (is_probe) {
        found->breaker.on_abandoned(admitted);
        watched_.forget_after(*found, state::needed_until(*found));
      }
      return is_probe;
    });
  }

  /// Whether `origin` could be reached when a request to it failed last.
  [[nodiscard]] bool answered(std::string_view origin) const {
    const std::scoped_lock lock{mutex_};
    const state* const found = watched_.find(origin);
    return found != nullptr && found->answered;
  }

  /// Until when `origin` is left alone; nothing when it may be asked now.
  [[nodiscard]] std::optional<time_point> open_until(std::string_view origin,
                                                     time_point now) const {
    const std::scoped_lock lock{mutex_};
    const state* const found = watched_.find(origin);
    if (found == nullptr || found->breaker.open_until() <= now) {
      return std::nullopt;
    }
    return found->breaker.open_until();
  }

  /// Number of origins whose breaker is not closed.
  [[nodiscard]] std::size_t open() const {
    const std::scoped_lock lock{mutex_};
    std::size_t count = 0;
    watched_.for_each([&count](std::string_view, const state& watched) {
      count += watched.breaker.state() == breaker_state::closed ? 0 : 1;
    });
    return count;
  }

 private:
  static constexpr std::size_t most_watched = 65'536;

  struct state {
    circuit_breaker breaker{};
    time_point failed_at{};
    bool answered = false;

    /// Until when it is kept waiting; else, so that the first to fail is the first forgotten, since
    /// when it has failed.
    [[nodiscard]] static time_point needed_until(const state& watched) noexcept {
      return std::max(watched.failed_at, watched.breaker.open_until());
    }
  };

  [[nodiscard]] breaker_state state_of(std::string_view origin) const noexcept {
    const state* const found = watched_.find(origin);
    return found == nullptr ? breaker_state::closed : found->breaker.state();
  }

  /// Does `work`, which gives a bool, and tells of the change that it makes.
  template <class Work>
  bool change(std::string_view origin, const Work& work) {
    std::unique_lock lock{mutex_};
    const breaker_state before = state_of(origin);
    const bool result = work();
    const breaker_state after = state_of(origin);
    lock.unlock();
    if (listener_ && after != before) {
      listener_(origin, after);
    }
    return result;
  }

  breaker_options options_;
  change_listener listener_;
  mutable std::mutex mutex_;
  base::site_table<state> watched_{most_watched};
};

/// The leave of an origin's breaker to ask it, held until it is known what came of that.
///
/// One that is dropped before says nothing of the origin: if it was for the probe, the next request
/// may be it.
class breaker_permit {
 public:
  /// Asks for leave at the time `now`; nothing when the breaker is open.
  [[nodiscard]] static std::optional<breaker_permit> take(std::shared_ptr<origin_breakers> breakers,
                                                          std::string origin, time_point now) {
    if (!breakers->admits(origin, now)) {
      return std::nullopt;
    }
    return breaker_permit{std::move(breakers), std::move(origin), now};
  }

  breaker_permit(breaker_permit&&) noexcept = default;
  /// Gives back what it held when `other` ends.
  breaker_permit& operator=(breaker_permit&& other) noexcept {
    std::swap(breakers_, other.breakers_);
    std::swap(origin_, other.origin_);
    std::swap(taken_, other.taken_);
    return *this;
  }
  ~breaker_permit() {
    if (breakers_) {
      breakers_->on_abandoned(origin_, taken_);
    }
  }

  /// The origin gave an answer.
  void succeed() { std::exchange(breakers_, nullptr)->on_success(origin_); }

  /// It failed: see `origin_breakers::on_failure`.
  void fail(time_point now, bool answered) {
    std::exchange(breakers_, nullptr)->on_failure(origin_, now, answered);
  }

 private:
  breaker_permit(std::shared_ptr<origin_breakers> breakers, std::string origin,
                 time_point taken) noexcept
      : breakers_{std::move(breakers)}, origin_{std::move(origin)}, taken_{taken} {}

  std::shared_ptr<origin_breakers> breakers_;  // null once it is settled
  std::string origin_;
  time_point taken_;
};

}  // namespace robots
