#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/base/text_table.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/site_keys.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Where this file stands: between the look-ups of one site and the one work that answers them all.
//
//     site_look_up --join(flight key)--> single_flight: is there a flight for this key?
//                                          | no                            | yes
//                                          v                               v
//        the leader gets `lead`, with   a new flight <---- waits ---- a waiter
//        which it makes a site_work        |   ^
//                                          |   +-- offer: the work has no thread; a waiter takes it
//                                          v
//                                    end(result): all waiters get it, and the key is free again
//
// The table owns each flight until it ends or is detached; leader and waiters share it. Then the
// waiters own it. An order such as `invalidate` detaches a flight: its waiters still get the
// result, but nobody stores it, and the next look-up begins another flight.

namespace robots::cache_detail {

class site_work;

/// The work on one site, whose result several look-ups share. One of these look-ups, or a thread of
/// the cache, does the work. Only the thread that does the work may call `set_last` and `last`.
class flight {
 public:
  struct ending {
    std::shared_ptr<const policy> result{};  ///< null if the flight was abandoned
    bool from_store = false;                 ///< true if this flight did not fetch the result
  };

  flight(std::string_view flight_key, std::shared_ptr<const site_keys> asked, bool goes_on,
         std::shared_ptr<const call_context> caller)
      : key(flight_key),
        target(std::move(asked)),
        finishes_alone(goes_on),
        context(std::move(caller)) {}

  const std::string key;
  const std::shared_ptr<const site_keys> target;  ///< the site that is fetched
  bool finishes_alone;  ///< the work goes on even if nobody waits; set before the work begins
  const std::shared_ptr<const call_context> context;  ///< from the call that began this flight

  /// If true, only look-ups that already wait may use the result, and nobody may store it.
  std::atomic<bool> detached = false;
  /// If true, the store must be asked again before later look-ups use the result.
  std::atomic<bool> is_changed_elsewhere = false;
  /// True if the store did not answer a question about an entry in doubt. A look-up that joins
  /// after this starts again when the flight has ended, since the store can be asked by then.
  std::atomic<bool> missed_store = false;
  /// The number of the last try of the fetch that has timed out; 0 if none has.
  std::atomic<int> timed_out_tries = 0;
  stop_source stop;  ///< gets a stop request when nobody needs the result any more

  [[nodiscard]] const site& asked() const noexcept { return target->named_site(); }
  [[nodiscard]] const std::string& site_key() const noexcept { return target->key(); }

  void set_last(std::shared_ptr<const policy> last) noexcept { last_ = std::move(last); }

  /// Returns the policy that the site had before the flight. Returns null if the site has been
  /// invalidated since then.
  [[nodiscard]] std::shared_ptr<const policy> last() const { return detached ? nullptr : last_; }

  [[nodiscard]] std::uint64_t join() {
    const std::scoped_lock lock{mutex_};
    ++waiters_;
    return ++last_number_;
  }

  /// Removes a waiter. If the last waiter leaves while the work is on offer, abandons the flight.
  void leave(std::uint64_t number) noexcept {
    bool is_unwanted = false;
    // Declared before the lock, so that both objects are destroyed after the unlock.
    std::function<void()> unused;
    std::shared_ptr<site_work> orphan;
    {
      const std::scoped_lock lock{mutex_};
      if (const auto own_wake = wake_.find(number); own_wake != wake_.end()) {
        unused = std::move(own_wake->second);
        wake_.erase(own_wake);
      }
      if (--waiters_ == 0 && !ending_) {
        is_unwanted = true;
        orphan.swap(free_work_);
      }
    }
    if (is_unwanted && !finishes_alone) {
      stop.request_stop();
    }
  }

  /// Returns true if a look-up waits for the result.
  [[nodiscard]] bool is_awaited() const {
    const std::scoped_lock lock{mutex_};
    return waiters_ > 0;
  }

  /// If the result is null, the waiting look-ups start again. A second call has no effect.
  void end(ending outcome) {
    if (ended()) {
      return;
    }
    if (!outcome.result) {
      stop.request_stop();
    }
    last_ = nullptr;
    change([&] { ending_ = std::move(outcome); });
  }

  /// Offers the work to the waiters. Returns false, and has no effect, if there are no waiters.
  [[nodiscard]] bool offer(const std::shared_ptr<site_work>& work) {
    bool is_taken = false;
    change([&] {
      is_taken = waiters_ > 0;
      if (is_taken) {
        free_work_ = work;
      }
    });
    return is_taken;
  }

  /// Returns the work on offer, or null. The caller must continue the work.
  [[nodiscard]] std::shared_ptr<site_work> take_work() {
    const std::scoped_lock lock{mutex_};
    return std::exchange(free_work_, nullptr);
  }

  [[nodiscard]] std::optional<ending> ended() const {
    const std::scoped_lock lock{mutex_};
    return ending_;
  }

