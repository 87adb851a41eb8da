#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/text_hash.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

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
/// it forgets, once a cooldown, those that are not kept waiting now; an origin that fails while
/// there is still no room is not watched. All members may be called from any thread. They take
/// constant time on average, but for `open`, which is linear in what is remembered.
class origin_breakers {
 public:
  /// All closed. Throws `std::invalid_argument` when an option is negative.
  explicit origin_breakers(breaker_options options = {}) : options_{options} {
    if (options.failures < 0 || options.cooldown.count() < 0) {
      throw std::invalid_argument{
          "breaker.failures and breaker.cooldown are not negative: use 0 failures for no breaker"};
    }
  }

  /// Whether a request may be sent to `origin` now; see `circuit_breaker::admits`, and
  /// `breaker_permit` for a request that may end in an exception.
  [[nodiscard]] bool admits(std::string_view origin, time_point now) {
    const std::scoped_lock lock{mutex_};
    const auto found = watched_.find(origin);
    return found == watched_.end() || found->second.breaker.admits(now);
  }

  /// An admitted request got an answer.
  void on_success(std::string_view origin) {
    const std::scoped_lock lock{mutex_};
    if (const auto found = watched_.find(origin); found != watched_.end()) {
      watched_.erase(found);
    }
  }

  /// An admitted request failed: for want of an answer or, when it `answered`, by what that says.
  void on_failure(std::string_view origin, time_point now, bool answered = false) {
    if (options_.failures == 0) {
      return;
    }
    const std::scoped_lock lock{mutex_};
    auto found = watched_.find(origin);
    if (found == watched_.end()) {
      if (watched_.size() == most_watched && !make_room(now)) {
        return;
      }
      found = watched_.emplace(std::string{origin}, state{circuit_breaker{options_}}).first;
    }
    found->second.breaker.on_failure(now);
    found->second.answered = answered;
  }

  /// An admitted request ended in a way that says nothing of the origin.
  void on_abandoned(std::string_view origin, time_point now) {
    const std::scoped_lock lock{mutex_};
    if (const auto found = watched_.find(origin); found != watched_.end()) {
      found->second.breaker.on_abandoned(now);
    }
  }

  /// Whether `origin` could be reached when a request to it failed last.
  [[nodiscard]] bool answered(std::string_view origin) const {
    const std::scoped_lock lock{mutex_};
    const auto found = watched_.find(origin);
    return found != watched_.end() && found->second.answered;
  }

  /// Until when `origin` is left alone; nothing when it may be asked now.
  [[nodiscard]] std::optional<time_point> open_until(std::string_view origin,
                                                     time_point now) const {
    const std::scoped_lock lock{mutex_};
    const auto found = watched_.find(origin);
    if (found == watched_.end() || found->second.breaker.open_until() <= now) {
      return std::nullopt;
    }
    return found->second.breaker.open_until();
  }

  /// Forgets what happened at `origin`.
  void reset(std::string_view origin) { on_success(origin); }

  /// Number of origins whose breaker is not closed.
  [[nodiscard]] std::size_t open() const {
    const std::scoped_lock lock{mutex_};
    std::size_t count = 0;
    for (const auto& [origin, each] : watched_) {
      count += each.breaker.state() == breaker_state::closed ? 0 : 1;
    }
    return count;
  }

 private:
  static constexpr std::size_t most_watched = 65'536;

  struct state {
    circuit_breaker breaker;
    bool answered = false;
  };

  [[nodiscard]] bool make_room(time_point now) {
    if (now < next_clearing_) {
      return false;
    }
    next_clearing_ = detail::saturating_add(now, options_.cooldown);
    boost::unordered::erase_if(
        watched_, [now](const auto& each) { return each.second.breaker.open_until() <= now; });
    return watched_.size() < most_watched;
  }

  breaker_options options_;
  time_point next_clearing_{};
  mutable std::mutex mutex_;
  boost::unordered_flat_map<std::string, state, detail::text_hash, std::equal_to<>> watched_;
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
