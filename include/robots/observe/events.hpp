#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

class policy;
struct call_context;
struct change_report;
struct decision;
struct exchange;
struct record;
enum class admission_reason : std::uint8_t;
enum class halt_reason : std::uint8_t;
enum class site_override : std::uint8_t;

}  // namespace robots

namespace robots::detail {

/// The clock behind `event::time`. It is read only when an observer asks, since most do not.
class event_clock {
 public:
  event_clock() = default;
  event_clock(const event_clock&) = delete;
  event_clock& operator=(const event_clock&) = delete;

  /// The date now. Any thread; does not throw.
  [[nodiscard]] virtual wall_time wall() noexcept = 0;

 protected:
  ~event_clock() = default;
};

}  // namespace robots::detail

namespace robots {

/// The common part of all events. The references in an event end with the call of the observer.
struct event {
  std::string_view site{};                ///< see `site::key`; empty where the event has no site
  const call_context* context = nullptr;  ///< of the call that led to it; null if the call had none
  detail::event_clock* clock = nullptr;   ///< the clock of `time`; null for the system's clock
  /// The product token of the crawler that the cache or gate works for; empty if it is not known.
  std::string_view crawler{};

  /// The time of the call, by the clock of the cache or gate that the event comes from.
  [[nodiscard]] wall_time time() const noexcept {
    return clock != nullptr ? clock->wall() : std::chrono::system_clock::now();
  }
};

/// The way in which a look-up got its policy.
enum class look_up_result : std::uint8_t {
  hit,        ///< from a fresh entry
  stale_hit,  ///< from one that is no longer fresh and is being renewed
  miss,       ///< not yet: the site, or a shared store, is about to be asked
  joined,     ///< from the fetch of another look-up
};

/// The name of a result, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(look_up_result result) noexcept {
  return base::enum_text<look_up_result::joined>(result, {"hit", "stale_hit", "miss", "joined"});
}

/// A site was looked up.
struct look_up_event : event {
  static constexpr std::string_view name = "look_up";  ///< of its kind
  look_up_result result = look_up_result::miss;        ///< how
  const robots::policy* policy = nullptr;              ///< the result; null for a miss
};

/// A retrieval has made an exchange. Told when the retrieval ends, in the order of exchanges,
/// before its `retrieval_event`.
struct exchange_event : event {
  static constexpr std::string_view name = "exchange";  ///< of its kind
  const robots::exchange& exchange;                     ///< the URL, and the status or error
  std::chrono::nanoseconds ended{0};                    ///< how long before now it ended
  std::chrono::nanoseconds duration{0};                 ///< from the request to the response
  std::size_t bytes = 0;  ///< octets of the body, as far as it was read
  int hop = 0;            ///< redirects of this try that led here
  int attempt = 1;        ///< which try it belongs to: from 2 on, a retry
};

/// A robots.txt was read.
struct parse_event : event {
  static constexpr std::string_view name = "parse";  ///< of its kind
  const robots::policy& policy;                      ///< the result: `rules`, `findings`
  std::chrono::nanoseconds duration{0};              ///< decoded, read and compiled
  /// The text was read as UTF-8 and is not valid UTF-8. Bad octets stay as they are.
  bool invalid_utf8 = false;
};

/// A robots.txt was asked for.
struct retrieval_event : event {
  static constexpr std::string_view name = "retrieval";  ///< of its kind
  const robots::policy& policy;                          ///< what came of it
  const robots::record& record;  ///< its source; without body if the file is that of another site
  std::chrono::nanoseconds duration{0};  ///< how long it took by the cache's clock
  /// The exchanges of the retrieval, which were reported before. For the file of another site, the
  /// exchanges that led there.
  const std::vector<exchange_event>* exchanges = nullptr;
};

/// A fresh record that another process had fetched was taken from the shared store.
struct far_hit_event : event {
  static constexpr std::string_view name = "far_hit";  ///< of its kind
  const robots::policy& policy;                        ///< what came of it
  const robots::record& record;                        ///< what the store had
};

/// A record was taken from the shared store that does not answer the look-up: a last good copy, or
/// one by which to ask the site whether its robots.txt has changed.
struct far_copy_event : event {
  static constexpr std::string_view name = "far_copy";  ///< of its kind
  const robots::policy& policy;                         ///< what came of it
  const robots::record& record;                         ///< what the store had
};

/// The fallback policy decided, because the robots.txt was unavailable, or too malformed to be
/// obeyed.
struct fallback_event : event {
  static constexpr std::string_view name = "fallback";  ///< of its kind
  const robots::policy& policy;  ///< `basis` is the action, `outcome` the row
};

