#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/observe/events.hpp>
#include <robots/polite/detail/gate_environment.hpp>
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

namespace robots::polite_detail {

/// Asks the ledger of a gate, and handles its failures. Any thread may call it.
class shared_pace {
 public:
  /// Both references must outlive it.
  shared_pace(const gate_options& options, gate_environment& environment)
      : options_(options), environment_(environment) {}

  /// Returns true if there is a ledger.
  [[nodiscard]] explicit operator bool() const noexcept { return options_.ledger != nullptr; }

  /// Returns a number that is unique among the claims of this process.
  [[nodiscard]] static std::uint64_t next_turn() noexcept {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  /// Asks for a turn. Returns the time to wait before the next try, or 0 if the request may start
  /// now. If the ledger fails, the caller waits. After `ledger_patience`, the result is empty: the
  /// caller goes on alone.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> take_turn(std::string_view host,
                                                                  const PaceLedger::claim& claim,
                                                                  time_point now) {
    std::chrono::nanoseconds wait{0};
    if (ask(now, [&](PaceLedger& ledger) { wait = ledger.take_turn(host, claim); })) {
      return wait;
    }
    const std::scoped_lock lock{mutex_};
    const time_point patient_until =
        base::saturating_add(down_since_.value_or(now), options_.ledger_patience);
    if (now >= patient_until) {
      return std::nullopt;
    }
    return (std::max)(time_point::duration{1}, (std::min)(next_try_, patient_until) - now);
  }

  /// Keeps other processes away from a host until `until`.
  void hold(std::string_view host, time_point until, time_point now) {
    if (until > now) {
      static_cast<void>(ask(now, [&](PaceLedger& ledger) { ledger.hold(host, until - now); }));
    }
  }

 private:
  static constexpr std::chrono::seconds between_tries{1};

  /// Returns true if the ledger answered.
  template <class Question>
  [[nodiscard]] bool ask(time_point now, const Question& question) {
    {
      const std::scoped_lock lock{mutex_};
      if (down_since_ && now < next_try_) {
        return false;
      }
      next_try_ =
          base::saturating_add(now, between_tries);  // while it is down, one thread at a time tries
    }
    std::string why;
    try {
      question(*options_.ledger);
    } catch (...) {
      why = base::thrown_text("the ledger");
    }
    bool changed = false;
    {
      const std::scoped_lock lock{mutex_};
      changed = down_since_.has_value() == why.empty();
      down_since_ = why.empty() ? std::nullopt : std::optional{down_since_.value_or(now)};
    }
    if (changed) {
      environment_.tell(ledger_event{environment_.about({}), why.empty(), why});
    }
    return why.empty();
  }

  const gate_options& options_;
  gate_environment& environment_;
  std::mutex mutex_;  // guards the members below
  std::optional<time_point> down_since_;
  time_point next_try_{};
};

}  // namespace robots::polite_detail
