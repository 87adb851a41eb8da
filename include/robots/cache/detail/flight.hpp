#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/clock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// What is known of a site that is about to be asked, and what the other processes wait for.
struct known_site {
  std::shared_ptr<const robots::policy> last{};  ///< what held, by this process or the shared store
  bool shared = false;           ///< the shared store was read, and this says what it has
  std::optional<record> good{};  ///< that of `policy::good(last)`, if the shared store has it
  held_lease lease{};            ///< the right to ask, if the shared store has given it
  time_point lease_until{};      ///< when that lease expires at the earliest
  bool refreshes = false;   ///< a refresh asked for it: no earlier answer of any process will do
  bool is_suspect = false;  ///< only an answer that is newer than `last` will do
  /// The answer that is still fresh in this process, while the shared store is asked for a newer
  /// one.
  std::shared_ptr<const robots::policy> fresh{};
  bool turned_hostile = false;  ///< the answer of this flight has turned hostile
  bool told = false;  ///< another process has changed or erased what the store has of the site
  std::uint32_t epoch = 0;  ///< `cache_parts::store_epoch` when the flight began

  /// Returns true if the answer makes those of the other processes out of date.
  [[nodiscard]] bool announces() const noexcept { return refreshes || is_suspect; }
};

/// A retrieval that was redirected to the robots.txt of another site.
struct redirected_retrieval {
  retrieval_result result;  ///< up to the redirect
  robots::site target;      ///< the other site
  time_point began{};       ///< when it was asked
  bool from_store = false;  ///< another process found it out
};

/// The retrieval of one site's robots.txt, which one party leads while others wait.
///
/// A redirect to another site's robots.txt leaves it without a leader: its waiters look that site
/// up, and the first that has an answer takes the lead to end it. So nobody leads one flight while
/// it waits for another. So does a shared store that has no answer: the first waiter that takes the
/// lead asks the site itself.
class flight {
 public:
  enum class state {
    led,         ///< somebody works on it
    offered,     ///< to whoever asks the site itself; nobody leads it now
    redirected,  ///< to another site; nobody leads it now
    ended,       ///< with a policy, or given up
  };

