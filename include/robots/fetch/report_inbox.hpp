#pragma once

#include <robots/http/message.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace robots::detail {

/// The reports that any thread sends to a driver in one thread: responses, news and stop requests.
///
///     fetcher, timers, stop tokens --> reporter --> inbox --> wake; the loop calls the driver
///
/// It outlives its driver, since a report can come later.
class report_inbox {
 public:
  /// A report about the work with this number.
  struct report {
    std::uint64_t id = 0;
    std::optional<fetch_response> response{};  ///< empty for news or a stop request
  };

  /// Calls `wake`, in any thread and with a lock, when the first report comes. If `wake` throws for
  /// want of memory, the next report calls it again.
  explicit report_inbox(std::function<void()> wake) : wake_{std::move(wake)} {}

  /// Ends the calls of `wake`. Later reports are dropped.
  void close() {
    const std::scoped_lock lock{mutex_};
    wake_ = nullptr;
  }

  /// Moves the only element of `node` to the reports. This move allocates nothing.
  void add(std::list<report>& node) {
    const std::scoped_lock lock{mutex_};
    add_locked(node);
  }

  /// Removes and returns the oldest report. Returns an empty list if there is no report.
  [[nodiscard]] std::list<report> take() {
    std::list<report> oldest;
    const std::scoped_lock lock{mutex_};
    if (!reports_.empty()) {
      oldest.splice(oldest.begin(), reports_, reports_.begin());
    }
    return oldest;
  }

  /// Returns true if there is no report.
  [[nodiscard]] bool empty() const {
    const std::scoped_lock lock{mutex_};
    return reports_.empty();
  }

  /// Returns a function for one call, from any thread, with or without a response. Later calls of
  /// it or of its copies have no effect, so that an exchange that is answered twice is never taken
  /// for the answer of the next one.
  [[nodiscard]] static auto reporter(std::shared_ptr<report_inbox> box, std::uint64_t id) {
    auto node = std::make_shared<std::list<report>>();
    node->push_back({.id = id});
    return [box = std::move(box), node = std::move(node)](auto... response) {
      const std::scoped_lock lock{box->mutex_};
      if (!node->empty()) {
        ((node->front().response = std::move(response)), ...);
        box->add_locked(*node);
        node->clear();
      }
    };
  }

 private:
  void add_locked(std::list<report>& node) {
    if (wake_) {
      const bool is_first = reports_.empty();
      reports_.splice(reports_.end(), node);
      if (is_first || is_wake_lost_) {
        try {
          wake_();
          is_wake_lost_ = false;
        } catch (...) {
          is_wake_lost_ = true;
        }
      }
    }
  }

  mutable std::mutex mutex_;
  std::function<void()> wake_;  // empty after `close`
  std::list<report> reports_;
  bool is_wake_lost_ = false;  // true if the last call of `wake_` has thrown
};

}  // namespace robots::detail
