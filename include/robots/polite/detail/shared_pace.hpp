#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/observe/events.hpp>
#include <robots/polite/detail/gate_parts.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

// The side of a gate that asks a `PaceLedger`. It stands between `reservation::start`, which has a
// request that could start now, and the ledger, which can be slow or down:
//
//     take_turn --> ask --> ledger: a turn, in time      --> start now
//                    |      ledger: a turn, but too late --> claim the same turn again, 4 times
//                    |      ledger: wait                 --> not before this time
//                    +----- ledger throws                --> ask again in a second, by one thread
//                                                            then, after `ledger_patience`, no
//                                                            turn is needed
//
// It owns what it has learned about the ledger: since when it is down, and how late it answers. It
// holds its mutex only to read and write these, never while the ledger is asked.

namespace robots::polite_detail {

struct ledger_answer {
  /// The request waits until this time. If the time is past or present, this process has the turn.
  /// If the ledger has failed for too long, `held_until` is empty, and the gate needs no turn.
  std::optional<time_point> held_until{};
  wall_anchor moment{};  // the time to use as the present time for the start
};

/// Asks the ledger of a gate, and handles late answers and failures. The gate must have a ledger.
class shared_pace {
 public:
  shared_pace(const gate_options& options, gate_parts& parts) : options_(options), parts_(parts) {}

  /// Claims a turn. If the answer takes longer than `claim::lateness`, claims the same turn again.
  /// After several late answers, the caller must wait and claim another turn.
  [[nodiscard]] ledger_answer take_turn(std::string_view host, PaceLedger::claim claim,
                                        wall_anchor now) {
    static std::atomic<std::uint64_t> last_turn = 0;
    constexpr int most_questions = 4;
    constexpr std::chrono::nanoseconds most_lateness = std::chrono::milliseconds{50};
    claim.lateness = lateness_;
    claim.turn = ++last_turn;
    for (int question = 0; question < most_questions; ++question) {
      std::chrono::nanoseconds wait{0};
      if (!ask(now.steady, [&](PaceLedger& ledger) { wait = ledger.take_turn(host, claim); })) {
        return {next_try(now.steady), now};
      }
      if (wait.count() > 0) {
        return {base::saturating_add(now.steady, wait), now};
      }
      const time_point asked = now.steady;
      now = parts_.moment();
      const std::chrono::nanoseconds late = now.steady - asked;
      const std::chrono::nanoseconds allowed = claim.lateness;
      lateness_ = (std::min)((std::max)(late, allowed - allowed / 8), most_lateness);
      if (late <= allowed) {
        return {asked, now};
      }
      claim.lateness = late;
      claim.last_asked = late;
    }
    return {base::saturating_add(now.steady, (std::max)(claim.after, most_lateness)), now};
  }

  /// Asks the ledger to grant no turn at a host until `until`, which is after `now`.
  void hold(std::string_view host, time_point until, time_point now) {
    static_cast<void>(ask(now, [&](PaceLedger& ledger) { ledger.hold(host, until - now); }));
  }

 private:
  /// Returns the time to ask a failing ledger again, or nothing if `ledger_patience` is over.
  [[nodiscard]] std::optional<time_point> next_try(time_point now) {
    const std::scoped_lock lock{mutex_};
    const time_point patient_until =
        base::saturating_add(down_since_.value_or(now), options_.ledger_patience);
    if (now >= patient_until) {
      return std::nullopt;
    }
    return (std::max)(base::saturating_add(now, time_point::duration{1}),
                      (std::min)(next_try_, patient_until));
  }

  /// Calls `question(ledger)`, at most once a second if the ledger fails. Returns true on success.
  template <class Question>
  [[nodiscard]] bool ask(time_point now, const Question& question) {
    std::unique_lock lock{mutex_};
    if (down_since_ && now < next_try_) {
      return false;
    }
    // While the ledger fails, only one thread asks the ledger in each second.
    next_try_ = base::saturating_add(now, std::chrono::seconds{1});
    lock.unlock();
    std::string why;
    try {
      question(*options_.ledger);
    } catch (...) {
      why = base::thrown_text("the ledger");
    }
    lock.lock();
    const bool has_changed = down_since_.has_value() == why.empty();
    down_since_ = why.empty() ? std::nullopt : std::optional{down_since_.value_or(now)};
    lock.unlock();
    if (has_changed) {
      parts_.tell(ledger_event{parts_.about({}), why.empty(), why});
    }
    return why.empty();
  }

  const gate_options& options_;
  gate_parts& parts_;
  std::atomic<std::chrono::nanoseconds> lateness_{};  // `claim::lateness` of the next claim
  std::mutex mutex_;                                  // guards the members below
  std::optional<time_point> down_since_;
  time_point next_try_{};
};

}  // namespace robots::polite_detail
