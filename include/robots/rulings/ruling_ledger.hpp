#pragma once

#include <robots/rulings/ruling_order.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace robots {

/// Where a ledger stands, or up to where a process has read it.
struct ledger_head {
  ruling_number last{};  ///< the number of the last order; generation 0 means an empty ledger
  /// Distinguishes this ledger from one that lost its orders, even if their numbers are alike. A
  /// new one is made with each generation: a new name, a comma, and the token before it. So a
  /// reader recognises a backup from an earlier generation.
  std::string token{};
  std::string last_id{};  ///< the id of the last order

  [[nodiscard]] friend bool operator==(const ledger_head&, const ledger_head&) = default;
};

namespace rulings_detail {

/// Returns true if a ledger whose head is `now` has lost what a process has read: its token is
/// another, or its last number is lower. A process that has read nothing lacks nothing.
[[nodiscard]] inline bool has_lost(const ledger_head& now, const ledger_head& known) noexcept {
  return known.last.generation > 0 && (known.token != now.token || now.last < known.last);
}

}  // namespace rulings_detail

/// The orders that a ledger returns.
struct ledger_news {
  ledger_head head{};  ///< where the reader stands after it has read `orders`
  /// True if `orders` follow the orders that the reader knows, in the order of their numbers. False
  /// if the ledger does not know up to where the reader has read, as after a loss. Then `orders`
  /// are all rulings of the ledger, each with its last order.
  bool is_continued = false;
  std::vector<ruling_order> orders{};  ///< in the order of their numbers if `is_continued` is true
  bool has_more = false;               ///< read again from `head` at once
};

/// Puts the orders of all processes in sequence, and keeps them.
///
///     process A --append--+
///                         v
///     ledger:   1  2  3  4  5  ...      each order gets the next number, in one atomic step
///                         |
///     process B <--read---+             "what came after number 3?"
///
/// A process never reads a ruling to write it again, so it cannot undo an order that it has not
/// read. Each process knows all rulings, so a question about a site needs no call. A ledger can
/// lose orders by a flush, an eviction or an older backup. The processes notice the loss and put
/// the orders back: see `put_back`.
///
/// Any thread may call a ledger. A call blocks for at most the timeouts of the ledger. A call that
/// fails throws an exception derived from `std::exception`. Then the order may be in the ledger, or
/// not: to append it again with the same id is harmless. The ledgers of the library are
/// `RedisRulingLedger`, `SqliteRulingLedger` and, for tests, `MemoryRulingLedger`.
class RulingLedger {
 public:
  RulingLedger() = default;
  virtual ~RulingLedger() = default;

  /// Gives `order` the next number, stores it as the ruling of its site and kind, and returns the
  /// number, in one atomic step. `known` is what the calling process has read; it may be empty. If
  /// an order with this id was appended or put back before, returns the number of that order and
  /// changes nothing. Returns an empty optional, and changes nothing, if the ledger has lost what
  /// `known` names: its token is another, or its last number is lower. Then the process must read
  /// the ledger and put the lost orders back, so that the order gets a number above them. Ignores
  /// `order.number`.
  [[nodiscard]] virtual std::optional<ruling_number> append(const ruling_order& order,
                                                            const ledger_head& known) = 0;

  /// Returns what came after `known`. An empty `known` means that the reader knows nothing. May
  /// return a part, and then sets `ledger_news::has_more`. Leaves out orders that it cannot read.
  [[nodiscard]] virtual ledger_news read(const ledger_head& known) = 0;

  /// Stores `orders` with the numbers that they have, and makes `next` the head, if the head is
  /// still `expected`, all in one atomic step. Returns false, and changes nothing, if the head is
  /// another. `next` has a new token, a new generation, and a number above that of all orders.
  /// Only `rulings_detail::find_lost` decides which orders to put back.
  [[nodiscard]] virtual bool put_back(const ledger_head& expected, const ledger_head& next,
                                      std::span<const ruling_order> orders) = 0;

  /// Calls `on_news` from any thread when the ledger may have orders that this object has not
  /// returned, and after each reconnect. An empty function ends the calls; when `watch` returns, no
  /// call of the old function runs. A ledger without messages ignores the call, and its readers
  /// rely on their polls.
  virtual void watch(std::function<void()> on_news) { on_news = nullptr; }

 protected:
  RulingLedger(const RulingLedger&) = default;
  RulingLedger(RulingLedger&&) = default;
  RulingLedger& operator=(const RulingLedger&) = default;
  RulingLedger& operator=(RulingLedger&&) = default;
};

}  // namespace robots