  /// Calls `wake` in the thread that ends the flight or offers its work. If the flight has ended or
  /// its work is on offer already, calls `wake` at once. A later call for the same waiter replaces
  /// `wake`.
  void on_news(std::uint64_t number, std::function<void()> wake) {
    {
      const std::scoped_lock lock{mutex_};
      if (!has_news()) {
        return wake_[number].swap(wake);  // the old function is destroyed without the lock
      }
    }
    wake();
  }

  /// Waits until the flight offers its work or ends. Returns false if `limits` ended the wait.
  [[nodiscard]] bool wait(cache_parts& parts, const call_options& limits) {
    std::unique_lock lock{mutex_};
    return parts.wait(changed_, lock, limits, [this] { return has_news(); });
  }

 private:
  [[nodiscard]] bool has_news() const noexcept { return ending_ || free_work_ != nullptr; }

  template <class Change>
  void change(const Change& make) {
    decltype(wake_) wake;
    {
      const std::scoped_lock lock{mutex_};
      make();
      wake.swap(wake_);
      changed_.notify_all();
    }
    std::exception_ptr thrown;
    for (const auto& [number, call] : wake) {
      try {
        call();
      } catch (...) {
        thrown = std::current_exception();  // first, the other waiters must get the news
      }
    }
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  }

  std::shared_ptr<const policy> last_;
  mutable std::mutex mutex_;  // guards the members below
  base::clock_condition changed_;
  std::map<std::uint64_t, std::function<void()>> wake_;  // by number of waiter
  std::size_t waiters_ = 0;
  std::uint64_t last_number_ = 0;
  std::optional<ending> ending_;
  std::shared_ptr<site_work> free_work_;  // the work on offer, which nobody does now
};

/// Lets only one caller at a time fetch the policy of a key. This object must outlive all flights.
class single_flight {
 public:
  /// A place among the waiters of a flight.
  class waiter {
   public:
    waiter() = default;
    explicit waiter(std::shared_ptr<flight> wanted)
        : flight_(std::move(wanted)), number_(flight_->join()) {}
    waiter(waiter&&) noexcept = default;
    waiter& operator=(waiter other) noexcept {  // leaves the flight that this object waited for
      flight_.swap(other.flight_);
      std::swap(number_, other.number_);
      return *this;
    }
    ~waiter() {
      if (flight_) {
        flight_->leave(number_);
      }
    }

    [[nodiscard]] explicit operator bool() const noexcept { return flight_ != nullptr; }
    [[nodiscard]] flight* operator->() const noexcept { return flight_.get(); }

    void on_news(std::function<void()> wake) const { flight_->on_news(number_, std::move(wake)); }

   private:
    std::shared_ptr<flight> flight_;
    std::uint64_t number_ = 0;
  };

  struct joined {
    waiter place;
    std::shared_ptr<flight> lead;  ///< set if the caller began the flight, and must end it
  };

  /// Joins the flight for `key`, or begins a flight that fetches `asked`.
  [[nodiscard]] joined join(std::string_view key,
                            const std::shared_ptr<const site_keys>& asked = {},
                            bool finishes_alone = false,
                            const std::shared_ptr<const call_context>& context = {}) {
    const auto begun = std::make_shared<flight>(key, asked, finishes_alone, context);
    std::shared_ptr<flight> lead{begun.get(),
                                 [this, begun](flight* begun_here) { end(*begun_here, {}); }};
    const std::scoped_lock lock{mutex_};
    std::shared_ptr<flight>& listed = flights_[begun->key];
    const bool is_new = listed == nullptr;
    if (is_new) {
      listed = begun;
    }
    return {waiter{listed}, is_new ? std::move(lead) : nullptr};
  }

  /// Gives the result to all waiters. After this, a new flight can begin.
  void end(flight& under_way, flight::ending outcome) {
    {
      const std::scoped_lock lock{mutex_};
      const std::shared_ptr<flight>* const listed = flights_.find(under_way.key);
      if (listed != nullptr && listed->get() == &under_way) {
        flights_.erase(under_way.key);
      }
    }
    under_way.end(std::move(outcome));
  }

  /// Detaches the flight for `key`, so that the next caller begins a new flight.
  void detach(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    if (const std::shared_ptr<flight>* const listed = flights_.find(key)) {
      (*listed)->detached = true;
      flights_.erase(key);
    }
  }

  void note_change_elsewhere(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    if (const std::shared_ptr<flight>* const listed = flights_.find(key)) {
      (*listed)->is_changed_elsewhere = true;
    }
  }

  void detach_all() {
    const std::scoped_lock lock{mutex_};
    flights_.for_each(
        [](std::string_view, std::shared_ptr<flight>& under_way) { under_way->detached = true; });
    flights_.clear();
  }

 private:
  std::mutex mutex_;
  base::text_table<std::shared_ptr<flight>> flights_;
};

}  // namespace robots::cache_detail
