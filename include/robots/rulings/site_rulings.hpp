#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/http/host_filter.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/rulings/order_news.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/rulings/rulings_options.hpp>
#include <robots/rulings/rulings_view.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

namespace rulings_detail {

class rulings_state;

}  // namespace rulings_detail

/// The effect of the rulings on a site. The first effect in this list that applies decides.
enum class ruling_effect : std::uint8_t {
  none,            ///< no ruling: the robots.txt decides
  unread,          ///< denied, since the ledger was not read yet (`without_ledger`)
  halted,          ///< denied, and gets no requests
  needs_sign_off,  ///< denied, since the site is high-risk and has no sign-off
  allowed,         ///< an override allows everything
  denied,          ///< an override denies everything
  fixed_text,      ///< `ruling_order::detail` of an override is the robots.txt
  quarantined,     ///< denied, since its files are malformed again and again
};

/// The name of an effect, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(ruling_effect effect) noexcept {
  return base::enum_text<ruling_effect::quarantined>(
      effect, {"none", "unread", "halted", "needs_sign_off", "allowed", "denied", "fixed_text",
               "quarantined"});
}

/// The ruling that decides on a site.
struct site_ruling {
  ruling_effect effect = ruling_effect::none;  ///< what the ruling means for the site
  /// The order that made the ruling; null for `none`, `unread` and `needs_sign_off`.
  std::shared_ptr<const ruling_order> order{};

  /// Returns true if the site may get requests.
  [[nodiscard]] bool may_ask() const noexcept {
    return effect == ruling_effect::none || effect == ruling_effect::allowed ||
           effect == ruling_effect::fixed_text;
  }
};

/// Returns a sentence for people: the effect, and who or what made the ruling.
[[nodiscard]] std::string explain(const site_ruling& ruling);

/// The rulings of a crawl, kept in a `RulingLedger`.
///
///     operator, alarms --> order --> this process (holds at once) --> ledger (gets its number)
///                                                                        |
///     find(site) <-- all rulings, in memory <--- message, poll, reconnect-+
///
/// A cache with this type as its fifth parameter obeys the rulings, makes those of the alarms, and
/// returns the object from `basic_robots_cache::rulings`:
///
///     basic_robots_cache<CurlFetcher, SteadyClock, LruStorage<4096>, NullObserver, SiteRulings>
///
/// A question about a site needs no I/O, takes constant time, and never blocks. An order holds in
/// this process at once. While the ledger cannot be reached, the order waits, and is sent later,
/// once. Orders that the ledger has lost are put back.
///
/// A text names the place of a ruling. A host, such as `example.com`, covers both schemes and all
/// ports. `example.com:8080` covers this port with both schemes. A URL covers its origin.
///
/// Copies share one state, so several caches and gates can hold the same rulings. The constructor
/// does no I/O. The first question starts the thread that reads the ledger; see
/// `rulings_options::poll`. Any thread may call any member. The functions that make orders throw
/// `std::invalid_argument` for a text that names no site. If the ledger can be reached, they wait
/// for it, and the orders that they return have numbers.
class SiteRulings {
 public:
  /// Throws `std::invalid_argument` for invalid options. The message says what to change.
  explicit SiteRulings(rulings_options options);
  /// Keeps the rulings in this process, with the default options.
  SiteRulings() : SiteRulings(rulings_options{}) {}

  /// Returns the ruling that decides on a site.
  [[nodiscard]] site_ruling find(const site& asked) const;
  /// Returns the ruling that decides on the site of a URL, a host or `host:port`. Returns `none`
  /// for a text that names no site.
  [[nodiscard]] site_ruling find(std::string_view host_or_url) const;
  /// Returns false if `find` returns `none` for all sites of the host. Takes a few nanoseconds, and
  /// no lock. `host` has the form of `site::host`.
  [[nodiscard]] bool may_decide_on(std::string_view host) const;
  /// Returns a filter that has each host for which `may_decide_on` returns true. Returns null if a
  /// host can be high-risk without a ruling. The filter lives as long as a copy of this object.
  [[nodiscard]] const detail::host_filter* ruled_hosts() const noexcept;
  /// Returns the high-risk sites that wait for a sign-off, sorted by `site::key` without a scheme.
  /// A site begins to wait when a cache of this process is asked about it. The list has at most
  /// 65,536 sites. Sites for which the list has no room are denied, too.
  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const;
  /// Returns the rulings in force, sorted by site and kind.
  [[nodiscard]] std::vector<ruling_order> in_force() const;

