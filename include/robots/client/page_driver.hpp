#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/client/client_options.hpp>
#include <robots/client/detail/page_visit.hpp>
#include <robots/client/page_result.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/fetch/report_inbox.hpp>
#include <robots/http/message.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/decision.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace robots {

/// Fetches any number of pages politely in one thread, with an `AsyncFetcher`: the client of an
/// event loop with its own timers. It drives the same machine as `basic_polite_client`:
///
///     start --> rules: look-up of the robots.txt ---------> reserve --busy--> line: next turn free
///                                                              |                      |
///                                                              v <--------------------+
///                page: request <--go-- start <-- rules again <-- delay: wait for its start
///                   +--> redirect, 429: again from the rules --> result
///
/// The loop calls `run` soon after each call of `wake`, and at the time that `next_run` returns.
/// Only one thread at a time may use a driver. `done` callbacks may call `start` and `leave`. The
/// destructor cancels the requests of the driver, and calls no callbacks. Cache, gate and fetcher
/// must outlive the driver.
///
/// The driver blocks in these cases only: if the gate has a ledger; if the cache has lost the rules
/// of a site between two steps, or they expired while a page waited in line; and, in its first
/// reservation, until the ledger of a `SiteRulings` was read. To avoid the last one, call
/// `SiteRulings::wait_until_read` before the loop begins. Give the cache room for all sites of the
/// pages under way: if it has lost the rules of a site that another page of the driver looks up,
/// the driver waits for itself.
template <class Cache, class Gate, AsyncFetcher F>
class page_driver {
 public:
  /// The number of a page in this driver.
  using number = std::uint64_t;
  /// The function that gets the result.
  using on_done = std::function<void(page_result)>;

  /// The driver calls `wake`, in any thread, when `run` has something to do. The thread holds a
  /// lock of the driver, so `wake` must not call the driver. `wake` must not throw. Throws
  /// `std::invalid_argument` for invalid options.
  page_driver(Cache& cache, Gate& gate, F& fetcher, std::function<void()> wake,
              client_options options = {})
      : cache_(cache),
        fetcher_(fetcher),
        options_(std::move(options)),
        front_(cache, gate),
        inbox_(std::make_shared<detail::report_inbox>(wake)),
        look_ups_(cache.clock(), fetcher, std::move(wake)) {
    validate(options_);
  }

  page_driver(const page_driver&) = delete;
  page_driver& operator=(const page_driver&) = delete;
  ~page_driver() {
    inbox_->close();
    for (auto& [id, one] : items_) {
      one->end.request_stop();
    }
  }

  /// Begins to fetch a page. The driver calls `done` once, when the page has come, or a reason not
  /// to fetch it. `start`, `run` and `leave` can make this call. Returns the number of the page,
  /// for `leave`. Throws what `basic_polite_client::fetch` throws.
  number start(std::string_view url, const page_options& call, on_done done) {
    const number id = ++last_number_;
    items_.emplace(id, std::make_unique<item>(url, call, options_, cache_, std::move(done)));
    watch_stop(id);
    ready_.push_back(id);
    work();
    return id;
  }

  /// Drops a page and its callback `done`.
  void leave(number id) {
    drop(id);
    work();
  }

  /// Continues all pages that got a response, a turn or news. Passes on `std::bad_alloc` and
  /// exceptions of callbacks. If `client_options::reader` or `gate_options::key` throws, the driver
  /// drops the page, and does not call its `done`. The next call continues the other pages.
  void run() {
    look_ups_.run();
    for (auto next = inbox_->take(); !next.empty(); next = inbox_->take()) {
      take(next.front());
    }
    const time_point now = cache_.clock().now();
    while (!waits_.empty() && waits_.begin()->first <= now) {
      const number id = waits_.begin()->second;
      forget_waits(id);
      ready_.push_back(id);
    }
    work();
  }

  /// Returns the time at which to call `run`; `time_point::min()` means at once. If `wake` is
  /// called, call `run` earlier. If the result is empty, wait for `wake`.
  [[nodiscard]] std::optional<time_point> next_run() const {
    if (!inbox_->empty() || !ready_.empty()) {
      return (time_point::min)();
    }
    std::optional<time_point> next = look_ups_.next_run();
    if (!waits_.empty()) {
      next = (std::min)(next.value_or(waits_.begin()->first), waits_.begin()->first);
    }
    return next;
  }

  /// Returns the number of pages in progress.
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

 private:
  using clock_type = std::remove_cvref_t<decltype(std::declval<Cache&>().clock())>;
  using waits = std::multimap<time_point, number>;

  /// The step for which a page waits.
  enum class phase : std::uint8_t { rules, line, delay, rules_again, page };

  struct item {
    item(std::string_view url, const page_options& given, const client_options& options,
         Cache& cache, on_done then)
        : agent(given.user_agent),
          call(with_agent(given, agent)),
          visit(url, call, options, cache.names(call), cache.clock().now()),
          done(std::move(then)) {}

