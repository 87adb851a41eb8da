#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/thrown_text.hpp>
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

/// What a ledger answered.
struct shared_turn {
  std::chrono::nanoseconds wait{0};  ///< before the next try; 0: go
  bool alone = false;                ///< it cannot be asked: go at the pace of one who is alone
};

/// Asks the ledger that a gate shares with others, and bears with its failures. Any thread.
class shared_pace {
 public:
  /// `options` outlive it.
  explicit shared_pace(const gate_options& options) : options_(options) {}

  /// Whether there is a ledger.
  [[nodiscard]] explicit operator bool() const noexcept { return options_.ledger != nullptr; }

  /// A number for a claim that no other claim of this process has.
  [[nodiscard]] static std::uint64_t next_turn() noexcept {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  /// Asks for a turn. A ledger that fails is waited for, and after a while done without.
  [[nodiscard]] shared_turn take_turn(std::string_view host, const pace_claim& claim,
                                      time_point now) {
    shared_turn result;
    if (ask(now, [&](PaceLedger& ledger) { result.wait = ledger.take_turn(host, claim); })) {
      return result;
    }
    const std::scoped_lock lock{mutex_};
    const time_point patient_until =
        base::saturating_add(down_since_.value_or(now), options_.ledger_patience);
    result.alone = now >= patient_until;
    result.wait = result.alone
                      ? std::chrono::nanoseconds{0}
                      : std::max(time_point::duration{1}, std::min(next_try_, patient_until) - now);
    return result;
  }

  /// Tells others to leave a host alone until then.
  void hold(std::string_view host, time_point until, time_point now) {
    if (until > now) {
      static_cast<void>(ask(now, [&](PaceLedger& ledger) { ledger.hold(host, until - now); }));
    }
  }

 private:
  static constexpr std::chrono::seconds between_tries{1};

  /// Whether the ledger could be asked.
  template <class Question>
  [[nodiscard]] bool ask(time_point now, const Question& question) {
    {
      const std::scoped_lock lock{mutex_};
      if (down_since_ && now < next_try_) {
        return false;
      }
      next_try_ = base::saturating_add(now, between_tries);  // while down, for one thread at a time
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
    if (changed && options_.on_ledger_change) {
      options_.on_ledger_change(why);
    }
    return why.empty();
  }

  const gate_options& options_;
  std::mutex mutex_;  // of what follows
  std::optional<time_point> down_since_;
  time_point next_try_{};
};

}  // namespace robots::polite_detail
