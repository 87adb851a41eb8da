#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::detail {

/// Work on one key that is under way. Somebody does it, others wait for it.
class flight {
 public:
  /// With `finishes_alone`, it goes on when nobody waits for it any more.
  explicit flight(std::string_view site, bool finishes_alone = false)
      : site_(site), finishes_alone_(finishes_alone) {}

  /// The site that is fetched, by `site::key`.
  [[nodiscard]] const std::string& site() const noexcept { return site_; }

  /// From now on the result is only for those who wait already.
  void detach() noexcept { detached_ = true; }

  /// The result is not wanted in the cache.
  [[nodiscard]] bool detached() const noexcept { return detached_; }

  /// Requested when nobody wants the result any more.
  [[nodiscard]] std::stop_token stop() const noexcept { return stop_.get_token(); }

  /// Nobody wants the result any more.
  void request_stop() noexcept { stop_.request_stop(); }

  /// One more waits.
  void take_seat() {
    const std::scoped_lock lock{mutex_};
    ++waiting_;
  }

  /// One waits no more; after the last one, nobody wants the result.
  void leave_seat() noexcept {
    bool last = false;
    {
      const std::scoped_lock lock{mutex_};
      last = --waiting_ == 0 && !landed_ && !finishes_alone_;
    }
    if (last) {
      request_stop();
    }
  }

  /// Ends the flight. A null result means that it was given up: whoever still waits starts anew.
  void land(std::shared_ptr<const policy> result) {
    std::vector<std::function<void()>> wake;
    {
      const std::scoped_lock lock{mutex_};
      landed_ = true;
      result_ = std::move(result);
      wake.swap(wake_);
      changed_.notify_all();
    }
    for (const auto& each : wake) {
      each();
    }
  }

  /// What it ended with; nothing while it is under way.
  [[nodiscard]] std::optional<std::shared_ptr<const policy>> landed() const {
    const std::scoped_lock lock{mutex_};
    return landed_ ? std::optional{result_} : std::nullopt;
  }

  /// Calls `wake` once it has ended, from the thread that ends it; at once if it has.
  void on_landed(std::function<void()> wake) {
    {
      const std::scoped_lock lock{mutex_};
      if (!landed_) {
        wake_.push_back(std::move(wake));
        return;
      }
    }
    wake();
  }

  /// Waits for the end; nothing when `stop` or the deadline came first.
  template <Clock C>
  [[nodiscard]] std::optional<std::shared_ptr<const policy>> wait(
      C& clock, const std::stop_token& stop, const std::optional<time_point>& deadline) {
    std::unique_lock lock{mutex_};
    static_cast<void>(changed_.wait(lock, clock, deadline, stop, [this] { return landed_; }));
    return landed_ ? std::optional{result_} : std::nullopt;
  }

 private:
  const std::string site_;
  const bool finishes_alone_;
  std::stop_source stop_;
  std::atomic<bool> detached_ = false;
  mutable std::mutex mutex_;
  clock_condition changed_;
  std::vector<std::function<void()>> wake_;
  std::size_t waiting_ = 0;
  bool landed_ = false;
  std::shared_ptr<const policy> result_;
};

/// A place among those who wait for a flight.
class seat {
 public:
  seat() = default;
  explicit seat(std::shared_ptr<flight> in) : flight_(std::move(in)) { flight_->take_seat(); }
  seat(seat&&) noexcept = default;
  seat& operator=(seat&& other) noexcept {
    if (this != &other) {
      leave();
      flight_ = std::move(other.flight_);
    }
    return *this;
  }
  ~seat() { leave(); }

  [[nodiscard]] explicit operator bool() const noexcept { return flight_ != nullptr; }
  [[nodiscard]] flight* operator->() const noexcept { return flight_.get(); }

 private:
  void leave() noexcept {
    if (flight_) {
      flight_->leave_seat();
      flight_.reset();
    }
  }

  std::shared_ptr<flight> flight_;
};

}  // namespace robots::detail
