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
/// Has only origins whose last request failed, at most 65,536. If there are more, it forgets an
/// origin whose breaker is closed. If all are open, the new origin has no breaker. Any thread may
/// call any member. `open` is linear in the origins; the others take logarithmic time.
class origin_breakers {
 public:
  /// Gets each change of a breaker, in the thread that causes it. Must not throw.
  using change_listener = std::function<void(std::string_view origin, breaker_state now)>;

  /// Makes closed breakers. Throws `std::invalid_argument` if an option is negative.
  explicit origin_breakers(breaker_options options = {}, change_listener listener = {});
  origin_breakers(const origin_breakers&) = delete;
  origin_breakers& operator=(const origin_breakers&) = delete;
  ~origin_breakers();

  /// Returns true if a request may be sent to `origin` now; see `circuit_breaker::admits`. Use a
  /// `breaker_permit` for a request that may end in an exception.
  [[nodiscard]] bool admits(std::string_view origin, time_point now);

  /// Notes that a permitted request got an answer.
  void on_success(std::string_view origin);

  /// Notes that a permitted request failed: without an answer or, if it `answered`, because of the
  /// answer.
  void on_failure(std::string_view origin, time_point now, bool answered = false);

  /// Notes that a request that got permission at the time `admitted` ended without a result. Has no
  /// effect if it was not a probe, or if that probe has expired.
  void on_abandoned(std::string_view origin, time_point admitted);

  /// Returns true if `origin` sent an answer to its last failed request.
  [[nodiscard]] bool answered(std::string_view origin) const;

  /// Returns the time until which `origin` gets no requests, or an empty optional if it may get one
  /// now.
  [[nodiscard]] std::optional<time_point> open_until(std::string_view origin, time_point now) const;

  /// Returns the number of origins whose breaker is not closed.
  [[nodiscard]] std::size_t open() const;

 private:
  struct state;
  struct watch_list;

  breaker_options options_;
  change_listener listener_;
  std::unique_ptr<watch_list> watched_;
};

/// Permission for one request from the breaker of its origin. It lasts until the result is known.
///
/// Dropped before that, it has no effect on the origin. If it was for the probe, the next request
/// may be the probe.
class breaker_permit {
 public:
  /// Asks for permission at the time `now`. Returns an empty optional if the breaker is open.
  [[nodiscard]] static std::optional<breaker_permit> take(std::shared_ptr<origin_breakers> breakers,
                                                          std::string origin, time_point now);

  breaker_permit(breaker_permit&&) noexcept = default;
  /// Cancels its permission and takes over that of `other`.
  breaker_permit& operator=(breaker_permit&& other) noexcept;
  ~breaker_permit();

  /// Notes that the origin answered.
  void succeed();

  /// Notes a failure: see `origin_breakers::on_failure`.
  void fail(time_point now, bool answered);

 private:
  breaker_permit(std::shared_ptr<origin_breakers> breakers, std::string origin,
                 time_point taken) noexcept
      : breakers_{std::move(breakers)}, origin_{std::move(origin)}, taken_{taken} {}

  std::shared_ptr<origin_breakers> breakers_;  // null once the result is known
  std::string origin_;
  time_point taken_;
};

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/origin_breakers.ipp>
#endif
