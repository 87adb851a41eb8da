// A ledger in memory, for gates that play the roles of several processes.
#pragma once

#include <robots/polite/pace_ledger.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace robots::test {

class MemoryPaceLedger : public PaceLedger {
 public:
  /// The state that the processes share.
  struct table {
    explicit table(ManualClock source) : clock(std::move(source)) {}

    struct entry {
      // The earliest time of the next turn, by the claim of the last turn.
      time_point next = time_point::min();
      time_point last = time_point::min();
      // The process of the last turn, and the number of the turn.
      std::pair<const void*, std::uint64_t> last_turn{};
      time_point held_until = time_point::min();
      std::chrono::nanoseconds longest{0};
      const void* longest_by = nullptr;
      time_point longest_until = time_point::min();
    };

    ManualClock clock;
    std::mutex mutex;
    std::map<std::string, entry, std::less<>> hosts;
    std::string down;  // the reason if the ledger is down
    int questions = 0;
  };

  explicit MemoryPaceLedger(std::shared_ptr<table> shared) : table_(std::move(shared)) {}

  [[nodiscard]] std::chrono::nanoseconds take_turn(std::string_view host,
                                                   const claim& asked) override {
    const std::scoped_lock lock{table_->mutex};
    ask();
    const time_point now = table_->clock.now();
    const time_point start = now + asked.lateness;
    const std::pair<const void*, std::uint64_t> turn{this, asked.turn};
    const auto [found, added] = table_->hosts.try_emplace(std::string{host});
    table::entry& entry = found->second;
    if (added && asked.last_asked && *asked.last_asked < std::max(memory, asked.after)) {
      entry.last = start;
      entry.next = start + asked.after;
    }
    if (entry.longest_by == this || asked.least >= entry.longest || now >= entry.longest_until) {
      entry.longest = asked.least;
      entry.longest_by = this;
      entry.longest_until = now + memory;
    }
    time_point next = entry.held_until;
    if (asked.turn == 0 || entry.last_turn != turn) {
      next = std::max(next, entry.next);
      if (entry.last != time_point::min()) {
        next = std::max(next, entry.last + entry.longest);
      }
    }
    if (next > now) {
      return next - now;
    }
    entry.last = start;
    entry.next = start + asked.after;
    entry.last_turn = turn;
    return {};
  }

  void hold(std::string_view host, std::chrono::nanoseconds pause) override {
    const std::scoped_lock lock{table_->mutex};
    ask();
    time_point& until = table_->hosts[std::string{host}].held_until;
    until = std::max(until, table_->clock.now() + pause);
  }

 private:
  static constexpr std::chrono::nanoseconds memory = std::chrono::minutes{1};

  void ask() {
    ++table_->questions;
    if (!table_->down.empty()) {
      throw std::runtime_error{table_->down};
    }
  }

  std::shared_ptr<table> table_;
};

}  // namespace robots::test
