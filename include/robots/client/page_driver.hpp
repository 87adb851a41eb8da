#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/client/client_options.hpp>
#include <robots/client/detail/found_rules.hpp>
#include <robots/client/detail/page_visit.hpp>
#include <robots/client/page_result.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/fetch/report_inbox.hpp>
#include <robots/http/message.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
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
/// A page keeps the rules that its look-up has found (`found_rules`). After each wait, it looks the
/// site up again. So its rules are those of this moment, and no step asks the cache in a way that
/// could block.
///
/// The loop calls `run` soon after each call of `wake`, and at the time that `next_run` returns.
/// Only one thread at a time may use a driver. `done` callbacks may call `start` and `leave`. The
/// destructor cancels the requests of the driver, and calls no callbacks. Cache, gate and fetcher
/// must outlive the driver.
///
/// The driver blocks only if the gate has a ledger (`gate_options::ledger`): each start and each
/// delay asks the ledger, within its timeouts. If the ledger of a `SiteRulings` was not read yet,
/// pages wait for it, as for a robots.txt: at most for `call_options::timeout`.
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
        rules_(cache),
        front_(rules_, gate),
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
    make_ready(id);
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
      make_ready(waits_.begin()->second);
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

  /// The time between two look-ups while the rulings were not read yet from their ledger.
  static constexpr std::chrono::milliseconds unread_pause{100};

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
    bool is_ready = false;                     // in `ready_`
    std::optional<number> look_up{};           // under way
    std::optional<time_point> look_up_ends{};  // when the time of the look-up is over
    bool has_rules = false;                    // a look-up has ended, and nobody used it
    bool has_waited = false;                   // since the look-up
    decision first{};                          // by the first look-up of the present URL
    std::shared_ptr<const policy> latest{};    // by the last look-up of the present URL
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
    one.look_up_ends.reset();
    if (one.look_up) {
      look_ups_.leave(*std::exchange(one.look_up, std::nullopt));
    }
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
    make_ready(reported.id);
  }

  void respond_to(item& one, fetch_response response, time_point now) {
    one.visit.on_response(std::move(response), now, wall_now(cache_.clock()));
    one.now = phase::rules;
    call_next(one.key);
  }

  /// Lets `work` do the next step of a page, and ends its waits.
  void make_ready(number id) {
    forget_waits(id);
    if (!std::exchange(items_.at(id)->is_ready, true)) {
      ready_.push_back(id);
    }
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
        if (const auto found = items_.find(id); found != items_.end()) {
          found->second->is_ready = false;
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
      one.look_up_ends.reset();
      one.has_waited = false;
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

  /// Begins a look-up. If its time is over, takes the rules that a call without time gets.
  void look_up_rules(number id) {
    item& one = *items_.at(id);
    const time_point now = cache_.clock().now();
    const time_point ends = one.look_up_ends.value_or(
        detail::end_of_look_up(one.call, cache_.options().longest_call, now));
    if (now >= ends) {
      leave_look_up(one);
      const call_options at_once = client_detail::without_time(one.call);
      if (one.now == phase::rules) {
        one.first = cache_.check(one.visit.url(), at_once);
        one.latest = one.first.policy;
      } else {
        one.latest = cache_.get(one.visit.url(), at_once);
      }
      one.has_rules = true;
      return make_ready(id);
    }
    one.look_up_ends = ends;
    if (!one.look_up) {
      const auto asked = parse_site(one.visit.url());
      one.key = asked ? asked->key() : std::string{};
      one.look_up = 0;  // `on_look_up` resets it, perhaps before `start` returns
      const number begun =
          look_ups_.start(cache_.begin(one.visit.url(), one.call),
                          [this, id](const robots::look_up& ended) { on_look_up(id, ended); });
      if (one.look_up) {
        one.look_up = begun;
      }
    }
    if (one.look_up) {
      wait_until(id, ends);
    }
  }

  void on_look_up(number id, const robots::look_up& ended) {
    const auto found = items_.find(id);
    if (found == items_.end()) {
      return;
    }
    item& one = *found->second;
    one.look_up.reset();
    try {
      if (ended.policy()->refusal_reason() == decision_reason::unread) {
        const time_point next = base::saturating_add(cache_.clock().now(), unread_pause);
        return wait_until(id, (std::min)(next, *one.look_up_ends));
      }
      if (one.now == phase::rules) {
        one.first = cache_.check(one.visit.url(), ended);
      }
      one.latest = ended.policy();
      one.has_rules = true;
      make_ready(id);
    } catch (...) {
      drop(id);
      throw;
    }
  }

  /// Asks for a reservation. Pages of a site get theirs in order. Only the first in line asks,
  /// after each page of this driver, and once a second, since other users of the gate do not
  /// report.
  void reserve(number id) {
    item& one = *items_.at(id);
    const bool was_first = std::exchange(one.now, phase::line) == phase::line;
    if (!was_first && lines_.contains(one.key)) {
      one.has_waited = true;
      lines_[one.key].push_back(id);
      return wait_until(id, (time_point::max)());
    }
    rules_.use(one.first, one.latest);
    one.admitted = front_.try_reserve(one.visit.url(), one.call);
    if (one.admitted.reason == admission_reason::busy) {
      one.has_waited = true;
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
    if (!one.has_waited && when <= cache_.clock().now()) {
      return begin_request(id);  // the decision is new
    }
    one.has_waited = true;
    one.now = phase::delay;
    wait_until(id, when);
  }

  void begin_request(number id) {
    item& one = *items_.at(id);
    rules_.use(one.first, one.latest);
    const start_result started = one.admitted.reservation.start();
    if (started.reason == admission_reason::not_yet) {
      one.has_waited = true;
      return wait_for_start(id, started.ask_again);
    }
    const time_point now = cache_.clock().now();
    if (auto used = rules_.get(one.visit.url(), one.call);
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
      auto used = cache_.get(one.visit.url(), client_detail::without_time(one.call));
      one.admitted.decision = decide(std::move(used), one.visit.url(), now);
    }
    one.visit.on_admission(std::exchange(one.admitted, {}), now);
    call_next(one.key);
    make_ready(id);
  }

  void send(number id) {
    item& one = *items_.at(id);
    fetch_request request = std::get<fetch_request>(one.visit.next());
    const time_point now = cache_.clock().now();
    if (is_late(one, now)) {
      respond_to(one, detail::too_late_to_begin(), now);
      return make_ready(id);
    }
    one.is_hurried = detail::limit_exchange(request, one.call, now);
    request.stop = one.end.get_token();
    one.now = phase::page;
    auto respond = detail::report_inbox::reporter(inbox_, id);
    try {
      fetcher_.async_fetch(std::move(request), respond);
    } catch (...) {
      respond(detail::thrown_response());
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
    make_ready(line->second.front());
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
  client_detail::found_rules<Cache> rules_;
  basic_admission<client_detail::found_rules<Cache>> front_;
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
