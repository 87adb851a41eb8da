#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

class site_work;

/// The state that the look-ups of one site share. One of them, or a thread of the cache, does the
/// work; the others wait.
class flight {
 public:
  /// `key` identifies the flight; `where` is the site that is fetched. If `finishes_alone`, the
  /// work goes on when nobody waits any more. `context` is that of the call that begins the flight.
  flight(std::string_view key, const robots::site& asked, bool finishes_alone,
         std::shared_ptr<const call_context> context)
      : key_(key),
        asked_(asked),
        site_(asked.key()),
        finishes_alone_(finishes_alone),
        context_(std::move(context)) {}

  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] const robots::site& asked() const noexcept { return asked_; }
  /// The `site::key` of `where()`.
  [[nodiscard]] const std::string& site() const noexcept { return site_; }
  [[nodiscard]] bool finishes_alone() const noexcept { return finishes_alone_; }
  [[nodiscard]] const std::shared_ptr<const call_context>& context() const noexcept {
    return context_;
  }

  /// Sets the policy that held before. Only the thread that does the work calls this.
  void set_last(std::shared_ptr<const policy> last) noexcept { last_ = std::move(last); }

  /// Returns the policy that held before, or null if the site was invalidated meanwhile. Only the
  /// thread that does the work calls this.
  [[nodiscard]] std::shared_ptr<const policy> last() const { return detached_ ? nullptr : last_; }

  /// Makes the result valid only for those who wait already.
  void detach() noexcept { detached_ = true; }

  /// Returns true if the cache must not keep the result.
  [[nodiscard]] bool detached() const noexcept { return detached_; }

  /// Notes that another process has changed the site. The result may be older than that change.
  void tell() noexcept { told_ = true; }

  /// Returns true if the shared store must be asked again before later look-ups use the result.
  [[nodiscard]] bool told() const noexcept { return told_; }

  /// A stop is requested when nobody needs the result any more.
  [[nodiscard]] stop_token stop() const noexcept { return stop_.get_token(); }

  void request_stop() noexcept { stop_.request_stop(); }

  /// Adds a waiter, and returns its number.
  [[nodiscard]] std::uint64_t join() {
    const std::scoped_lock lock{mutex_};
    ++waiters_;
    return ++last_number_;
  }

  /// Removes a waiter, whose function is no longer called. Returns the work, if this was the last
  /// waiter and nobody does the work.
  [[nodiscard]] std::shared_ptr<site_work> leave(std::uint64_t number) noexcept {
    bool is_unwanted = false;
    std::shared_ptr<site_work> orphan;
    decltype(wake_)::node_type unused;  // destroyed after the lock is released
    {
      const std::scoped_lock lock{mutex_};
      unused = wake_.extract(number);
      if (--waiters_ == 0 && !has_ended_) {
        is_unwanted = true;
        orphan.swap(free_work_);
      }
    }
    if (is_unwanted && !finishes_alone_) {
      request_stop();
    }
    return orphan;
  }

  /// Ends the flight. A null result means that it was abandoned: the waiting look-ups start again.
  /// `from_store` says that another process had retrieved the result.
  void end(std::shared_ptr<const policy> result, bool from_store) {
    if (!result) {
      request_stop();
    }
    last_ = nullptr;
    change([&] {
      has_ended_ = true;
      result_ = std::move(result);
      from_store_ = from_store;
    });
  }

  /// Offers the work to the waiters. Returns false, and has no effect, if there are none.
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

  /// Takes over work that is offered, or returns null.
  [[nodiscard]] std::shared_ptr<site_work> take_work() {
    const std::scoped_lock lock{mutex_};
    return std::exchange(free_work_, nullptr);
  }

  /// Returns the result of the flight. It is null before the end, and if the flight was abandoned.
  [[nodiscard]] std::shared_ptr<const policy> result() const {
    const std::scoped_lock lock{mutex_};
    return result_;
  }

  /// Returns true if another process had retrieved the result.
  [[nodiscard]] bool from_store() const {
    const std::scoped_lock lock{mutex_};
    return from_store_;
  }

  [[nodiscard]] bool has_ended() const {
    const std::scoped_lock lock{mutex_};
    return has_ended_;
  }

  /// Calls `wake` when the flight ends or its work is offered, in the thread that does that. If
  /// that has happened, calls it at once. A later call for the same waiter replaces `wake`.
  void on_news(std::uint64_t number, std::function<void()> wake) {
    {
      const std::scoped_lock lock{mutex_};
      if (!has_news()) {
        return wake_[number].swap(wake);  // the old one is destroyed after the lock
      }
    }
    wake();
  }

  /// Waits until the flight ends or its work is offered. Returns false if the call ended first.
  [[nodiscard]] bool wait(cache_parts& parts, const call_options& limits) {
    std::unique_lock lock{mutex_};
    // News counts, even if another caller has taken the work since.
    const std::uint64_t seen = offers_;
    return parts.wait(changed_, lock, limits, [&] { return has_news() || offers_ != seen; });
  }

 private:
  [[nodiscard]] bool has_news() const noexcept { return has_ended_ || free_work_ != nullptr; }

  template <class Change>
  void change(const Change& result) {
    decltype(wake_) wake;
    {
      const std::scoped_lock lock{mutex_};
      result();
      ++offers_;
      wake.swap(wake_);
      changed_.notify_all();
    }
    for (const auto& [number, call] : wake) {
      call();
    }
  }

  const std::string key_;
  const robots::site asked_;
  const std::string site_;
  const bool finishes_alone_;
  const std::shared_ptr<const call_context> context_;
  std::shared_ptr<const policy> last_;
  stop_source stop_;
  std::atomic<bool> detached_ = false;
  std::atomic<bool> told_ = false;
  mutable std::mutex mutex_;  // guards the members below
  base::clock_condition changed_;
  std::map<std::uint64_t, std::function<void()>> wake_;  // by the numbers of the waiters
  std::size_t waiters_ = 0;
  std::uint64_t last_number_ = 0;
  std::uint64_t offers_ = 0;  // the number of offers so far
  bool has_ended_ = false;
  bool from_store_ = false;
  std::shared_ptr<const policy> result_;
  std::shared_ptr<site_work> free_work_;  // offered; nobody does it
};

}  // namespace robots::cache_detail
