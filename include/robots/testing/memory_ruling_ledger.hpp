#pragma once

#include <robots/base/hash.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/store/shared_store.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace robots {

/// A `RulingLedger` in the memory of this process, for tests.
///
/// Copies share the orders, and each copy acts as another process. A new order calls the `watch`
/// functions of all copies in the calling thread.
class MemoryRulingLedger final : public RulingLedger {
 public:
  MemoryRulingLedger() : shared_{std::make_shared<shared_part>()} {}
  /// Makes a copy that shares the orders, but not the `watch` function.
  MemoryRulingLedger(const MemoryRulingLedger& other)
      : RulingLedger{other}, shared_{other.shared_} {}
  MemoryRulingLedger& operator=(const MemoryRulingLedger&) = delete;
  ~MemoryRulingLedger() override { forget_watcher(); }

  /// Makes all copies fail: each call except `watch` throws `store_error{why}`.
  void fail(std::string why) { set_failure(std::move(why), false); }
  /// Like `fail`, but `append` and `put_back` have their effect before they throw, as if only the
  /// answer were lost.
  void fail_after_effect(std::string why) { set_failure(std::move(why), true); }
  /// Ends the effect of `fail` and `fail_after_effect`.
  void recover() { set_failure({}, false); }

  /// Loses all orders, like a server after FLUSHALL.
  void lose_all() {
    const std::scoped_lock lock{shared_->mutex};
    shared_->now = {};
  }
  /// Keeps a copy of the orders, for `restore`.
  void back_up() {
    const std::scoped_lock lock{shared_->mutex};
    shared_->backup = shared_->now;
  }
  /// Replaces the orders by those of the last `back_up`.
  void restore() {
    const std::scoped_lock lock{shared_->mutex};
    shared_->now = shared_->backup;
  }
  /// Drops all messages to `watch` functions while `are_lost` is true.
  void lose_messages(bool are_lost) {
    const std::scoped_lock lock{shared_->mutex};
    shared_->is_silent = are_lost;
  }

  [[nodiscard]] std::optional<ruling_number> append(const ruling_order& order,
                                                    const ledger_head& known) override {
    std::unique_lock lock{shared_->mutex};
    begin_call(false);
    contents& now = shared_->now;
    if (const auto earlier = now.ids.find(order.id); earlier != now.ids.end()) {
      end_call();
      return earlier->second;
    }
    if (rulings_detail::has_lost(now.head, known)) {
      return std::nullopt;
    }
    if (now.head.last.generation == 0) {
      now.head.last = {.generation = 1};
      now.head.token = "memory-" + std::to_string(++shared_->tokens);
    }
    ++now.head.last.number;
    now.head.last_id = order.id;
    ruling_order added = order;
    added.number = now.head.last;
    now.ids[added.id] = added.number;
    now.rulings[rulings_detail::name_of(added)] = added;
    const ruling_number number = added.number;
    now.log.push_back(std::move(added));
    tell(lock);
    return number;
  }

  [[nodiscard]] ledger_news read(const ledger_head& known) override {
    const std::scoped_lock lock{shared_->mutex};
    begin_call(true);
    const contents& now = shared_->now;
    ledger_news news{.head = now.head};
    const auto last = std::find_if(now.log.begin(), now.log.end(), [&](const ruling_order& order) {
      return order.number == known.last && order.id == known.last_id;
    });
    news.is_continued =
        known.token == now.head.token && (known == now.head || last != now.log.end());
    if (!news.is_continued) {
      for (const auto& [name, order] : now.rulings) {
        news.orders.push_back(order);
      }
    } else if (last != now.log.end()) {
      std::copy_if(last + 1, now.log.end(), std::back_inserter(news.orders),
                   [](const ruling_order& order) { return !order.site.empty(); });
    }
    return news;
  }

  [[nodiscard]] bool put_back(const ledger_head& expected, const ledger_head& next,
                              std::span<const ruling_order> orders) override {
    std::unique_lock lock{shared_->mutex};
    begin_call(false);
    contents& now = shared_->now;
    if (now.head != expected) {
      end_call();
      return false;
    }
    for (const ruling_order& order : orders) {
      now.rulings[rulings_detail::name_of(order)] = order;
      now.ids[order.id] = order.number;
    }
    now.head = next;
    now.log.push_back({.id = next.last_id, .number = next.last});  // a mark, without a site
    tell(lock);
    return true;
  }

  void watch(std::function<void()> on_news) override {
    forget_watcher();
    if (on_news) {
      watcher_ = std::make_shared<const std::function<void()>>(std::move(on_news));
      const std::scoped_lock lock{shared_->mutex};
      shared_->watching.push_back(watcher_);
    }
  }

 private:
  struct contents {
    ledger_head head;
    std::vector<ruling_order> log;
    boost::unordered_flat_map<std::string, ruling_order, base::text_hash, std::equal_to<>> rulings;
    boost::unordered_flat_map<std::string, ruling_number, base::text_hash, std::equal_to<>> ids;
  };

  struct shared_part {
    std::mutex mutex;
    contents now;
    contents backup;
    std::string failure;
    bool has_effect = false;
    bool is_silent = false;
    std::uint64_t tokens = 0;
    std::vector<std::shared_ptr<const std::function<void()>>> watching;
  };

  void set_failure(std::string why, bool has_effect) {
    const std::scoped_lock lock{shared_->mutex};
    shared_->failure = std::move(why);
    shared_->has_effect = has_effect;
  }
  void begin_call(bool is_read) const {
    if (!shared_->failure.empty() && (is_read || !shared_->has_effect)) {
      throw store_error{shared_->failure};
    }
  }
  void end_call() const {
    if (!shared_->failure.empty()) {
      throw store_error{shared_->failure};
    }
  }
  void tell(std::unique_lock<std::mutex>& lock) const {
    end_call();
    const auto watching = shared_->is_silent
                              ? std::vector<std::shared_ptr<const std::function<void()>>>{}
                              : shared_->watching;
    lock.unlock();
    for (const auto& one : watching) {
      (*one)();
    }
  }
  void forget_watcher() {
    const std::scoped_lock lock{shared_->mutex};
    std::erase(shared_->watching, watcher_);
    watcher_.reset();
  }

  std::shared_ptr<shared_part> shared_;
  std::shared_ptr<const std::function<void()>> watcher_{};
};

}  // namespace robots
