#pragma once

#include <robots/http/detail/text_hash.hpp>
#include <robots/store/policy.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace robots::detail {

/// Work on one key that is under way. One thread does it, others wait for it.
class flight {
 public:
  explicit flight(std::string_view site) : site_(site) {}

  /// The site that is fetched, by `site::key`.
  [[nodiscard]] const std::string& site() const noexcept { return site_; }

  /// From now on the result is only for those who wait already.
  void detach() noexcept { detached_ = true; }

  /// The result is not wanted in the cache.
  [[nodiscard]] bool detached() const noexcept { return detached_; }

  /// Ends the flight. A null result means that it was given up: whoever still waits starts anew.
  void land(std::shared_ptr<const policy> result) {
    const std::scoped_lock lock{mutex_};
    landed_ = true;
    result_ = std::move(result);
    changed_.notify_all();
  }

  /// Waits for the end; nothing when `stop` or the deadline came first.
  template <Clock C>
  [[nodiscard]] std::optional<std::shared_ptr<const policy>> wait(
      C& clock, const std::stop_token& stop, const std::optional<time_point>& deadline) {
    std::unique_lock lock{mutex_};
    const auto landed = [this] { return landed_; };
    while (!landed_) {
      if (stop.stop_requested()) {
        return std::nullopt;
      }
      if (!deadline) {
        changed_.wait(lock, stop, landed);
        continue;
      }
      const time_point now = clock.now();
      if (now >= *deadline) {
        return std::nullopt;
      }
      // In steps: the wait adds to the time that is now, which overflows near the end of time.
      constexpr time_point::duration step = std::chrono::hours{1};
      changed_.wait_for(lock, stop, std::min(*deadline - now, step), landed);
    }
    return result_;
  }

 private:
  std::string site_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool landed_ = false;
  std::atomic<bool> detached_ = false;
  std::shared_ptr<const policy> result_;
};

/// Lets at most one thread at a time work on a key.
class single_flight {
 public:
  /// One thread's part in a flight.
  class ticket {
   public:
    ticket(single_flight& owner, std::string_view key, std::shared_ptr<flight> where, bool leads)
        : owner_(owner), key_(key), flight_(std::move(where)), leads_(leads) {}
    ticket(const ticket&) = delete;
    ticket& operator=(const ticket&) = delete;
    ~ticket() {
      if (leads_) {
        land(nullptr);
      }
    }

    /// This thread is the one to do the work, and must call `land`.
    [[nodiscard]] bool leads() const noexcept { return leads_; }
    /// The work, whoever does it.
    [[nodiscard]] flight& under_way() const noexcept { return *flight_; }

    /// Hands the result to everyone who waits. From here on a new flight can begin.
    void land(std::shared_ptr<const policy> result) {
      leads_ = false;
      owner_.remove(key_, flight_);
      flight_->land(std::move(result));
    }

   private:
    single_flight& owner_;
    std::string_view key_;
    std::shared_ptr<flight> flight_;
    bool leads_;
  };

  /// Joins the flight on `key`, or begins one that fetches `site`. `key` must outlive the ticket.
  [[nodiscard]] ticket join(std::string_view key, std::string_view site = {}) {
    const std::scoped_lock lock{mutex_};
    if (const auto found = flights_.find(key); found != flights_.end()) {
      return {*this, key, found->second, false};
    }
    auto begun = std::make_shared<flight>(site);
    flights_.emplace(key, begun);
    return {*this, key, std::move(begun), true};
  }

  /// Detaches the flight on `key`, if there is one: the next thread begins a new one.
  void detach(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    const auto found = flights_.find(key);
    if (found == flights_.end()) {
      return;
    }
    found->second->detach();
    flights_.erase(found);
  }

  /// Detaches every flight.
  void detach_all() {
    const std::scoped_lock lock{mutex_};
    for (const auto& [key, under_way] : flights_) {
      under_way->detach();
    }
    flights_.clear();
  }

 private:
  void remove(std::string_view key, const std::shared_ptr<flight>& which) {
    const std::scoped_lock lock{mutex_};
    const auto found = flights_.find(key);
    if (found != flights_.end() && found->second == which) {
      flights_.erase(found);
    }
  }

  std::mutex mutex_;
  boost::unordered_flat_map<std::string, std::shared_ptr<flight>, text_hash, std::equal_to<>>
      flights_;
};

}  // namespace robots::detail
