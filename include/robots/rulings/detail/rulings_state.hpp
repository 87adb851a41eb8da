#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/hash.hpp>
#include <robots/base/process.hpp>
#include <robots/base/random.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/base/text_set.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/rulings/detail/lost_orders.hpp>
#include <robots/rulings/detail/order_listeners.hpp>
#include <robots/rulings/detail/ruling_table.hpp>
#include <robots/rulings/order_news.hpp>
#include <robots/rulings/ruled_place.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/rulings/rulings_options.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::rulings_detail {

/// The state that the copies of a `SiteRulings` share.
///
///     known_     the last order of each ruling in the ledger, and the head up to which it was read
///     unsent_    own orders that the ledger does not have yet, in sequence
///     table      what is in force: an unsent order, if there is one for the ruling, else `known_`
///
/// `catch_up` reads, puts back and sends, in the thread of this object or of a caller, but in one
/// thread at a time. `mutex_` is never locked during a call of the ledger. No mutex of this object
/// is locked while the listeners get an order, so they may ask about sites, and make orders.
class rulings_state {
 public:
  explicit rulings_state(rulings_options own_options);
  rulings_state(const rulings_state&) = delete;
  rulings_state& operator=(const rulings_state&) = delete;
  ~rulings_state();

  /// Starts the thread, unless it runs or `rulings_options::poll` is 0.
  void start();
  bool catch_up();
  bool wait_until_read(std::optional<time_point> deadline, const stop_token& stop);

  /// Makes an order, which holds at once. Returns it.
  ruling_order make(ruling_kind kind, const std::string& site, std::string value,
                    std::string_view detail, std::string_view maker);
  /// Makes a halt or a quarantine because of an alarm. Returns nothing if the place has it already,
  /// if somebody has accepted `fingerprint`, unless this is empty, or if there is no room for it.
  std::optional<ruling_order> raise(ruling_kind kind, const std::string& site, std::string value,
                                    std::string_view fingerprint);
  /// Adds a site without a sign-off. Returns false if it is listed, or if the list has no room.
  bool note_awaiting(const std::string& bare_site);
  [[nodiscard]] std::vector<std::string> awaiting();
  /// Returns the order that is in force for exactly this site and kind, or that ended its ruling.
  [[nodiscard]] std::optional<ruling_order> last(ruling_kind kind, const std::string& site);
  /// Sets the numbers of the orders that the ledger has.
  void add_numbers(std::vector<ruling_order>& orders);

  [[nodiscard]] bool is_high_risk(std::string_view host) const;
  [[nodiscard]] bool is_read() const noexcept { return is_read_; }
  [[nodiscard]] std::size_t unsent();
  [[nodiscard]] std::string failure();
  [[nodiscard]] std::size_t put_backs() const noexcept { return put_backs_; }
  [[nodiscard]] std::size_t dropped_alarms() const noexcept { return dropped_alarms_; }
  [[nodiscard]] std::shared_ptr<const void> on_news(order_listeners::listener listener,
                                                    bool begins_with_all);
  void require_home() const { home_.require("SiteRulings"); }

  const rulings_options options;
  ruling_table table{};

 private:
  struct unsent_order {
    ruling_order order;
    /// True for an alarm. It is dropped if another process was first, or if its fact is accepted.
    bool is_alarm = false;
    ruling_number known_before{};  ///< the last order of the ruling that this process knew
  };

  void follow(const stop_token& stop);
  void wake();
  void read_ledger();
  [[nodiscard]] bool lacks_own_order();
  void forget_unconfirmed();
  void begin_ledger();
  [[nodiscard]] bool put_back(const ledger_news& news);
  void take(const ledger_news& news);
  void send();
  ruling_order apply(ruling_order order, bool is_alarm);
  [[nodiscard]] const ruling_order* last_known(const std::string& name) const;
  [[nodiscard]] const ruling_order* last_unsent(const std::string& name) const;
  [[nodiscard]] static bool is_outdated(const unsent_order& alarm, const ruling_order& latest);
  void forget_unsent(const std::string& name) noexcept;
  [[nodiscard]] std::string next_id();
  void put(const ruling_order& order, std::optional<order_news> news);
  void note_number(ruling_order order, const ruling_number& number);

  const detail::excluded_hosts high_risk_;
  base::home_process home_{};
  base::counter_random random_{std::nullopt};
  std::mutex calling_;  // one thread calls the ledger
  std::mutex mutex_;    // guards the members up to `failure_`
  base::clock_condition changed_;
  base::text_set awaiting_;
  order_table known_;
  ledger_head head_;
  /// The ids of own orders that the ledger has taken, but that were not read from it yet. Without
  /// them, the loss of an order that was made after the last reading would be unseen.
  base::text_set unconfirmed_;
  std::list<unsent_order> unsent_;
  /// The places of the unsent orders. The key is `name_of`. Each ruling has at most one.
  boost::unordered_flat_map<std::string, std::list<unsent_order>::iterator, base::text_hash,
                            std::equal_to<>>
      unsent_places_;
  std::uint64_t wakes_ = 0;
  bool has_tried_ = false;
  std::string failure_;
  std::atomic<bool> is_read_;
  std::atomic<bool> is_started_ = false;
  std::atomic<std::size_t> put_backs_ = 0;
  std::atomic<std::size_t> dropped_alarms_ = 0;
  order_listeners listeners_{};
  base::home_ptr<base::jthread> thread_{};  // destroyed first
};

}  // namespace robots::rulings_detail
