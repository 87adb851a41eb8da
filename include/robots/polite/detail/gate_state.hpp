#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/counters.hpp>
#include <robots/base/random.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/exchange.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/polite/detail/gate_parts.hpp>
#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/detail/shared_pace.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// What the reservations of a gate share, behind its mutex. The picture at the top of
// `host_gate.hpp` shows how a request passes through it.

namespace robots::polite_detail {

/// A thread that waits for a reservation. The destructor ends the wait.
struct gate_waiter {
  using map = std::multimap<const host_state*, gate_waiter*>;  // for each host, in order of arrival

  gate_waiter(map& all_waiters, host_state& awaited)
      : waiters{all_waiters}, host{awaited}, place{all_waiters.emplace(&awaited, this)} {}
  ~gate_waiter() {
    if (is_granted) {
      host.give_back();
    } else {
      waiters.erase(place);
    }
  }

  map& waiters;
  host_state& host;
  map::iterator place;
  base::clock_condition wake;
  bool is_granted = false;
};

/// The part of a gate that lives until the gate is destroyed and all reservations have ended.
struct gate_state {
  gate_state(gate_options given, std::unique_ptr<gate_parts> given_parts)
      : options(std::move(given)),
        parts(std::move(given_parts)),
        random(options.seed),
        hosts(options.max_hosts) {
    validate(options);
  }

  [[nodiscard]] std::string key_of(std::string_view url) const {
    if (options.key) {
      return options.key(url);
    }
    const std::optional<origin> parsed = detail::parse_origin(url);
    return parsed ? to_string(*parsed) : std::string{};
  }

  [[nodiscard]] gate_moment moment(double draw = 0) const {
    return {parts->moment(), &options, draw};
  }

  [[nodiscard]] host_state* find_or_add(std::string_view key, time_point now) {
    return hosts.find_or_add(
        key, now, [this](const host_state& host) { return needed_until(host); },
        base::saturating_add(now, (std::max)(options.longest_memory, options.memory)));
  }

  [[nodiscard]] time_point needed_until(const host_state& host) const noexcept {
    return waiters.contains(&host) ? (time_point::max)() : host.needed_until(options);
  }

  /// Lets waiting threads make reservations, up to `gate_options::concurrency`. Call this function
  /// after each change of a host.
  void hand_on(host_state& host) noexcept {
    while (host.outstanding() < options.concurrency && waiters.contains(&host)) {
      const auto first = waiters.lower_bound(&host);
      gate_waiter& granted = *first->second;
      waiters.erase(first);
      granted.is_granted = true;
      host.take();
      granted.wake.notify_all();
    }
    if (host.outstanding() == 0) {
      withdrawals.erase(&host);
    }
    hosts.forget_after(host, needed_until(host));
  }

  /// Waits until the caller may make a reservation. Returns `go`, or the reason for a failed wait.
  [[nodiscard]] admission_reason wait(std::unique_lock<std::mutex>& lock, host_state& host,
                                      const call_options& call, const stop_token& withdrawn) {
    gate_waiter self{waiters, host};
    const stop_callback<std::function<void()>> when_withdrawn{withdrawn,
                                                              [&self] { self.wake.notify_all(); }};
    static_cast<void>(parts->wait(self.wake, lock, call,
                                  [&] { return self.is_granted || withdrawn.stop_requested(); }));
    if (self.is_granted) {
      return admission_reason::go;
    }
    if (withdrawn.stop_requested()) {
      return admission_reason::halted;
    }
    return call.stop.stop_requested() ? admission_reason::stopped : admission_reason::too_late;
  }

  /// Changes the host by `make(host, now)`, and releases `lock`. If the change delays the next
  /// request, reports the delay to the ledger, so that the other processes wait, too.
  template <class Change>
  void change(std::unique_lock<std::mutex>& lock, host_state& host, const gate_moment& now,
              const Change& make) {
    const time_point before = host.soonest(now).at;
    make(host, now);
    hand_on(host);
    const time_point after = host.soonest(now).at;
    const std::string key = options.ledger && after > before ? hosts.key_of(host) : std::string{};
    lock.unlock();
    if (!key.empty()) {
      pace.hold(key, after, now.steady);
    }
  }

