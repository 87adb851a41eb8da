#pragma once

#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/fetch/report_inbox.hpp>
#include <robots/http/message.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

// Where this file stands: it is the driver of look-ups for event loops, as `blocking_driver` is for
// calls that block.
//
//     start(look_up) --> go_on: next step?
//                          request ------> ready, then `async_fetch` --> report_inbox --> run
//                          retry_wait ---> waits, by time ---------------------------> run
//                          news_wait ----> call_on_news --> report_inbox ------------> run
//                          policy -------> done(look_up)
//
// `run` hands each report to its look-up, and goes on. The driver owns its look-ups. Fetcher and
// other threads only hold the inbox, which outlives the driver and calls `wake`.

namespace robots {

/// Drives any number of look-ups with an `AsyncFetcher`, for an event loop with its own timers. The
/// loop calls `run` soon after each call of `wake`, and at the time that `next_run` returns.
/// `tests/examples/event_loop.cpp` is an example.
///
/// Only one thread at a time may use a driver. `done` callbacks may call `start` and `leave`. The
/// destructor cancels the requests of the driver, and calls no callbacks. Other callers that wait
/// for the same files then send new requests. `clock` must be the clock of the cache. Clock,
/// fetcher and cache must outlive the driver.
template <Clock C, AsyncFetcher F>
class look_up_driver {
 public:
  /// The number of a look-up in this driver.
  using number = std::uint64_t;
  /// The function that gets the result of a look-up.
  using on_done = std::function<void(const look_up&)>;

  /// The driver calls `wake`, in any thread, when `run` has something to do. The thread holds a
  /// lock of the driver, so `wake` must not call the driver. `wake` must not throw. `max_fetches`
  /// must be above 0. At most `max_fetches` requests are under way; others wait in order.
  look_up_driver(C& clock, F& fetcher, std::function<void()> wake,
                 std::size_t max_fetches = (std::numeric_limits<std::size_t>::max)())
      : clock_(clock),
        fetcher_(fetcher),
        max_fetches_(max_fetches),
        inbox_(std::make_shared<detail::report_inbox>(std::move(wake))) {}

  look_up_driver(const look_up_driver&) = delete;
  look_up_driver& operator=(const look_up_driver&) = delete;
  ~look_up_driver() { inbox_->close(); }

  /// Begins to drive `work`. The driver calls `done` once, when the look-up has its policy.
  /// `start`, `run` and `cut_short` can make this call. Returns the number of the look-up, for
  /// `leave`. If `start` throws, the driver drops the look-up.
  number start(look_up work, on_done done) {
    const number id = ++last_number_;
    items_.emplace(id, std::make_unique<item>(std::move(work), std::move(done)));
    try {
      go_on(id);
    } catch (...) {
      items_.erase(id);  // the caller has no number for `leave`
      throw;
    }
    return id;
  }

  /// Drops the callback `done` of look-up `id`. The fetch continues while other callers wait for
  /// the result, or if `cache_options::finish_abandoned` is true.
  void leave(number id) {
    const auto position = items_.find(id);
    if (position == items_.end()) {
      return;
    }
    position->second->done = nullptr;
    if (!position->second->work.leave()) {
      go_on(id);
    }
  }

  /// Continues all look-ups that got a response or news, or whose wait is over. Passes on
  /// `std::bad_alloc` and exceptions of callbacks. The next call then handles the rest.
  void run() {
    send();
    for (auto next = inbox_->take(); !next.empty(); next = inbox_->take()) {
      const number id = next.front().id;
      try {
        take(next.front());
      } catch (...) {
        if (items_.contains(id)) {
          inbox_->add(next);  // the next `run` continues the look-up
        }
        throw;
      }
    }
    while (!waits_.empty() && waits_.begin()->first <= clock_.now()) {
      const number id = waits_.begin()->second;
      items_.at(id)->work.on_wait_over();
      go_on(id);
    }
  }

  /// Returns the time at which to call `run`; `time_point::min()` means at once. If `wake` is
  /// called, call `run` earlier. If the result is empty, wait for `wake`.
  [[nodiscard]] std::optional<time_point> next_run() const {
    if (!inbox_->empty() || can_send()) {
      return (time_point::min)();
    }
    return waits_.empty() ? std::nullopt : std::optional{waits_.begin()->first};
  }

