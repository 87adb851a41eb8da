#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/cache/detail/flight.hpp>
#include <robots/policy/policy.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace robots::detail {

/// Lets at most one party at a time work on a key.
class single_flight {
 public:
  /// The duty to end a flight. Dropped, it gives the flight up.
  class ticket {
   public:
    ticket() = default;
    ticket(single_flight& owner, std::string key, std::shared_ptr<flight> where) noexcept
        : owner_(&owner), key_(std::move(key)), flight_(std::move(where)) {}
    ticket(ticket&&) noexcept = default;
    ticket& operator=(ticket&& other) noexcept {
      if (this != &other) {
        land(nullptr);
        owner_ = other.owner_;
        key_ = std::move(other.key_);
        flight_ = std::move(other.flight_);
      }
      return *this;
    }
    ~ticket() { land(nullptr); }

    [[nodiscard]] explicit operator bool() const noexcept { return flight_ != nullptr; }
    /// The work.
    [[nodiscard]] flight& under_way() const noexcept { return *flight_; }
    /// The same, for who may need it after the landing.
    [[nodiscard]] std::shared_ptr<flight> share() const noexcept { return flight_; }

    /// Hands the result to everyone who waits. From here on a new flight can begin.
    void land(std::shared_ptr<const policy> result) {
      if (const auto ended = std::exchange(flight_, nullptr)) {
        owner_->remove(key_, ended);
        ended->land(std::move(result));
      }
    }

   private:
    single_flight* owner_ = nullptr;
    std::string key_;
    std::shared_ptr<flight> flight_;
  };

  /// A flight that was joined.
  struct boarding {
    detail::seat seat;  ///< a place in it
    ticket duty;        ///< the duty to end it, for who began it
  };

  /// Joins the flight on `key`, or begins one that fetches `site`.
  [[nodiscard]] boarding join(std::string_view key, std::string_view site = {},
                              bool finishes_alone = false) {
    const std::scoped_lock lock{mutex_};
    if (const auto found = flights_.find(key); found != flights_.end()) {
      return {seat{found->second}, {}};
    }
    auto begun = std::make_shared<flight>(site, finishes_alone);
    std::string own{key};
    flights_.emplace(key, begun);  // from here on nothing throws: somebody has to end it
    return {seat{begun}, {*this, std::move(own), begun}};
  }

  /// Detaches the flight on `key`, if there is one: the next to join begins a new one.
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