  /// `key` tells flights apart; `where` is the site that is fetched. With `finishes_alone`, it goes
  /// on when nobody waits for it any more. `context` is that of the call that begins it.
  flight(std::string_view key, const robots::site& where, bool finishes_alone,
         std::shared_ptr<const call_context> context)
      : key_(key),
        where_(where),
        site_(where.key()),
        finishes_alone_(finishes_alone),
        context_(std::move(context)) {}

  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] const robots::site& where() const noexcept { return where_; }
  /// The `site::key` of that.
  [[nodiscard]] const std::string& site() const noexcept { return site_; }
  [[nodiscard]] bool finishes_alone() const noexcept { return finishes_alone_; }
  [[nodiscard]] const std::shared_ptr<const call_context>& context() const noexcept {
    return context_;
  }

  /// What is known of the site. For who leads it.
  [[nodiscard]] known_site& known() noexcept { return known_; }
  [[nodiscard]] const known_site& known() const noexcept { return known_; }

  /// What held before; null where that was invalidated meanwhile. For who leads it.
  [[nodiscard]] std::shared_ptr<const policy> last() const {
    return detached_ ? nullptr : known_.last;
  }

  /// From now on the result is only for those who wait already.
  void detach() noexcept { detached_ = true; }

  /// The result is not wanted in the cache.
  [[nodiscard]] bool detached() const noexcept { return detached_; }

  /// Another process has told of a change, which the result may not show.
  void tell() noexcept { told_ = true; }

  /// The shared store is to be asked again before the result answers later look-ups.
  [[nodiscard]] bool told() const noexcept { return told_; }

  /// Requested when nobody wants the result any more.
  [[nodiscard]] std::stop_token stop() const noexcept { return stop_.get_token(); }

  /// Nobody wants the result any more.
  void request_stop() noexcept { stop_.request_stop(); }

  /// One more waits. Returns its number.
  [[nodiscard]] std::uint64_t join() {
    const std::scoped_lock lock{mutex_};
    ++waiters_;
    return ++last_number_;
  }

  /// The one of that number waits no more, and is not called any more; after the last one, nobody
  /// wants the result. True when nobody leads it and nobody is left to.
  [[nodiscard]] bool leave(std::uint64_t number) noexcept {
    bool last = false;
    bool orphaned = false;
    decltype(wake_)::node_type unused;  // goes after the lock, with what it holds
    {
      const std::scoped_lock lock{mutex_};
      unused = wake_.extract(number);
      last = --waiters_ == 0 && state_ != state::ended;
      orphaned = last && state_ != state::led;
    }
    if (last && !finishes_alone_) {
      request_stop();
    }
    return orphaned;
  }

  /// Ends it. A null result means that it was given up: what is under way for it is stopped, and
  /// whoever still waits begins anew.
  void end(std::shared_ptr<const policy> result, bool from_store = false) {
    if (!result) {
      request_stop();
    }
    known_ = {};
    change([&] {
      state_ = state::ended;
      result_ = std::move(result);
      from_store_ = from_store;
    });
  }

  /// Leaves the rest to the waiters. True when there are none.
  [[nodiscard]] bool redirect(redirected_retrieval begun) {
    bool orphaned = false;
    change([&] {
      redirected_ = std::make_unique<const redirected_retrieval>(std::move(begun));
      state_ = state::redirected;
      orphaned = waiters_ == 0;
    });
    return orphaned;
  }

  /// Has a waiter ask the site itself. False, and nothing happens, when there are none.
  [[nodiscard]] bool offer() {
    bool taken = false;
    change([&] {
      taken = waiters_ > 0;
      state_ = taken ? state::offered : state_;
    });
    return taken;
  }

  /// What was found out before the redirect. For those who have seen it redirected.
  [[nodiscard]] const redirected_retrieval& redirected() const noexcept { return *redirected_; }

  /// Takes the lead of what is in the state `from`, which nobody leads. False for all but one.
  [[nodiscard]] bool take_lead(state from) noexcept {
    const std::scoped_lock lock{mutex_};
    if (state_ != from) {
      return false;
    }
    state_ = state::led;
    return true;
  }

  /// What it ended with; null while it has not, or when it was given up.
  [[nodiscard]] std::shared_ptr<const policy> result() const {
    const std::scoped_lock lock{mutex_};
    return result_;
  }

  /// The result is what another process had brought.
  [[nodiscard]] bool from_store() const {
    const std::scoped_lock lock{mutex_};
    return from_store_;
  }

  [[nodiscard]] state now() const {
    const std::scoped_lock lock{mutex_};
    return state_;
  }

  /// Calls `wake` once nobody leads it, from the thread that stops to; at once if that is so. For
  /// each number, the last one counts.
  void on_news(std::uint64_t number, std::function<void()> wake) {
    {
      const std::scoped_lock lock{mutex_};
      if (state_ == state::led) {
        return wake_[number].swap(wake);  // so that the old one goes after the lock
      }
    }
    wake();
  }

  /// Waits until nobody leads it; false when the limits ended that.
  [[nodiscard]] bool wait(cache_parts& parts, const call_options& limits) {
    std::unique_lock lock{mutex_};
    // Once there was news, it counts, even if somebody has taken the lead since.
    bool news = false;
    return parts.wait(changed_, lock, limits, [&] { return news = news || state_ != state::led; });
  }

 private:
  template <class Change>
  void change(const Change& how) {
    decltype(wake_) wake;
    {
      const std::scoped_lock lock{mutex_};
      how();
      wake.swap(wake_);
      changed_.notify_all();
    }
    for (const auto& [number, call] : wake) {
      call();
    }
  }

  const std::string key_;
  const robots::site where_;
  const std::string site_;
  const bool finishes_alone_;
  const std::shared_ptr<const call_context> context_;
  std::stop_source stop_;
  std::atomic<bool> detached_ = false;
  std::atomic<bool> told_ = false;
  mutable std::mutex mutex_;
  base::clock_condition changed_;
  std::map<std::uint64_t, std::function<void()>> wake_;  // by the numbers of those who wait
  std::size_t waiters_ = 0;
  std::uint64_t last_number_ = 0;
  state state_ = state::led;
  std::shared_ptr<const policy> result_;
  bool from_store_ = false;
  std::unique_ptr<const redirected_retrieval> redirected_;
  known_site known_;
};

}  // namespace robots::cache_detail
