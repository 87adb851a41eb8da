#pragma once

#include <robots/rulings/order_news.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace robots::rulings_detail {

/// The functions that get each order that changes a ruling, and each new number of an order.
///
///     a thread changes a ruling --- note ---> waiting orders, in sequence
///     the thread, without locks --- report -> each order to each listener
///
/// A new listener can get the orders in force first, which `add` puts in sequence for it alone. It
/// gets none of the orders that were noted before `add`, since those in force contain their effect.
///
/// One thread at a time calls the listeners. It also reports the orders that other threads and
/// listeners note meanwhile. So all listeners get the orders in one sequence. No mutex is locked
/// during a call of a listener, so a listener may call anything. Any thread may call any member.
class order_listeners {
 public:
  using listener = std::function<void(const ruling_order&, order_news)>;

  /// An order that waits for its report.
  struct news {
    ruling_order order;
    order_news kind = order_news::made;
    std::uint64_t only_for = 0;  // the number of the only listener that gets it; 0 for all
    std::uint64_t noted = 0;     // grows with each call of `note`
  };

  /// Adds a listener, which gets the orders `in_force` by the next `report`, before all others. To
  /// destroy the result ends its calls. If a call of it runs in another thread, the destruction
  /// waits for the end of the call. If memory runs out, throws, and never calls the listener.
  [[nodiscard]] std::shared_ptr<const void> add(listener on_order, std::list<news>&& in_force) {
    const auto added = std::make_shared<numbered>();
    added->call = std::move(on_order);
    std::list<std::shared_ptr<const numbered>> listed{added};
    // Everything that needs memory comes before the first call can begin. Otherwise, the deleter
    // would wait for the end of this call, and the call for a mutex of the caller.
    std::shared_ptr<const void> subscription{
        added.get(), [shared = shared_, added](const void* /*listener*/) {
          std::unique_lock held{shared->mutex};
          shared->all.remove(added);
          if (shared->reporter != std::this_thread::get_id()) {
            shared->ended.wait(held, [&] { return shared->running != added.get(); });
          }
        }};
    const std::scoped_lock lock{shared_->mutex};
    shared_->all.splice(shared_->all.end(), listed);
    added->number = ++shared_->numbers;
    added->since = shared_->noted;
    for (news& one : in_force) {
      one.kind = order_news::in_force;
      one.only_for = added->number;
    }
    shared_->waiting.splice(shared_->waiting.end(), std::move(in_force));
    return subscription;
  }

  /// Adds orders for the next `report`. Needs no memory.
  void note(std::list<news>&& orders) noexcept {
    const std::scoped_lock lock{shared_->mutex};
    ++shared_->noted;
    for (news& one : orders) {
      one.noted = shared_->noted;
    }
    shared_->waiting.splice(shared_->waiting.end(), std::move(orders));
  }

  /// Calls the listeners with the waiting orders, unless another call of this function does so. The
  /// caller holds no lock. Ignores the exceptions of listeners: the orders hold anyway.
  void report() noexcept {
    const auto shared = shared_;  // a listener may destroy this object
    std::unique_lock lock{shared->mutex};
    if (shared->reporter != std::thread::id{}) {
      return;
    }
    shared->reporter = std::this_thread::get_id();
    while (!shared->waiting.empty()) {
      std::list<news> reported;
      reported.splice(reported.end(), shared->waiting, shared->waiting.begin());
      // A listener that is added during the calls gets only later orders.
      const std::uint64_t latest = shared->numbers;
      std::uint64_t last = 0;
      while (const auto next = shared->after(last, latest)) {
        last = next->number;
        const news& latest_news = reported.front();
        if (!next->gets(latest_news)) {
          continue;
        }
        shared->running = next.get();
        lock.unlock();
        call(next->call, latest_news);
        lock.lock();
        shared->running = nullptr;
        shared->ended.notify_all();
      }
    }
    shared->reporter = {};
  }

 private:
  struct numbered {
    std::uint64_t number = 0;  // grows with each listener
    std::uint64_t since = 0;   // the listener knows what was noted up to here
    listener call;

    [[nodiscard]] bool gets(const news& one) const noexcept {
      return one.only_for != 0 ? one.only_for == number : one.noted > since;
    }
  };

  struct shared_part {
    /// Returns the first listener with a number above `last`, but not above `latest`.
    [[nodiscard]] std::shared_ptr<const numbered> after(std::uint64_t last,
                                                        std::uint64_t latest) const noexcept {
      const auto next = std::find_if(all.begin(), all.end(), [&](const auto& one) {
        return one->number > last && one->number <= latest;
      });
      return next == all.end() ? nullptr : *next;
    }

    std::mutex mutex;  // guards the members below
    std::list<std::shared_ptr<const numbered>> all;
    std::uint64_t numbers = 0;
    std::uint64_t noted = 0;
    std::list<news> waiting;
    std::thread::id reporter;           // the thread that calls the listeners
    const numbered* running = nullptr;  // the listener that is called
    std::condition_variable ended;
  };

  static void call(const listener& one, const news& latest) noexcept {
    try {
      one(latest.order, latest.kind);
    } catch (...) {
      return;
    }
  }

  const std::shared_ptr<shared_part> shared_ = std::make_shared<shared_part>();
};

}  // namespace robots::rulings_detail
