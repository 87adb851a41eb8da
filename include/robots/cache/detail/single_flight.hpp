#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/cache/detail/flight.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// Ensures that at most one caller at a time fetches the policy of a key. Waiters and leaders must
/// not outlive it.
class single_flight {
 public:
  /// The duty to end a flight. Its destruction abandons the flight.
  class leader {
   public:
    leader() = default;
    leader(single_flight& owner, std::shared_ptr<flight> led) noexcept
        : owner_(&owner), flight_(std::move(led)) {}
    leader(leader&&) noexcept = default;
    leader& operator=(leader other) noexcept {  // ends the flight that this one led
      std::swap(owner_, other.owner_);
      flight_.swap(other.flight_);
      return *this;
    }
    ~leader() { end(nullptr); }

    [[nodiscard]] explicit operator bool() const noexcept { return flight_ != nullptr; }
    [[nodiscard]] flight& led() const noexcept { return *flight_; }
    /// Like `led()`, but keeps the flight alive after `end()`.
    [[nodiscard]] std::shared_ptr<flight> share() const noexcept { return flight_; }

    /// Gives the result to all waiters. After this, a new flight can begin.
    void end(std::shared_ptr<const policy> result, bool from_store = false) {
      if (const auto ended = std::exchange(flight_, nullptr)) {
        owner_->remove(ended);
        ended->end(std::move(result), from_store);
      }
    }

   private:
    single_flight* owner_ = nullptr;
    std::shared_ptr<flight> flight_;
  };

  /// A place among the waiters of a flight.
  class waiter {
   public:
    waiter() = default;
    explicit waiter(std::shared_ptr<flight> wanted)
        : flight_(std::move(wanted)), number_(flight_->join()) {}
    waiter(waiter&&) noexcept = default;
    waiter& operator=(waiter other) noexcept {  // leaves the flight that this one waited for
      flight_.swap(other.flight_);
      std::swap(number_, other.number_);
      return *this;
    }
    ~waiter() {
      if (flight_) {
        static_cast<void>(flight_->leave(number_));  // abandoned work ends the flight
      }
    }

    [[nodiscard]] explicit operator bool() const noexcept { return flight_ != nullptr; }
    [[nodiscard]] flight* operator->() const noexcept { return flight_.get(); }

    /// Like `flight::on_news`, unless this waiter has left the flight.
    void on_news(std::function<void()> wake) const { flight_->on_news(number_, std::move(wake)); }

   private:
    std::shared_ptr<flight> flight_;
    std::uint64_t number_ = 0;  // among the waiters of the flight
  };

  /// A flight that a caller has joined.
  struct joined {
    waiter place;  ///< among its waiters
    leader lead;   ///< for the caller that began it
  };

  /// Joins the flight for `key`, or begins one that fetches `where`.
  [[nodiscard]] joined join(std::string_view key, const site& asked = {},
                            bool finishes_alone = false,
                            const std::shared_ptr<const call_context>& context = {}) {
    const std::scoped_lock lock{mutex_};
    if (const auto found = flights_.find(key); found != flights_.end()) {
      return {waiter{found->second}, {}};
    }
    auto begun = std::make_shared<flight>(key, asked, finishes_alone, context);
    flights_.emplace(std::string{key},
                     begun);  // nothing throws from here: the flight must be ended
    return {waiter{begun}, {*this, begun}};
  }

  /// Detaches the flight for `key`, if there is one: the next caller begins a new one.
  void detach(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    const auto found = flights_.find(key);
    if (found == flights_.end()) {
      return;
    }
    found->second->detach();
    flights_.erase(found);
  }

  /// Notifies the flight for `key`, if there is one, of a change by another process.
  void tell(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    if (const auto found = flights_.find(key); found != flights_.end()) {
      found->second->tell();
    }
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
  void remove(const std::shared_ptr<flight>& index) {
    const std::scoped_lock lock{mutex_};
    const auto found = flights_.find(index->key());
    if (found != flights_.end() && found->second == index) {
      flights_.erase(found);
    }
  }

  std::mutex mutex_;
  boost::unordered_flat_map<std::string, std::shared_ptr<flight>, base::text_hash, std::equal_to<>>
      flights_;
};

}  // namespace robots::cache_detail
