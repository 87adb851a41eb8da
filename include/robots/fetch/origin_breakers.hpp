#pragma once

#include <robots/fetch/circuit_breaker.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::detail {

/// A circuit breaker for each origin, shared by all retrievals of a crawler.
///
/// Remembers only origins whose last request failed, at most 65,536. For a further one, it forgets
/// an origin whose breaker is closed now; if all are open, it does not watch the further one. Any
/// thread may call any member. `open` is linear in the origins; the others take logarithmic time.
class origin_breakers {
 public:
  /// Called with each change of a breaker, by the thread that causes it. Does not throw.
  using change_listener = std::function<void(std::string_view origin, breaker_state now)>;

  /// Makes closed breakers. Throws `std::invalid_argument` if an option is negative.
  explicit origin_breakers(breaker_options options = {}, change_listener listener = {});
  origin_breakers(const origin_breakers&) = delete;
  origin_breakers& operator=(const origin_breakers&) = delete;
  ~origin_breakers();

  /// Returns true if a request may be sent to `origin` now; see `circuit_breaker::admits`, and
  /// `breaker_permit` for a request that may end in an exception.
  [[nodiscard]] bool admits(std::string_view origin, time_point now);

  /// An admitted request got an answer.
  void on_success(std::string_view origin);

  /// Notes that an admitted request failed: without an answer or, if it `answered`, because of that
  /// answer.
  void on_failure(std::string_view origin, time_point now, bool answered = false);

  /// A request that was admitted at the time `admitted` ended in a way that says nothing of the
  /// origin. Without effect when it was no probe, or one that no longer counts.
  void on_abandoned(std::string_view origin, time_point admitted);

  /// Returns true if `origin` could be reached when a request to it failed last.
  [[nodiscard]] bool answered(std::string_view origin) const;

  /// Returns the time until which `origin` gets no requests, or an empty optional if it may be
  /// asked now.
  [[nodiscard]] std::optional<time_point> open_until(std::string_view origin, time_point now) const;

  /// Number of origins whose breaker is not closed.
  [[nodiscard]] std::size_t open() const;

 private:
  struct state;
  struct watch_list;

  breaker_options options_;
  change_listener listener_;
  std::unique_ptr<watch_list> watched_;
};

/// The permission of an origin's breaker for one request, held until its result is known.
///
/// A permission that is dropped before that has no effect on the origin: if it was for the probe,
/// the next request may be it.
class breaker_permit {
 public:
  /// Asks for permission at the time `now`. Returns an empty optional if the breaker is open.
  [[nodiscard]] static std::optional<breaker_permit> take(std::shared_ptr<origin_breakers> breakers,
                                                          std::string origin, time_point now);

  breaker_permit(breaker_permit&&) noexcept = default;
  /// Returns its own permission and takes that of `other`.
  breaker_permit& operator=(breaker_permit&& other) noexcept;
  ~breaker_permit();

  /// The origin gave an answer.
  void succeed();

  /// It failed: see `origin_breakers::on_failure`.
  void fail(time_point now, bool answered);

 private:
  breaker_permit(std::shared_ptr<origin_breakers> breakers, std::string origin,
                 time_point taken) noexcept
      : breakers_{std::move(breakers)}, origin_{std::move(origin)}, taken_{taken} {}

  std::shared_ptr<origin_breakers> breakers_;  // null once it is settled
  std::string origin_;
  time_point taken_;
};

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/origin_breakers.ipp>
#endif