  /// Halts a site: nothing is allowed there, and it gets no requests, until `resume`. Returns the
  /// order, or nothing if exactly this place is halted already.
  std::vector<ruling_order> halt(std::string_view host_or_url, std::string_view maker = {});
  /// Ends all halts that cover the site or a part of it. One call is enough for all processes. If
  /// the halt came from a change of the robots.txt, the present rules are accepted, and halt the
  /// site only after another change. Returns the orders that ended halts.
  std::vector<ruling_order> resume(std::string_view host_or_url, std::string_view maker = {});
  /// Allows or denies everything at a site, whatever its robots.txt says. Returns the order, or
  /// nothing if it changes nothing. Throws `std::invalid_argument` for `site_override::none`.
  std::vector<ruling_order> override_with(std::string_view host_or_url, site_override value,
                                          std::string_view maker = {});
  /// Gives a site a fixed robots.txt. Throws `std::invalid_argument` for more than 65,536 octets.
  std::vector<ruling_order> override_with_text(std::string_view host_or_url,
                                               std::string_view robots_txt,
                                               std::string_view maker = {});
  /// Ends all overrides that cover the site or a part of it. Returns the orders that ended them.
  std::vector<ruling_order> end_override(std::string_view host_or_url, std::string_view maker = {});
  /// Permits to crawl a high-risk site. Returns the order, or nothing if the site has it already.
  std::vector<ruling_order> sign_off(std::string_view host_or_url, std::string_view maker = {});
  /// Ends all sign-offs that cover the site or a part of it. Returns the orders that ended them.
  std::vector<ruling_order> withdraw_sign_off(std::string_view host_or_url,
                                              std::string_view maker = {});
  /// Denies a site because of its malformed files. Returns the order, or nothing if the place is in
  /// quarantine already.
  std::vector<ruling_order> quarantine(std::string_view host_or_url, std::string_view maker = {});
  /// Ends all quarantines that cover the site or a part of it. Returns the orders that ended them.
  std::vector<ruling_order> end_quarantine(std::string_view host_or_url,
                                           std::string_view maker = {});

  /// Halts a site because of an alarm, without blocking: the order is sent by the thread, or by the
  /// next `catch_up`. `fingerprint` identifies the fact that raised the alarm, such as the rules
  /// that deny everything. If somebody has resumed the site after this fact, there is no halt. An
  /// empty `fingerprint` differs from all others. Returns the order, or nothing, also if there are
  /// `rulings_options::most_alarms` already.
  std::vector<ruling_order> raise_halt(std::string_view host_or_url, halt_reason why,
                                       std::string_view fingerprint);
  /// Puts a site into quarantine because of its malformed files, without blocking. Returns the
  /// order, or nothing.
  std::vector<ruling_order> raise_quarantine(std::string_view host_or_url);
  /// Returns true if the last halt of a site has ended, and the rules that raised it are accepted.
  [[nodiscard]] bool has_accepted_rules(std::string_view host_or_url) const;
  /// Returns true if the last halt of a site has ended, and the fact that raised it had this
  /// `fingerprint`.
  [[nodiscard]] bool has_accepted(std::string_view host_or_url, std::string_view fingerprint) const;
  /// Adds a site to `awaiting_sign_off`. Returns false if the list has it, or has no room.
  bool note_awaiting(const site& asked);
  /// Makes the view of one cache: see `Rulings`.
  [[nodiscard]] std::unique_ptr<rulings_view> view(const rulings_context& context);

  /// Reads new orders from the ledger, puts back what it has lost, and sends own orders. Blocks.
  /// Returns false if the ledger cannot be reached; `failure` says why.
  bool catch_up();
  /// Waits until the ledger was read once, but not beyond `deadline` or a request to stop. Returns
  /// true if it was read, or if there is no ledger. Without a thread (`rulings_options::poll` is
  /// 0), does the reading itself. Then `deadline` and `stop` end no call of the ledger, whose own
  /// timeouts apply.
  bool wait_until_read(std::optional<time_point> deadline = {}, const stop_token& stop = {}) const;
  /// Returns true if the ledger was read once, or if there is none.
  [[nodiscard]] bool is_read() const;
  /// Returns the number of own orders that the ledger does not have yet.
  [[nodiscard]] std::size_t unsent() const;
  /// Returns why the last call of the ledger failed; empty if it succeeded.
  [[nodiscard]] std::string failure() const;
  /// Returns the number of times that this process has put lost orders back. Watch this figure: an
  /// order that is put back keeps its number, so there is no event about it.
  [[nodiscard]] std::size_t put_backs() const;
  /// Returns the number of alarms of this process that made no ruling, since there was no room: see
  /// `rulings_options::most_alarms`.
  [[nodiscard]] std::size_t dropped_alarms() const;

  /// Calls `on_order` with each order that changes a ruling in this process, one after the other.
  /// The calls come in the thread that learned the order, or in a thread that reports another order
  /// at this time. No lock is held, so `on_order` may call this object. It should not block, since
  /// later orders wait for it. Its exceptions are ignored. Destroy the result to end the calls. If
  /// a call of `on_order` runs in another thread, the destruction waits for its end. Orders that
  /// ended rulings before the first reading of the ledger are not reported.
  [[nodiscard]] std::shared_ptr<const void> on_order(
      std::function<void(const ruling_order& order)> on_order);

  /// Like `on_order`, but first calls `on_news` with each order in force (`order_news::in_force`).
  /// Also calls it with each order that gets its number from the ledger, or another number after a
  /// loss (`order_news::numbered`). An order that was made without a number is reported with its
  /// number later, with the same id, unless a later order replaces it before.
  [[nodiscard]] std::shared_ptr<const void> on_news(
      std::function<void(const ruling_order& order, order_news why)> on_news);

  /// Returns the options that the constructor got.
  [[nodiscard]] const rulings_options& options() const noexcept;

 private:
  std::shared_ptr<rulings_detail::rulings_state> state_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rulings/site_rulings.bodies.hpp>
#endif
