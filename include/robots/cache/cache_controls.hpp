#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace cache_detail {

class cache_engine;
class cache_parts;
struct found;
struct shared_part;

}  // namespace cache_detail

/// The part of `basic_robots_cache` that does not depend on template arguments. It looks up sites,
/// decides on URLs and makes rulings on sites. An operator's console can use a `cache_controls&`.
///
/// Any thread may call any member function. Network failures and bad content never throw.
class cache_controls {
 public:
  cache_controls(const cache_controls&) = delete;
  cache_controls& operator=(const cache_controls&) = delete;

  /// Returns the policy of a site. The argument is a URL, a host or `host:port`. The result is
  /// never null. For an excluded host, and for a text that names no site, the policy denies
  /// everything. For an excluded host, the call is counted as a decision, and the observer gets
  /// this decision.
  ///
  /// If the call is stopped or its time runs out during the fetch, the result is the fallback
  /// policy for `outcome::cancelled`. The cache does not keep this policy. The fetch continues for
  /// later calls (`cache_options::finish_abandoned`).
  [[nodiscard]] std::shared_ptr<const policy> get(std::string_view host_or_url,
                                                  const call_options& call = {}) {
    return look_up_policy(host_or_url, call, false);
  }

  /// Decides whether the crawler may fetch `url`, with the reason.
  [[nodiscard]] decision check(std::string_view url, const call_options& call = {});

  /// Returns `check(url, call).allowed`.
  [[nodiscard]] bool allowed(std::string_view url, const call_options& call = {}) {
    return check(url, call).allowed;
  }

  /// Begins a look-up in steps, for programs that do their own network I/O: see `look_up`. Never
  /// blocks. Uses only `context` and `user_agent` of `call`. For an excluded host, the call is
  /// counted as a decision, as in `get`. A later `check` of the same text with this look-up does
  /// not count this decision again.
  ///
  /// While you drive a look-up, do not call a blocking function for its site, since that call would
  /// wait for you. The cache renews stale policies (`cache_options::stale_while_revalidate`) and
  /// asks the shared store in background threads.
  [[nodiscard]] look_up begin(std::string_view host_or_url, const call_options& call = {});

  /// Decides whether the crawler may fetch `url`. If there is a ruling on the site, the ruling
  /// decides. Otherwise, the policy of `ended` decides. Throws `std::logic_error` if `ended` has no
  /// policy yet. Throws `std::invalid_argument` if `ended` has looked up another site.
  [[nodiscard]] decision check(std::string_view url, const look_up& ended);

  /// Decides on `url` with the policy `used`, for example a policy that `get` returned. Unlike
  /// `policy::allows`, counts the decision and reports it to the observer. A ruling on the site,
  /// such as a halt, overrides `used`. `url` is a URL of the policy's site, or a path with query.
  /// Fetches nothing. Uses only `context` of `call`. Throws `std::invalid_argument` if `used` is
  /// null.
  [[nodiscard]] decision check(std::string_view url, const std::shared_ptr<const policy>& used,
                               const call_options& call = {});

  /// Counts and reports a decision that was made without this cache, such as an exclusion. Uses
  /// only `context` of `call`.
  void note(std::string_view url, const decision& decided, const call_options& call = {});

  /// Forgets the rules of a site and its last good copy. The next call fetches the rules again,
  /// unless the site is in quarantine or its circuit breaker is open. For a host without a scheme,
  /// also forgets its https and http origins. The other processes that share the storage forget the
  /// rules within a second after the store gets the erasure. `cache_stats::pending_invalidations`
  /// is the number of erasures that the store has not received yet. Does not block on the store.
  void invalidate(std::string_view host_or_url);

  /// Asks a site again now, even if its rules are fresh. The request has the validators of the last
  /// response. Returns the new policy. Unlike `invalidate`, `refresh` keeps the last good copy, in
  /// case the fetch fails. Other processes that share the storage use the answer, too. For an
  /// excluded host, the call is counted as a decision, as in `get`.
  std::shared_ptr<const policy> refresh(std::string_view host_or_url,
                                        const call_options& call = {}) {
    return look_up_policy(host_or_url, call, true);
  }

  /// Replaces the excluded hosts of `cache_options::excluded`. Throws `std::invalid_argument` for
  /// an entry that can never exclude anything; then the old list stays. A running fetch uses the
  /// old list until it ends.
  void set_excluded(std::span<const std::string> entries);

  /// Sets an override for a site. `site_override::none` removes the override. An override takes
  /// precedence over robots.txt, exclusions and quarantine, but not over a halt or a missing
  /// sign-off. A host without a scheme and its https and http origins share overrides. An origin
  /// without an override uses the override of its host. A host without an override uses the
  /// override of its https origin or, if there is none, of its http origin. Throws
  /// `std::invalid_argument` for a text that names no site.
  void set_override(std::string_view host_or_url, site_override value);

  /// Returns the overrides, sorted by `site::key`.
  [[nodiscard]] std::vector<std::pair<std::string, site_override>> overrides() const;

  /// Halts a site, for both schemes, until `resume`. Nothing is allowed at a halted site
  /// (`decision_reason::halted`), and the cache sends no new request to the site, not even after a
  /// redirect. Requests that wait in a gate of a `basic_admission` are refused. The cache itself
  /// also halts sites, by `cache_options::halt_hostile`, `halt_unreachable_after` and
  /// `halt_revoked`. While 65,536 sites are halted, `halt` has no effect on other sites. Throws
  /// `std::invalid_argument` for a text that names no site.
  void halt(std::string_view host_or_url, const call_options& call = {});