  /// Cancels each retry that is due at `from` or later. The previous try then gives the result.
  void cut_short(time_point from) {
    while (!waits_.empty() && std::prev(waits_.end())->first >= from) {
      const number id = std::prev(waits_.end())->second;
      items_.at(id)->work.cut_short();
      go_on(id);
    }
  }

  /// Returns the number of look-ups in progress, including those that continue after `leave`.
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

  /// Returns the number of requests that the fetcher has not answered.
  [[nodiscard]] std::size_t fetching() const noexcept { return fetching_; }

  /// Returns true if the next request would be sent at once.
  [[nodiscard]] bool has_room() const noexcept {
    return ready_.empty() && fetching_ < max_fetches_;
  }

 private:
  using waits = std::multimap<time_point, number>;

  struct item {
    item(look_up begun, on_done then) : work(std::move(begun)), done(std::move(then)) {}
    look_up work;
    on_done done;              // empty after `leave`
    bool has_request = false;  // sent or in `ready_`
    std::optional<typename waits::iterator> wait{};
    std::optional<stop_callback<std::function<void()>>> on_stop{};
  };

  using report = detail::report_inbox::report;

  [[nodiscard]] auto reporter(number id) { return detail::report_inbox::reporter(inbox_, id); }

  void take(report& reported) {
    const auto position = items_.find(reported.id);
    if (position == items_.end()) {
      return;
    }
    item& entry = *position->second;
    if (reported.response && std::exchange(entry.has_request, false)) {
      --fetching_;
      entry.work.on_response(*std::move(reported.response));
    } else {
      entry.work.resume();
      entry.work.on_wait_over();
    }
    go_on(reported.id);
  }

  /// Does the next step of a look-up. If memory runs out, the next `run` repeats the step.
  void go_on(number id) {
    item& entry = *items_.at(id);
    std::unique_ptr<item> ended;
    look_up::step step = entry.work.next();
    const auto* const pause = std::get_if<look_up::retry_wait>(&step);
    if (auto* const request = std::get_if<fetch_request>(&step)) {
      if (!entry.has_request) {
        ready_.emplace_back(id, std::move(*request));
        entry.has_request = true;
      }
    } else if (std::holds_alternative<look_up::news_wait>(step)) {
      entry.work.call_on_news(reporter(id));
    } else if (pause == nullptr) {
      ended = std::move(items_.at(id));
      items_.erase(id);
    }
    entry.on_stop.reset();
    if (const auto wait = std::exchange(entry.wait, std::nullopt)) {
      waits_.erase(*wait);
    }
    if (pause != nullptr) {
      entry.on_stop.emplace(pause->stop, reporter(id));
      // If there is a pause, no later step throws. So `start` never drops a look-up with a wait.
      entry.wait = waits_.emplace(pause->until, id);
    }
    send();  // before `done`, which can throw
    if (ended && ended->done) {
      ended->done(ended->work);
    }
  }

  [[nodiscard]] bool can_send() const noexcept {
    return !ready_.empty() && fetching_ < max_fetches_;
  }

  void send() noexcept {
    try {
      while (can_send()) {
        auto respond = reporter(ready_.front().first);
        fetch_request request = std::move(ready_.front().second);
        ready_.pop_front();
        ++fetching_;
        try {
          fetcher_.async_fetch(std::move(request), respond);
        } catch (...) {
          respond(detail::thrown_response());
        }
      }
    } catch (...) {
      return;  // there is no memory, so the next `run` sends the rest
    }
  }

  C& clock_;
  F& fetcher_;
  std::size_t max_fetches_;
  const std::shared_ptr<detail::report_inbox> inbox_;
  number last_number_ = 0;
  std::size_t fetching_ = 0;
  std::deque<std::pair<number, fetch_request>> ready_;  // not sent yet
  waits waits_;
  boost::unordered_flat_map<number, std::unique_ptr<item>> items_;
};

}  // namespace robots
