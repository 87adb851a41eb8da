#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

namespace robots {

/// Drives any number of look-ups over an `AsyncFetcher`, for an event loop that supplies the
/// execution and the timers. `tests/examples/event_loop.cpp` is such a loop; `prefetch` and
/// `asio_robots_cache` are others.
///
/// The loop calls `run` soon after each `wake`, and at the time that `next_run` names. One thread
/// at a time. Callbacks may call `start` and `leave`. Destroying the driver cancels its requests
/// without calling back: other callers that wait for them start their own. The clock is that of the
/// cache; clock, fetcher and cache must outlive the driver.
template <Clock C, AsyncFetcher F>
class look_up_driver {
 public:
  /// Identifies a look-up of a driver.
  using number = std::uint64_t;
  /// The callback for the end of a look-up.
  using on_done = std::function<void(const look_up&)>;

  /// `wake` is called from any thread, under a lock, when `run` has something to do. It must not
  /// throw nor call this driver. At most `max_fetches` (above 0) requests are under way at once;
  /// more wait in order.
  look_up_driver(C& clock, F& fetcher, std::function<void()> wake,
                 std::size_t max_fetches = (std::numeric_limits<std::size_t>::max)())
      : clock_(clock),
        fetcher_(fetcher),
        max_fetches_(max_fetches),
        inbox_(std::make_shared<inbox>(std::move(wake))) {}

  look_up_driver(const look_up_driver&) = delete;
  look_up_driver& operator=(const look_up_driver&) = delete;
  ~look_up_driver() { inbox_->close(); }

  /// Drives a look-up. `done` is called once when the look-up has its policy: from here if it has
  /// one, else from `run`. Returns the number by which to `leave` it. If this throws, the
  /// look-up is dropped.
  number start(look_up work, on_done done) {
    const number id = ++last_number_;
    items_.emplace(id, std::make_unique<item>(std::move(work), std::move(done)));
    try {
      go_on(id);
    } catch (...) {
      drop(id);  // the caller has no number by which to leave it
      throw;
    }
    return id;
  }

  /// Drops `done` of a look-up. The driver continues the requests of the look-up for as long as
  /// others wait for it or the cache wants it (`cache_options::finish_abandoned`).
  void leave(number id) {
    const auto found = items_.find(id);
    if (found == items_.end()) {
      return;
    }
    item& one = *found->second;
    one.done = nullptr;
    if (!one.work.leave()) {
      end_wait(one);
      items_.erase(found);
    }
  }

  /// Takes over the responses and the news that have come, and ends the waits that are over. An
  /// exception of a callback is passed on; the rest is left for the next call.
  void run() {
    for (auto next = inbox_->take(); !next.empty(); next = inbox_->take()) {
      take(next.front());
    }
    while (!waits_.empty() && waits_.begin()->first <= clock_.now()) {
      const number id = waits_.begin()->second;
      items_.at(id)->work.on_wait_over();
      go_on(id);
    }
  }

  /// The time at which to call `run`, unless `wake` is called earlier; `time_point::min()` for at
  /// once. Without a value, wait for `wake`.
  [[nodiscard]] std::optional<time_point> next_run() const {
    if (!inbox_->is_empty()) {
      return (time_point::min)();
    }
    return waits_.empty() ? std::nullopt : std::optional{waits_.begin()->first};
  }

  /// Ends the waits between tries that would last until `from` or longer: the failure holds.
  void cut_short(time_point from) {
    while (!waits_.empty() && std::prev(waits_.end())->first >= from) {
      const number id = std::prev(waits_.end())->second;
      items_.at(id)->work.cut_short();
      go_on(id);
    }
  }

  /// Look-ups that were started and have no policy yet, those included that were left and go on.
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

  /// Requests given to the fetcher that it has not answered.
  [[nodiscard]] std::size_t fetching() const noexcept { return fetching_; }

  /// True if the next request would be sent at once.
  [[nodiscard]] bool has_room() const noexcept {
    return ready_.empty() && fetching_ < max_fetches_;
  }

 private:
  using waits = std::multimap<time_point, number>;

  struct item {
    item(look_up begun, on_done then) : work(std::move(begun)), done(std::move(then)) {}
    look_up work;
    on_done done;              // empty once it was left
    bool has_request = false;  // sent or in `ready_`
    std::optional<typename waits::iterator> wait{};
    std::optional<stop_callback<std::function<void()>>> on_stop{};
  };

