#pragma once

#include <robots/base/config.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/fetch/origin_breakers.hpp>

#include <algorithm>
#include <mutex>

namespace robots::detail {

struct origin_breakers::state {
  circuit_breaker breaker{};
  time_point failed_at{};
  bool answered = false;

  /// The end of its cooldown. Without one, the time of its failure, so that the first to fail is
  /// forgotten first.
  [[nodiscard]] static time_point needed_until(const state& watched) noexcept {
    return (std::max)(watched.failed_at, watched.breaker.open_until());
  }
};

struct origin_breakers::watch_list {
  static constexpr std::size_t most = 65'536;

  base::site_table<state> origins{most};
  mutable std::mutex mutex{};

  [[nodiscard]] breaker_state state_of(std::string_view origin) const noexcept {
    const state* const found = origins.find(origin);
    return found == nullptr ? breaker_state::closed : found->breaker.state();
  }

  /// Calls `work`, which returns a bool, and reports the change of the breaker.
  template <class Work>
  bool change(std::string_view origin, const change_listener& listener, const Work& work) {
    std::unique_lock lock{mutex};
    const breaker_state before = state_of(origin);
    const bool result = work();
    const breaker_state after = state_of(origin);
    lock.unlock();
    if (listener && after != before) {
      listener(origin, after);
    }
    return result;
  }
};

ROBOTS_INLINE origin_breakers::origin_breakers(breaker_options options, change_listener listener)
    : options_{options}, listener_{std::move(listener)}, watched_{std::make_unique<watch_list>()} {
  validate(options);
}

ROBOTS_INLINE origin_breakers::~origin_breakers() = default;

ROBOTS_INLINE bool origin_breakers::admits(std::string_view origin, time_point now) {
  return watched_->change(origin, listener_, [&] {
    state* const found = watched_->origins.find(origin);
    return found == nullptr || found->breaker.admits(now);
  });
}

ROBOTS_INLINE void origin_breakers::on_success(std::string_view origin) {
  watched_->change(origin, listener_, [&] { return watched_->origins.erase(origin); });
}

ROBOTS_INLINE void origin_breakers::on_failure(std::string_view origin, time_point now,
                                               bool answered) {
  if (options_.failures == 0) {
    return;
  }
  watched_->change(origin, listener_, [&] {
    base::site_table<state>& origins = watched_->origins;
    state* found = origins.find(origin);
    if (found == nullptr) {
      // No entry is dropped while there is room.
      const bool full = origins.size() == watch_list::most;
      found = origins.find_or_add(origin, full ? now : (time_point::min)(), &state::needed_until);
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

ROBOTS_INLINE void origin_breakers::on_abandoned(std::string_view origin, time_point admitted) {
  watched_->change(origin, listener_, [&] {
    state* const found = watched_->origins.find(origin);
    const bool is_probe = found != nullptr && found->breaker.open_until() ==
                                                  base::saturating_add(admitted, options_.cooldown);
    if (is_probe) {
      found->breaker.on_abandoned(admitted);
      watched_->origins.forget_after(*found, state::needed_until(*found));
    }
    return is_probe;
  });
}

ROBOTS_INLINE bool origin_breakers::answered(std::string_view origin) const {
  const std::scoped_lock lock{watched_->mutex};
  const state* const found = watched_->origins.find(origin);
  return found != nullptr && found->answered;
}

ROBOTS_INLINE std::optional<time_point> origin_breakers::open_until(std::string_view origin,
                                                                    time_point now) const {
  const std::scoped_lock lock{watched_->mutex};
  const state* const found = watched_->origins.find(origin);
  if (found == nullptr || found->breaker.open_until() <= now) {
    return std::nullopt;
  }
  return found->breaker.open_until();
}

ROBOTS_INLINE std::size_t origin_breakers::open() const {
  const std::scoped_lock lock{watched_->mutex};
  std::size_t count = 0;
  watched_->origins.for_each([&count](std::string_view, const state& watched) {
    count += watched.breaker.state() == breaker_state::closed ? 0U : 1U;
  });
  return count;
}

ROBOTS_INLINE std::optional<breaker_permit> breaker_permit::take(
    std::shared_ptr<origin_breakers> breakers, std::string origin, time_point now) {
  if (!breakers->admits(origin, now)) {
    return std::nullopt;
  }
  return breaker_permit{std::move(breakers), std::move(origin), now};
}

ROBOTS_INLINE breaker_permit& breaker_permit::operator=(breaker_permit&& other) noexcept {
  std::swap(breakers_, other.breakers_);
  std::swap(origin_, other.origin_);
  std::swap(taken_, other.taken_);
  return *this;
}

ROBOTS_INLINE breaker_permit::~breaker_permit() {
  if (breakers_) {
    breakers_->on_abandoned(origin_, taken_);
  }
}

ROBOTS_INLINE void breaker_permit::succeed() {
  std::exchange(breakers_, nullptr)->on_success(origin_);
}

ROBOTS_INLINE void breaker_permit::fail(time_point now, bool answered) {
  std::exchange(breakers_, nullptr)->on_failure(origin_, now, answered);
}

}  // namespace robots::detail
