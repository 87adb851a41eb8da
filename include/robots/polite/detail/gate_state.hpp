#pragma once

#include <robots/base/counter_random.hpp>
#include <robots/base/enum_counts.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/origin.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/polite/detail/gate_environment.hpp>
#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/detail/reservation_queue.hpp>
#include <robots/polite/detail/shared_pace.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::polite_detail {

/// A host that a gate remembers.
struct known_host {
  host_state state;
  reservation_queue queue;
  std::atomic<std::uint64_t> withdrawals = 0;  // changed only under the lock
  stop_source sleepers{base::nostopstate};     // threads that wait for the time of a reservation
};

/// The part of a gate that its reservations keep alive.
struct gate_state {
  gate_state(gate_options given, std::unique_ptr<gate_environment> own_environment)
      : options(std::move(given)),
        environment(std::move(own_environment)),
        random(options.seed),
        hosts(options.max_hosts) {
    validate(options);
  }

  /// Returns the key of a URL, or an empty text if it is refused.
  [[nodiscard]] std::string key_of(std::string_view url) const {
    if (options.key) {
      return options.key(url);
    }
    const std::optional<origin> parsed = detail::parse_origin(url);
    return parsed ? to_string(*parsed) : std::string{};
  }

  [[nodiscard]] known_host* find_or_add(std::string_view key, time_point now) {
    return hosts.find_or_add(
        key, now, [this](const known_host& host) { return needed_until(host); },
        base::saturating_add(now, (std::max)(options.longest_memory, options.memory)));
  }

  [[nodiscard]] time_point needed_until(const known_host& host) const noexcept {
    return host.queue.idle() ? host.state.needed_until(options) : (time_point::max)();
  }

  /// Grants free reservations to threads that wait. Call it after each change of a host.
  void hand_on(known_host& host) noexcept {
    const std::uint32_t taken = host.state.outstanding() + host.queue.granted();
    host.queue.grant(options.concurrency - (std::min)(taken, options.concurrency));
    hosts.forget_after(host, needed_until(host));
  }

  /// Changes a host, and releases the lock. If this delays the host's next request, the other
  /// processes wait, too.
  template <class Change>
  void change(std::unique_lock<std::mutex>& lock, known_host& host, time_point now,
              const Change& make) {
    const time_point before = host.state.next_start(now, options);
    make(host.state);
    hand_on(host);
    const time_point after = host.state.next_start(now, options);
    const std::string key = pace && after > before ? hosts.key_of(host) : std::string{};
    lock.unlock();
    if (!key.empty()) {
      pace.hold(key, after, now);
    }
  }

  /// Changes the host of a key. Adds the host if it is unknown.
  template <class Change>
  void with_host(const std::string& key, const Change& make) {
    const double draw = random.draw();
    const wall_anchor now = environment->moment();
    std::unique_lock lock{mutex};
    if (known_host* const host = key.empty() ? nullptr : find_or_add(key, now.steady)) {
      change(lock, *host, now.steady, [&](host_state& state) { make(state, now, draw); });
    }
  }

  /// Counts the requests that fetched the policy's robots.txt, unless they have been counted. With
  /// `again`, the waiting request for `key` keeps the delay after them in any case.
  void count_robots_requests(const std::string& key, const policy* site_policy, bool again) {
    if (site_policy == nullptr) {
      return;
    }
    const time_point fetched = site_policy->fetched_at();
    if (!again) {
      const std::scoped_lock lock{mutex};
      const known_host* const known = hosts.find(key);
      if (known != nullptr && known->state.knows_robots_request(fetched)) {
        return;
      }
    }
    bool has_own = false;
    const record_head source = site_policy->source();
    for (const detail::exchange& one : source.exchanges) {
      const bool is_first = &one == &source.exchanges.front();
      const std::string asked = key_of(one.url);
      const bool is_own = asked == key;
      has_own = has_own || (is_own && is_first);
      if (!is_own || is_first) {
        with_host(asked, [&](host_state& state, const wall_anchor& now, double draw) {
          state.add_robots_request(fetched, is_own ? site_policy : nullptr, is_own && again, draw,
                                   now, options);
        });
      }
    }
    if (!has_own) {
      with_host(key, [&](host_state& state, const wall_anchor&, double) {
        state.skip_robots_request(fetched);
      });
    }
  }

  /// Asks the ledger whether a request may start, unless something else prevents it. Returns the
  /// time by which to judge the start: later than that, another process may have the turn.
  ///
  /// A claim allows for answers as late as recent ones. An answer that is even later grants no
  /// turn, since the request could start too close to that of another process. Then the gate asks
  /// for the same turn again, and allows for more lateness. After a few such answers, it waits for
  /// another turn.
  [[nodiscard]] wall_anchor take_turn(known_host& host, const host_reservation& reserved) {
    constexpr int most_questions = 4;
    constexpr std::chrono::nanoseconds most = std::chrono::milliseconds{50};
    wall_anchor now = environment->moment();
    std::unique_lock lock{mutex};
    auto claim = host.state.claim(reserved, now, options);
    if (!claim) {
      return now;
    }
    claim->lateness = lateness;
    claim->turn = shared_pace::next_turn();
    const std::string& key = hosts.key_of(host);  // remains valid, like the host
    lock.unlock();
    for (int question = 0; question < most_questions; ++question) {
      const auto wait = pace.take_turn(key, *claim, now.steady);
      if (!wait || wait->count() > 0) {
        lock.lock();
        if (wait) {
          host.state.wait_for_turn(base::saturating_add(now.steady, *wait));
        } else {
          host.state.go_alone(reserved, now, options);
        }
        return now;
      }
      const wall_anchor answered = environment->moment();
      const std::chrono::nanoseconds late = answered.steady - now.steady;
      const std::chrono::nanoseconds allowed = claim->lateness;
      lateness = (std::min)((std::max)(late, allowed - allowed / 8), most);
      now = answered;
      if (late <= allowed) {
        return now;
      }
      claim->lateness = late;
      claim->last_asked = late;
    }
    lock.lock();
    host.state.wait_for_turn(base::saturating_add(now.steady, (std::max)(claim->after, most)));
    return now;
  }

  const gate_options options;
  const std::unique_ptr<gate_environment> environment;
  base::counter_random random;
  shared_pace pace{options, *environment};
  base::enum_counters<admission_reason::too_late> answers;
  std::atomic<std::uint64_t> withdrawn = 0;
  std::atomic<std::chrono::nanoseconds> lateness{};  // of the ledger's recent answers
  mutable std::mutex mutex;                          // guards the members below
  base::site_table<known_host> hosts;
  std::uint64_t started = 0;
  std::uint64_t cancelled = 0;
};

}  // namespace robots::polite_detail
