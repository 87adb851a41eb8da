#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/http/host_filter.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/event_teller.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/time/clock.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The parts of a cache that its rulings use. The cache gives them to the `view` function of a
/// model of `Rulings`. Any thread may call the functions.
struct rulings_context {
  detail::event_teller& teller;                 ///< sends events to the cache's observer
  const crawler_names& crawler;                 ///< the names of the crawler that fetches
  const detail::any_fallback_policy& fallback;  ///< `cache_options::fallback`
  /// The product tokens of `cache_options::other_agents`.
  std::vector<std::string> other_agents{};
  bool observes_changes = false;  ///< the observer gets `policy_change_event`
  /// Makes the policy of a site whose robots.txt is `text`.
  std::function<std::shared_ptr<const policy>(const site& asked, std::string_view text)> read{};
  /// The next look-up of the site must fetch its robots.txt again. The answers of requests that
  /// were sent before do not come to `on_answer`, or have `site_answer::is_forgotten`.
  std::function<void(const site& asked)> renew{};
  /// A ruling begins to deny a site. `bare_site` is `site::key` without a scheme.
  std::function<void(std::string_view bare_site)> on_denied{};
};

/// An answer of a site, or a failure of its fetch, that has just come.
struct site_answer {
  std::string_view site_key;                           ///< `site::key` of the site
  const std::shared_ptr<const call_context>& context;  ///< from the call that began the fetch
  const std::shared_ptr<const policy> before;          ///< the policy before this one, or null
  const std::shared_ptr<const policy>& after;          ///< the policy of the answer
  time_point now;                                      ///< when the answer came
  /// Becomes true if somebody forgets the site, or ends a halt or a quarantine of it, so that the
  /// answer is of no use any more.
  const std::atomic<bool>& is_forgotten;
  bool is_from_store = false;  ///< another process of the crawl fetched it
  /// The process that fetched it has seen that the site now denies everything, and did not before.
  bool turned_hostile = false;
};

/// The rulings as one cache sees them. The cache asks this object at these places, and nowhere
/// else:
///
///     before it answers                           ruled_hosts or may_decide_on, find
///     before a request leaves, also after a       may_ask
///       redirect, before a retry, and while a
///       request waits
///     when an answer of a site arrives            on_answer
///     when a page's response is reported          on_access_revoked
///
/// A request that `look_up::next` has already returned can still leave after a halt.
///
/// Only `wait_until_ready` may block. Any thread may call any member.
class rulings_view {
 public:
  rulings_view() = default;
  rulings_view(const rulings_view&) = delete;
  rulings_view& operator=(const rulings_view&) = delete;
  virtual ~rulings_view() = default;

  /// Waits until `find` knows the rulings of the whole crawl, but at most for `longest`, and only
  /// until a request to stop. If the calling thread must read the ledger itself, the timeouts of
  /// the ledger apply instead.
  virtual void wait_until_ready(std::optional<std::chrono::nanoseconds> longest,
                                const stop_token& stop) = 0;
  /// Returns false if `find` returns no policy for all sites of the host. Each hit of the cache
  /// calls this function, so it takes a few nanoseconds.
  [[nodiscard]] virtual bool may_decide_on(std::string_view host) const = 0;
  /// Returns a filter that has each host for which `may_decide_on` returns true, now or later. Then
  /// a hit asks the filter instead. Returns null if there is no such filter. The filter lives as
  /// long as this object.
  [[nodiscard]] virtual const detail::host_filter* ruled_hosts() const noexcept { return nullptr; }
  /// Returns the ruling that decides on a site, as the policy that the site has. Returns null if
  /// there is none. If `is_excluded` is true, the cache excludes the host: then only a halt and an
  /// override count.
  [[nodiscard]] virtual std::shared_ptr<const policy> find(const site& asked, bool is_excluded) = 0;
  /// Returns false if a ruling forbids requests to the site.
  [[nodiscard]] virtual bool may_ask(const site& asked) = 0;

  /// Compares an answer with the earlier ones, before any caller sees it. Reports a change, and
  /// makes rulings if the options demand this. Returns true if the site has turned hostile: it
  /// denies everything, but did not before.
  virtual bool on_answer(const site_answer& answer) = 0;
  /// The site has refused a page that its rules allow.
  virtual void on_access_revoked(std::string_view site_key,
                                 const std::shared_ptr<const call_context>& context) = 0;

  /// Returns the sites in quarantine, sorted.
  [[nodiscard]] virtual std::vector<std::string> quarantined() const = 0;
};

}  // namespace robots