  /// A response, or without one the word that there is news or a wait was stopped.
  struct report {
    number id = 0;
    std::optional<fetch_response> response{};
  };

  /// The reports of other threads. Outlives the driver, for late reports.
  class inbox {
   public:
    explicit inbox(std::function<void()> wake) : wake_(std::move(wake)) {}

    /// Moves the node, and so allocates nothing.
    void add(std::list<report>& node) {
      const std::scoped_lock lock{mutex_};
      if (wake_) {
        const bool is_first = reports_.empty();
        reports_.splice(reports_.end(), node);
        if (is_first) {
          wake_();
        }
      }
    }

    /// The oldest report, or none.
    [[nodiscard]] std::list<report> take() {
      std::list<report> oldest;
      const std::scoped_lock lock{mutex_};
      if (!reports_.empty()) {
        oldest.splice(oldest.begin(), reports_, reports_.begin());
      }
      return oldest;
    }

    [[nodiscard]] bool is_empty() {
      const std::scoped_lock lock{mutex_};
      return reports_.empty();
    }

    void close() {
      const std::scoped_lock lock{mutex_};
      wake_ = nullptr;
    }

   private:
    std::mutex mutex_;
    std::function<void()> wake_;
    std::list<report> reports_;
  };

  /// Returns a function that any thread may call once, with a response or with nothing.
  [[nodiscard]] auto reporter(number id) {
    return [box = inbox_, node = std::list<report>{{.id = id}}](auto... response) mutable {
      if (!node.empty()) {
        ((node.front().response = std::move(response)), ...);
        box->add(node);
      }
    };
  }

  void take(report& reported) {
    const auto found = items_.find(reported.id);
    if (found == items_.end()) {
      return;
    }
    item& one = *found->second;
    if (!reported.response) {
      one.work.resume();
      one.work.on_wait_over();
    } else if (std::exchange(one.has_request, false)) {
      --fetching_;
      one.work.on_response(*std::move(reported.response));
    }
    go_on(reported.id);
  }

  /// Does the next step of a look-up.
  void go_on(number id) {
    item& one = *items_.at(id);
    std::unique_ptr<item> ended;
    end_wait(one);
    look_up_step step = one.work.next();
    if (auto* const request = std::get_if<fetch_request>(&step)) {
      if (!one.has_request) {
        ready_.emplace_back(id, std::move(*request));
        one.has_request = true;
      }
    } else if (const auto* const pause = std::get_if<retry_wait>(&step)) {
      one.wait = waits_.emplace(pause->until, id);
      one.on_stop.emplace(pause->stop, reporter(id));
    } else if (std::holds_alternative<news_wait>(step)) {
      one.work.call_on_news(reporter(id));
    } else {
      ended = std::move(items_.at(id));
      items_.erase(id);
    }
    send();  // before `done`, which may throw
    if (ended && ended->done) {
      ended->done(ended->work);
    }
  }

  /// Forgets a look-up that could not be started.
  void drop(number id) {
    const auto found = items_.find(id);
    if (found == items_.end()) {
      return;
    }
    end_wait(*found->second);
    if (found->second->has_request) {
      const auto unsent = std::find_if(ready_.begin(), ready_.end(),
                                       [id](const auto& one) { return one.first == id; });
      if (unsent != ready_.end()) {
        ready_.erase(unsent);
      } else {
        --fetching_;
      }
    }
    items_.erase(found);
  }

  void end_wait(item& one) {
    one.on_stop.reset();
    if (const auto wait = std::exchange(one.wait, std::nullopt)) {
      waits_.erase(*wait);
    }
  }

  void send() {
    while (!ready_.empty() && fetching_ < max_fetches_) {
      auto [id, request] = std::move(ready_.front());
      ready_.pop_front();
      ++fetching_;
      try {
        fetcher_.async_fetch(std::move(request), reporter(id));
      } catch (...) {
        reporter(id)(fetch_response{.error = fetch_error::other,
                                    .error_text = base::thrown_text("the fetcher")});
      }
    }
  }

  C& clock_;
  F& fetcher_;
  std::size_t max_fetches_;
  std::shared_ptr<inbox> inbox_;
  number last_number_ = 0;
  std::size_t fetching_ = 0;
  std::deque<std::pair<number, fetch_request>> ready_;  // until there is room
  waits waits_;
  boost::unordered_flat_map<number, std::unique_ptr<item>> items_;
};

}  // namespace robots