    [[nodiscard]] static page_options with_agent(page_options call, const std::string& agent) {
      call.user_agent = agent;
      return call;
    }

    std::string agent;  // `call` refers to it
    page_options call;
    client_detail::page_visit visit;
    on_done done;
    phase now = phase::rules;
    std::optional<number> look_up{};  // under way
    bool has_rules = false;           // the look-up has ended
    admission_result admitted{};
    std::string key{};  // the site of the present URL
    bool is_hurried = false;
    stop_source end{};  // ends the exchange
    std::optional<stop_callback<std::function<void()>>> on_stop{};
    std::optional<typename waits::iterator> wait{};
  };

  /// Ends the exchange, and reports to the driver, if the caller requests a stop.
  void watch_stop(number id) {
    item& one = *items_.at(id);
    one.on_stop.emplace(one.call.stop, [end = one.end, report = detail::report_inbox::reporter(
                                                           inbox_, id)]() mutable {
      end.request_stop();
      report();
    });
  }

  /// Ends a page without a result. Has no effect on a page that has ended.
  void drop(number id) {
    const auto found = items_.find(id);
    if (found == items_.end()) {
      return;
    }
    found->second->end.request_stop();
    leave_look_up(*found->second);
    forget_waits(id);
    const std::string key = found->second->key;
    items_.erase(found);  // cancels its reservation
    call_next(key);
  }

  void leave_look_up(item& one) {
    if (one.look_up && !one.has_rules) {
      look_ups_.leave(*one.look_up);
    }
    one.look_up.reset();
  }

  void take(detail::report_inbox::report& reported) {
    const auto found = items_.find(reported.id);
    if (found == items_.end()) {
      return;
    }
    item& one = *found->second;
    if (reported.response && one.now == phase::page) {
      const time_point now = cache_.clock().now();
      detail::end_exchange(*reported.response, one.call, one.is_hurried, now);
      try {
        respond_to(one, *std::move(reported.response), now);
      } catch (...) {
        drop(reported.id);
        throw;
      }
    }
    ready_.push_back(reported.id);
  }

  void respond_to(item& one, fetch_response response, time_point now) {
    one.visit.on_response(std::move(response), now, wall_now(cache_.clock()));
    one.now = phase::rules;
    call_next(one.key);
  }

  /// Does the next steps of all pages that are ready. A nested call leaves them to the outer one.
  void work() {
    if (is_working_) {
      return;
    }
    is_working_ = true;
    number id = 0;
    try {
      while (!ready_.empty()) {
        id = ready_.front();
        ready_.pop_front();
        if (items_.contains(id)) {
          go_on(id);
        }
      }
    } catch (...) {
      is_working_ = false;
      drop(id);
      throw;
    }
    is_working_ = false;
  }

  /// Does the next step of a page.
  void go_on(number id) {
    item& one = *items_.at(id);
    if (one.visit.has_ended()) {
      return finish(id);
    }
    if (one.now == phase::page) {
      return;  // its response will come
    }
    const bool is_stopped = one.call.stop.stop_requested();
    if (is_stopped || is_late(one, cache_.clock().now())) {
      return refuse(id, is_stopped ? admission_reason::stopped : admission_reason::too_late);
    }
    if (one.now == phase::rules || one.now == phase::rules_again) {
      if (!std::exchange(one.has_rules, false)) {
        return look_up_rules(id);
      }
      one.look_up.reset();
      return one.now == phase::rules ? reserve(id) : begin_request(id);
    }
    if (one.now == phase::line) {
      return reserve(id);
    }
    one.now = phase::rules_again;  // the rules may have changed while the page waited
    look_up_rules(id);
  }

  [[nodiscard]] static bool is_late(const item& one, time_point now) {
    return one.call.deadline && *one.call.deadline <= now;
  }

  void look_up_rules(number id) {
    item& one = *items_.at(id);
    if (one.look_up) {
      return wait_until(id, (time_point::max)());
    }
    const auto asked = parse_site(one.visit.url());
    one.key = asked ? asked->key() : std::string{};
    one.look_up =
        look_ups_.start(cache_.begin(one.visit.url(), one.call), [this, id](const look_up&) {
          if (const auto found = items_.find(id); found != items_.end()) {
            found->second->has_rules = true;
            ready_.push_back(id);
          }
        });
    wait_until(id, (time_point::max)());  // or the deadline
  }

  /// Asks for a reservation. Pages of a site get theirs in order. Only the first in line asks,
  /// after each page of this driver, and once a second, since other users of the gate do not
  /// report.
  void reserve(number id) {
    item& one = *items_.at(id);
    const bool was_first = std::exchange(one.now, phase::line) == phase::line;
    if (!was_first && lines_.contains(one.key)) {
      lines_[one.key].push_back(id);
      return wait_until(id, (time_point::max)());
    }
    one.admitted = front_.try_reserve(one.visit.url(), one.call);
    if (one.admitted.reason == admission_reason::busy) {
      lines_[one.key].push_front(id);
      return wait_until(id, base::saturating_add(cache_.clock().now(), std::chrono::seconds{1}));
    }
    call_next(one.key);  // the host may have room for more
    if (!one.admitted) {
      return refuse(id, one.admitted.reason);
    }
    wait_for_start(id, one.admitted.reservation.at());
  }

