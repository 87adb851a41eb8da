#pragma once

#include <robots/fetch/breaker_options.hpp>
#include <robots/fetch/fwd.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/look_up_result.hpp>
#include <robots/observe/page_outcome.hpp>
#include <robots/policy/fwd.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/rep/fwd.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

struct licence_demand_result;

}  // namespace robots

namespace robots::detail {

struct exchange;

/// The clock behind `event_base::time`. Only a call of `time` reads this clock.
class event_clock {
 public:
  event_clock() = default;
  event_clock(const event_clock&) = delete;
  event_clock& operator=(const event_clock&) = delete;
  [[nodiscard]] virtual wall_time wall() noexcept = 0;  ///< the date; any thread may call this

 protected:
  ~event_clock() = default;
};

}  // namespace robots::detail

namespace robots {

/// The members of all events. References in an event are valid until the observer returns.
struct event_base {
  std::string_view site{};                ///< the key of the site (`site::key`), or empty
  const call_context* context = nullptr;  ///< context of the call that caused the event, or null
  detail::event_clock* clock = nullptr;   ///< the clock of `time`; null for the system clock
  /// The product token of the crawler that uses the cache or gate; empty if unknown.
  std::string_view crawler{};

  /// Returns the time of the event, by the clock of the cache or gate.
  [[nodiscard]] wall_time time() const noexcept {
    return clock != nullptr ? clock->wall() : std::chrono::system_clock::now();
  }
};

/// A site was looked up. In a log: INFO for a miss; otherwise DEBUG.
struct look_up_event : event_base {
  static constexpr std::string_view name = "look_up";  ///< the name of the event
  look_up_result result = look_up_result::miss;        ///< how the policy was found
  const robots::policy* policy = nullptr;              ///< the policy; null for a miss
};

/// A retrieval sent a request and got a response or an error. The observer gets the events of all
/// exchanges at the end of the retrieval, in order, before the `retrieval_event`. In a log: INFO;
/// WARN without a response, and for 4xx and 5xx, except 404 and 410.
struct exchange_event : event_base {
  static constexpr std::string_view name = "exchange";  ///< the name of the event
  const detail::exchange& exchange;      ///< the exchange, with its URL and its status or error
  std::chrono::nanoseconds ended{0};     ///< time from the end of the exchange to the event
  std::chrono::nanoseconds duration{0};  ///< time from the request to the response
  std::size_t bytes = 0;                 ///< octets read of the body
  int hop = 0;      ///< number of redirects before this exchange, in the same try
  int attempt = 1;  ///< number of the try; 2 and more are retries
};

/// A robots.txt was parsed. In a log: INFO; WARN if lines are malformed or the file is not UTF-8.
/// Also WARN if one of the first 32 findings is a guess, as for `Disalow: /a`, or a rule that never
/// matches. CRITICAL if the file is above the malformed limit.
struct parse_event : event_base {
  static constexpr std::string_view name = "parse";  ///< the name of the event
  const robots::policy& policy;                      ///< the resulting policy
  std::chrono::nanoseconds duration{0};              ///< time to decode, parse and compile
  /// True if the text was read as UTF-8 but is not valid UTF-8. The invalid octets are kept.
  bool invalid_utf8 = false;
};

/// A retrieval of a robots.txt has ended. In a log: INFO; ERROR for a failure; CRITICAL if the file
/// is above the malformed limit.
struct retrieval_event : event_base {
  static constexpr std::string_view name = "retrieval";  ///< the name of the event
  const robots::policy& policy;                          ///< the resulting policy
  /// The result of the retrieval, with the headers of the last response. It has no body after
  /// `outcome::redirected` and `outcome::challenged`.
  const robots::record& record;
  std::chrono::nanoseconds duration{0};  ///< the duration, by the clock of the cache
  /// The events of all exchanges. After `outcome::redirected`, the last event is the redirect.
  const std::vector<exchange_event>* exchanges = nullptr;
};

/// The shared store had a fresh record from another process. In a log: INFO.
struct far_hit_event : event_base {
  static constexpr std::string_view name = "far_hit";  ///< the name of the event
  const robots::policy& policy;                        ///< the resulting policy
  const robots::record& record;                        ///< the record from the store
};

/// The shared store had a record that the look-up cannot use as its answer. A record can be too
/// old, so that the cache must renew it first. A record with the site's last readable robots.txt is
/// no answer if a later retrieval had another result. In a log: INFO.
struct far_old_record_event : event_base {
  static constexpr std::string_view name = "far_old_record";  ///< the name of the event
  const robots::policy& policy;                               ///< the resulting policy
  const robots::record& record;                               ///< the record from the store
};

/// The earlier name of `far_old_record_event`.
using far_copy_event [[deprecated("use far_old_record_event")]] = far_old_record_event;

/// The fallback policy decided, since robots.txt could not be fetched or was too malformed. In a
/// log: ERROR.
struct fallback_event : event_base {
  static constexpr std::string_view name = "fallback";  ///< the name of the event
  const robots::policy& policy;  ///< `basis()` is the action, and `outcome()` is the reason
};

/// The permissions of a site have changed: its robots.txt appeared, disappeared, or has other rules
/// or delays. The event comes before the first decision by the new policy. In a log: INFO; ERROR
/// for a fast change; CRITICAL for a change that turns hostile.
struct policy_change_event : event_base {
  static constexpr std::string_view name = "policy_change";  ///< the name of the event
  const robots::policy& before;                              ///< the policy before the change
  const robots::policy& after;                               ///< the policy after the change
  const change_report& changes;                              ///< the changes
  std::chrono::nanoseconds interval{0};                      ///< time between the two fetches
  bool fast = false;  ///< true for a fast change (`rulings_options::fast_change_share`)
  /// True if the rules now mean the same as `Disallow: /`, but did not before.
  bool turned_hostile = false;
};

/// A site refuses a page that the cache does not deny, or begins to refuse its robots.txt. A 401, a
/// 403 or a challenge refuses a page (see `basic_robots_cache::report_response`). In a log:
/// CRITICAL.
struct access_revoked_event : event_base {
  static constexpr std::string_view name = "access_revoked";  ///< the name of the event
  std::string_view url;  ///< the page, or the robots.txt after redirects
  int status = 0;        ///< HTTP status of the answer
};

/// A server demands a licence for a page or for the robots.txt (RSL 1.0, section 6.3). This is no
/// reason to try again, and no sign that access was revoked. In a log: WARN.
struct licence_demanded_event : event_base {
  static constexpr std::string_view name = "licence_demanded";  ///< the name of the event
  std::string_view url;                 ///< the page, or the robots.txt after redirects
  int status = 0;                       ///< HTTP status of the answer, 401 or 402
  const licence_demand_result& demand;  ///< the challenge, and the licences that can be had
};

/// A site was halted, or resumed. `site` is the text of the order: a host, `host:port` or an
/// origin. In a log: CRITICAL; INFO for a site that is resumed.
struct halt_event : event_base {
  static constexpr std::string_view name = "halt";  ///< the name of the event
  halt_reason reason{};                             ///< the reason of the halt
  bool resumed = false;                             ///< true if the halt was lifted
  order_reference order{};                          ///< the order that did it
  /// Identifies the rules, or another fact, that raised the alarm or that a resume accepts. Empty
  /// for a halt by hand.
  std::string_view fingerprint{};
};

/// A high-risk site was seen for the first time, got its sign-off, or lost its sign-off. `site` has
/// the same form as in `halt_event`. In a log: INFO; WARN for a site that waits for a sign-off.
struct sign_off_event : event_base {
  static constexpr std::string_view name = "sign_off";  ///< the name of the event
  bool given = false;                                   ///< true if the site got its sign-off
  /// True if the site waits for its sign-off. If `given` and `awaited` are both false, the site
  /// lost its sign-off.
  bool awaited = false;
  order_reference order{};  ///< the order that did it; empty for a site that waits
};

/// A decision was made. In a log: INFO; `denied_level` for a denial; at least ERROR if the fallback
/// policy decided, unless the call ended before robots.txt came.
struct decision_event : event_base {
  static constexpr std::string_view name = "decision";  ///< the name of the event
  std::string_view url;                                 ///< the URL, as given by the caller
  const robots::decision& decision;                     ///< the answer
};

/// The circuit breaker of an origin changed its state. `site` is the origin. In a log: INFO; WARN
/// when the breaker opens.
struct breaker_event : event_base {
  static constexpr std::string_view name = "breaker";  ///< the name of the event
  breaker_state state = breaker_state::closed;         ///< the new state
};

/// The storage of a cache has dropped an entry. The cache can hold a lock during this event. An
/// observer may call the cache. It must not wait for a fetch, or for another thread that calls the
/// cache. In a log: DEBUG.
struct drop_event : event_base {
  static constexpr std::string_view name = "drop";  ///< the name of the event
  bool expired = false;  ///< true if the entry had expired; false if the storage needed room
};

/// A site was put in quarantine, or was released from quarantine. In a log: CRITICAL; INFO for a
/// release.
struct quarantine_event : event_base {
  static constexpr std::string_view name = "quarantine";  ///< the name of the event
  bool released = false;                                  ///< true if released
  order_reference order{};                                ///< the order that did it
};

/// An override was made or ended: see `SiteRulings::override_with`. In a log: INFO.
struct override_event : event_base {
  static constexpr std::string_view name = "override";  ///< the name of the event
  site_override value{};                                ///< the new override; `none` if lifted
  order_reference order{};                              ///< the order that did it
  std::string_view text{};                              ///< the fixed robots.txt, or empty
};

/// The ledger has given an order its number, or another number after a loss. The event about the
/// order itself came before, and had the same `order_reference::id`. In a log: INFO.
struct order_event : event_base {
  static constexpr std::string_view name = "order";  ///< the name of the event
  order_reference order{};                           ///< the order with its number
};

/// A cache with rulings began. The events about the rulings in force at this time follow. `site` is
/// empty. In a log: INFO.
struct rulings_event : event_base {
  static constexpr std::string_view name = "rulings";  ///< the name of the event
  std::span<const std::string> needs_sign_off;         ///< `rulings_options::needs_sign_off`
  bool has_own_risk = false;                           ///< `rulings_options::is_high_risk` is set
  bool has_ledger = false;                             ///< other processes can make orders, too
  /// True if all sites are denied until the ledger was read (`rulings_options::without_ledger`).
  bool denies_unread = false;
};

/// The excluded hosts were replaced: see `basic_robots_cache::set_excluded`. `site` is empty. In a
/// log: INFO.
struct exclusions_event : event_base {
  static constexpr std::string_view name = "exclusions";  ///< the name of the event
  std::span<const std::string> hosts;                     ///< the new list, as given by the caller
};

/// A gate answered whether and when a URL may be fetched. In a log: the level of a `decision`.
struct admission_event : event_base {
  static constexpr std::string_view name = "admission";  ///< the name of the event
  std::string_view url;                                  ///< the URL, as given by the caller
  const robots::decision& decision;                      ///< the decision about the URL
  admission_reason reason{};                             ///< the answer
  std::chrono::nanoseconds waited{0};                    ///< duration of the call
  /// True if a person should look at the site, because it is halted, in quarantine or not signed
  /// off.
  bool needs_review = false;
};

/// The ledger of a gate (`gate_options::ledger`) has failed, or answers again. In a log: ERROR when
/// the ledger fails; INFO when it answers again.
struct ledger_event : event_base {
  static constexpr std::string_view name = "ledger";  ///< the name of the event
  bool up = false;                                    ///< true if the ledger answers again
  std::string_view message;                           ///< the error; empty if the ledger answers
};

/// The store that a cache shares with other processes has failed or refuses some calls, or it works
/// again. In a log: ERROR when the store fails; INFO when it answers again.
struct far_store_event : event_base {
  static constexpr std::string_view name = "far_store";  ///< the name of the event
  bool up = false;           ///< true if the store answers again; false if it has failed
  std::string_view message;  ///< the last error; empty if the store answers
};

/// The cache could not erase the rules of a site from the shared store, and no longer tries. Other
/// processes can use these rules until they expire. In a log: ERROR.
struct lost_invalidation_event : event_base {
  static constexpr std::string_view name = "lost_invalidation";  ///< the name of the event
};

}  // namespace robots