  /// Lifts the halt of a site, so that its robots.txt decides again. If the site was halted as
  /// hostile, its robots.txt is fetched again. Returns true if the site was halted.
  bool resume(std::string_view host_or_url);

  /// Returns true if the site of a URL is halted.
  [[nodiscard]] bool is_halted(std::string_view host_or_url) const;

  /// Returns the halted sites and the reasons, sorted by `site::key` without a scheme.
  [[nodiscard]] std::vector<std::pair<std::string, halt_reason>> halted() const;

  /// Calls `on_denied` with the key of each site when a ruling begins to deny the site. Such a
  /// ruling is a halt, an override, a quarantine, or a withdrawn sign-off. The ruling can come from
  /// another process, and the call can come from any thread. Destroy the result to end the calls.
  /// `on_denied` must not block, must not make a ruling, and must not destroy the result.
  /// Exceptions of `on_denied` are dropped.
  [[nodiscard]] std::shared_ptr<const void> on_denial(
      std::function<void(std::string_view site)> on_denied);

  /// Returns true if a ruling denies a URL. Does not consider robots.txt.
  [[nodiscard]] bool is_denied(std::string_view url) const;

  /// Reports the response to the request for a page. `is_challenge` is true if a challenge, such as
  /// a CAPTCHA, came instead of the page. Returns true if the site revoked access: it answered 401,
  /// 403 or a challenge to a URL that no ruling and no stored rule denies. Then the observer gets
  /// an event. With `cache_options::halt_revoked`, the site is halted, too.
  ///
  /// After a 4xx, a 5xx or a challenge for an allowed URL, the next look-up of the site fetches the
  /// rules again, at most once per `cache_options::min_ttl` (the pipeline guide: "Trigger immediate
  /// re-fetch on 4xx/5xx responses"). A 429 has no effect, since it is about the pace. Sends no
  /// request. Uses only `user_agent` and `context` of `call`.
  ///
  /// `reservation::complete` of a `basic_admission` calls this function. It does no harm to report
  /// a page twice, since the observer gets the same status of a URL only once in 10 seconds.
  bool report_response(std::string_view url, int status, bool is_challenge = false,
                       const call_options& call = {});

  /// Signs off a high-risk site, for both schemes, or withdraws the sign-off if `is_given` is
  /// false: see `cache_options::sign_off`. Each other site, such as the target of a redirect, needs
  /// a separate sign-off. Throws `std::invalid_argument` for a text that names no site.
  void sign_off(std::string_view host_or_url, bool is_given = true);

  /// Returns the high-risk sites that have no sign-off and that a URL or a redirect has named,
  /// sorted by `site::key` without a scheme. The list has at most 65,536 sites; further sites are
  /// denied but not listed.
  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const;

  /// Erases all entries of this process. The shared store keeps its records.
  void clear();

  /// Ends the quarantine of a site and erases its rules. The next call fetches the rules.
  void release(std::string_view host_or_url);

  /// Returns true if the site of a URL is in quarantine.
  [[nodiscard]] bool is_quarantined(std::string_view host_or_url) const;

  /// Returns the sites in quarantine, sorted by `site::key`.
  [[nodiscard]] std::vector<std::string> quarantined() const;

  /// Returns the options in force.
  [[nodiscard]] const cache_options& options() const noexcept;

 protected:
  /// Throws `std::invalid_argument` if options contradict each other. The parts must outlive this
  /// object. `shared` is empty if nothing is shared.
  cache_controls(cache_options&& options, cache_detail::cache_parts& parts,
                 const cache_detail::shared_part& shared);
  /// Stops the cache's own threads and waits for them.
  ~cache_controls();

  /// Returns the statistics of the cache, without the counts of its storage.
  [[nodiscard]] cache_stats counted() const;

 private:
  /// Returns the likely key of a site (`detail::possible_site_key`), under which `check` looks for
  /// a fresh entry first. Returns an empty text if a ruling may apply to the site.
  [[nodiscard]] std::string_view first_key(std::string_view host_or_url) const;

  /// Returns the number of the crawler for a call. Number 0 is `cache_options::user_agent`, and
  /// number 1 is the first of `cache_options::other_agents`. Throws `std::invalid_argument` if the
  /// options do not list the crawler of the call.
  [[nodiscard]] std::size_t agent_of(const call_options& call) const;

  /// Looks up a site that has no fresh entry. If `refreshes` is true, asks the site now.
  [[nodiscard]] cache_detail::found load(std::string_view host_or_url, const call_options& call,
                                         bool refreshes = false);

  /// Looks up the policy of a site for `get` and `refresh`.
  [[nodiscard]] std::shared_ptr<const policy> look_up_policy(std::string_view host_or_url,
                                                             const call_options& call,
                                                             bool refreshes);

  /// Decides on a target without counting the decision.
  [[nodiscard]] decision decide(std::string_view target, cache_detail::found known) const;

  /// Counts the decision of crawler number `agent` on `url`, and reports this decision. `key` is
  /// the key of the URL's site; if `key` is empty, this function parses `url` for the key.
  void report(const decision& decided, std::string_view url, std::string_view key,
              const std::shared_ptr<const call_context>& context, std::size_t agent = 0) const;

  /// If `ended` has the policy of an excluded host, counts and reports the exclusion, and returns
  /// true.
  bool note_exclusion(std::string_view host_or_url, const cache_detail::found& ended,
                      const call_options& call);

  std::unique_ptr<cache_detail::cache_engine> engine_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/cache_controls.ipp>
#endif