  void wait_for_start(number id, time_point when) {
    item& one = *items_.at(id);
    if (is_late(one, when)) {
      return refuse(id, admission_reason::too_late);
    }
    const time_point now = cache_.clock().now();
    if (one.now != phase::rules_again && when <= now) {
      return begin_request(id);  // the decision is new
    }
    one.now = phase::delay;
    wait_until(id, when);
  }

  void begin_request(number id) {
    item& one = *items_.at(id);
    const start_result started = one.admitted.reservation.start();
    if (started.reason == admission_reason::not_yet) {
      one.now = phase::rules_again;
      return wait_for_start(id, started.ask_again);
    }
    const time_point now = cache_.clock().now();
    if (auto used = cache_.get(one.visit.url(), one.call);
        used != one.admitted.decision.policy || !started) {
      one.admitted.decision = decide(std::move(used), one.visit.url(), now);
    }
    if (!started) {
      return refuse(id, started.reason);
    }
    if (!one.admitted.decision.allowed) {
      return refuse(id, polite_detail::reason_of(one.admitted.decision, one.call));
    }
    one.visit.on_admission(std::exchange(one.admitted, {}), now);
    send(id);  // at once, since callbacks of other pages can change the rulings
  }

  /// Ends the visit without a request.
  void refuse(number id, admission_reason reason) {
    item& one = *items_.at(id);
    leave_look_up(one);
    forget_waits(id);
    one.admitted.reservation.cancel();
    one.admitted.reason = reason;
    const time_point now = cache_.clock().now();
    if (one.admitted.decision.policy == nullptr) {
      // The call has ended, so the cache answers at once, as for a call without time.
      one.admitted.decision = decide(cache_.get(one.visit.url(), one.call), one.visit.url(), now);
    }
    one.visit.on_admission(std::exchange(one.admitted, {}), now);
    call_next(one.key);
    ready_.push_back(id);
  }

  void send(number id) {
    item& one = *items_.at(id);
    fetch_request request = std::get<fetch_request>(one.visit.next());
    const time_point now = cache_.clock().now();
    if (is_late(one, now)) {
      respond_to(one, detail::too_late_to_begin(), now);
      return ready_.push_back(id);
    }
    one.is_hurried = detail::limit_exchange(request, one.call, now);
    request.stop = one.end.get_token();
    one.now = phase::page;
    auto respond = detail::report_inbox::reporter(inbox_, id);
    try {
      fetcher_.async_fetch(std::move(request), respond);
    } catch (...) {
      respond(fetch_response{.error = fetch_error::other,
                             .error_text = base::thrown_text("the fetcher")});
    }
  }

  void finish(number id) {
    forget_waits(id);
    const auto found = items_.find(id);
    const std::unique_ptr<item> ended = std::move(found->second);
    items_.erase(found);
    if (ended->done) {
      ended->done(std::move(ended->visit).result());
    }
  }

  /// Lets the first page try that waits for a free reservation at a site.
  void call_next(const std::string& key) {
    const auto line = lines_.find(key);
    if (line == lines_.end()) {
      return;
    }
    ready_.push_back(line->second.front());
    forget_waits(line->second.front());
  }

  /// Lets `run` continue a page at `when`, or at its deadline if that comes first.
  void wait_until(number id, time_point when) {
    item& one = *items_.at(id);
    if (one.wait) {
      waits_.erase(*std::exchange(one.wait, std::nullopt));
    }
    when = one.call.deadline ? (std::min)(when, *one.call.deadline) : when;
    if (when != (time_point::max)()) {
      one.wait = waits_.emplace(when, id);
    }
  }

  /// Ends all waits of a page.
  void forget_waits(number id) {
    item& one = *items_.at(id);
    if (one.wait) {
      waits_.erase(*std::exchange(one.wait, std::nullopt));
    }
    if (const auto line = lines_.find(one.key); line != lines_.end()) {
      std::erase(line->second, id);
      if (line->second.empty()) {
        lines_.erase(line);
      }
    }
  }

  Cache& cache_;
  F& fetcher_;
  const client_options options_;
  basic_admission<Cache> front_;
  const std::shared_ptr<detail::report_inbox> inbox_;
  look_up_driver<clock_type, F> look_ups_;
  number last_number_ = 0;
  bool is_working_ = false;
  std::deque<number> ready_;  // pages whose next step can be done
  waits waits_;
  std::map<std::string, std::deque<number>> lines_;  // pages that wait for a reservation, by site
  std::map<number, std::unique_ptr<item>> items_;
};

}  // namespace robots