  /// Calls `make(host, now)` for the host of `key`, unless there is no room for a new host.
  template <class Change>
  void with_host(const std::string& key, const Change& make) {
    const gate_moment now = moment(random.draw());
    std::unique_lock lock{mutex};
    if (host_state* const host = key.empty() ? nullptr : find_or_add(key, now.steady)) {
      change(lock, *host, now, make);
    }
  }

  /// Counts the requests that fetched the robots.txt of `site_policy`. If `again` is false, skips a
  /// robots.txt whose requests are already counted for the host `key`.
  void count_robots_requests(const std::string& key, const policy* site_policy, bool again) {
    if (site_policy == nullptr) {
      return;
    }
    const time_point fetched = site_policy->fetched_at();
    std::unique_lock lock{mutex};
    const host_state* const known = hosts.find(key);
    if (!again && known != nullptr && known->knows_robots_request(fetched)) {
      return;
    }
    lock.unlock();
    bool has_own = false;
    const record_head source = site_policy->last_retrieval();
    for (const detail::exchange& one : source.exchanges) {
      const bool is_first = &one == &source.exchanges.front();
      const std::string asked = key_of(one.url);
      const bool is_own = asked == key;
      has_own = has_own || (is_own && is_first);
      if (!is_own || is_first) {
        with_host(asked, [&](host_state& state, const gate_moment& now) {
          state.add_robots_request(fetched, is_own ? site_policy : nullptr, is_own && again, now);
        });
      }
    }
    if (!has_own) {
      with_host(key,
                [&](host_state& state, const gate_moment&) { state.skip_robots_request(fetched); });
    }
  }

  /// Sleeps until `when` or until one of the stops is requested, but at most for an hour.
  void sleep_until(time_point when, const stop_token& stop, const stop_token& other_stop) {
    stop_source awake;
    const std::function<void()> wake = [&awake] { awake.request_stop(); };
    const stop_callback<std::function<void()>> stopped{stop, wake};
    const stop_callback<std::function<void()>> also_stopped{other_stop, wake};
    // The sleep has a limit, since some clocks cannot sleep until the end of time.
    const time_point in_an_hour = base::saturating_add(parts->now(), std::chrono::hours{1});
    parts->sleep_until((std::min)(when, in_an_hour), awake.get_token());
  }

  /// Claims a turn for a request if nothing else delays the request. Pass exactly the returned time
  /// to `host_state::start`. With a later time, a request that has no turn could start.
  [[nodiscard]] gate_moment take_turn(host_state& host, const host_reservation& reserved) {
    const gate_moment now = moment();
    if (!options.ledger) {
      return now;
    }
    std::unique_lock lock{mutex};
    const auto claim = host.claim(reserved, now);
    if (!claim) {
      return now;
    }
    const std::string& key = hosts.key_of(host);  // the table keeps a reserved host and its key
    lock.unlock();
    const ledger_answer answer = pace.take_turn(key, *claim, static_cast<const wall_anchor&>(now));
    const gate_moment answered{answer.moment, &options, now.draw};
    lock.lock();
    host.wait_for_turn(answer.held_until, reserved, answered);
    return answered;
  }

  const gate_options options;
  const std::unique_ptr<gate_parts> parts;
  base::counter_random random;
  shared_pace pace{options, *parts};
  base::enum_counters<admission_reason::too_late> answers;
  mutable std::mutex mutex;  // guards the members below
  base::site_table<host_state> hosts;
  gate_waiter::map waiters;
  std::map<const host_state*, stop_source> withdrawals;  // `withdraw` stops the reservations
  std::uint64_t started = 0;
  std::uint64_t cancelled = 0;
};

}  // namespace robots::polite_detail