/// The wishes of a site have changed: its robots.txt came, went, or has other rules or delays. Told
/// before any decision rests on the new policy.
struct policy_change_event : event {
  static constexpr std::string_view name = "policy_change";  ///< of its kind
  const robots::policy& before;                              ///< made of the answer before
  const robots::policy& after;                               ///< made of this one
  const change_report& changes;                              ///< the changes
  std::chrono::nanoseconds interval{0};  ///< between the times at which both were fetched
  bool fast = false;                     ///< see `fast_change_share` and `fast_change_within`
  bool turned_hostile = false;  ///< everything is denied now (`denies_everything`), and was not
};

/// A site refuses what it allowed before: a page that robots.txt allows got 401, 403 or a challenge
/// (see `basic_robots_cache::report_response`), or the robots.txt itself got 401 or 403.
struct access_revoked_event : event {
  static constexpr std::string_view name = "access_revoked";  ///< of its kind
  std::string_view url;  ///< of the page, or of the robots.txt behind its redirects
  int status = 0;        ///< of the answer
};

/// A site was halted, or resumed. `site` is a host or `host:port` without a scheme, since a halt
/// holds for every scheme.
struct halt_event : event {
  static constexpr std::string_view name = "halt";  ///< of its kind
  halt_reason reason{};                             ///< why it was halted
  bool resumed = false;                             ///< the halt was lifted
};

/// A high-risk site was met first, was signed off, or its sign-off was taken back. `site` is as in
/// `halt_event`.
struct sign_off_event : event {
  static constexpr std::string_view name = "sign_off";  ///< of its kind
  bool given = false;                                   ///< the site was signed off
  bool awaited = false;  ///< it was met and waits for a sign-off; neither: that was taken back
};

/// A decision was made.
struct decision_event : event {
  static constexpr std::string_view name = "decision";  ///< of its kind
  std::string_view url;                                 ///< as it was asked about
  const robots::decision& decision;                     ///< the answer
};

/// The circuit breaker of an origin, which is the event's site, has changed.
struct breaker_event : event {
  static constexpr std::string_view name = "breaker";  ///< of its kind
  breaker_state state = breaker_state::closed;         ///< its new state
};

/// A storage has dropped an entry.
struct drop_event : event {
  static constexpr std::string_view name = "drop";  ///< of its kind
  bool expired = false;                             ///< its time was over; else there was no room
};

/// A site was put in quarantine, or released from it.
struct quarantine_event : event {
  static constexpr std::string_view name = "quarantine";  ///< of its kind
  bool released = false;                                  ///< released
};

/// An override was set or lifted: see `basic_robots_cache::set_override`.
struct override_event : event {
  static constexpr std::string_view name = "override";  ///< of its kind
  site_override value{};                                ///< the new override; `none`: it was lifted
};

/// The excluded hosts were replaced: see `basic_robots_cache::set_excluded`. Its site is empty.
struct exclusions_event : event {
  static constexpr std::string_view name = "exclusions";  ///< of its kind
  std::span<const std::string> hosts;                     ///< the new list, as it was given
};

/// A `basic_admission` has answered whether and when a URL may be fetched.
struct admission_event : event {
  static constexpr std::string_view name = "admission";  ///< of its kind
  std::string_view url;                                  ///< the URL that the caller asked about
  const robots::decision& decision;                      ///< the decision by robots.txt
  admission_reason reason{};                             ///< the answer
  std::chrono::nanoseconds waited{0};                    ///< how long the call took
  /// The site is halted, in quarantine or not signed off: a person should look at the URL.
  bool needs_review = false;
};

/// The ledger of a gate has failed, or answers again: see `gate_options::ledger`.
struct ledger_event : event {
  static constexpr std::string_view name = "ledger";  ///< of its kind
  bool up = false;                                    ///< it answers again
  std::string_view message;                           ///< why it failed; empty if it is up
};

/// The state of the store that a cache shares with other processes has changed.
struct far_store_event : event {
  static constexpr std::string_view name = "far_store";  ///< of its kind
  bool up = false;  ///< it answers again; else it has failed, and is left alone for a while
  std::string_view message;  ///< its last error; empty if it is up
};

/// The invalidation of `event::site` did not reach the shared store, and this process stops trying:
/// the other processes may go by the old rules until these expire.
struct lost_invalidation_event : event {
  static constexpr std::string_view name = "lost_invalidation";  ///< of its kind
};

}  // namespace robots
