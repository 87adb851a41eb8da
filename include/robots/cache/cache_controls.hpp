#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace cache_detail {

struct shared_part;
class cache_parts;
struct cache_engine;
struct found;

}  // namespace cache_detail

/// The members of `basic_robots_cache` that do not depend on its parts: rulings, overrides and
/// questions about sites. An operator's console takes a `cache_controls&`.
///
/// Any thread may call any member. Network failures and bad content never throw.
class cache_controls {
 public:
  cache_controls(const cache_controls&) = delete;
  cache_controls& operator=(const cache_controls&) = delete;

  /// Decides whether the crawler may fetch `url`, by the rulings on its site and else by a look-up.
  /// Throws `std::logic_error` if the look-up has no policy yet, and `std::invalid_argument` if it
  /// is for another site.
  [[nodiscard]] decision check(std::string_view url, const look_up& ended);

  /// Decides on `url` by a policy that the caller holds, such as one of `get`. Counts the decision
  /// and reports it to the observer; `policy::allows` does not. A ruling on the site, such as a
  /// halt, goes first. `url` is a URL of the policy's site, or a path with query. Fetches nothing.
  /// Uses only the context of the options. Throws `std::invalid_argument` if `used` is null.
  [[nodiscard]] decision check(std::string_view url, const std::shared_ptr<const policy>& used,
                               const call_options& call = {});

  /// Counts a decision that was made without this cache, such as an exclusion in front of it, and
  /// reports it to the observer. Uses only the context of the options.
  void note(std::string_view url, const decision& decided, const call_options& call = {});

  /// Forgets the rules of a site, those kept for worse times included: the next call fetches them,
  /// unless the site is in quarantine or its circuit breaker open. For a bare host, those of its
  /// https and http origins too. So does every process that shares the storage, within a second of
  /// the store hearing of it; `cache_stats::pending_invalidations` counts the erasures that are
  /// still to be sent. Does not block on the store.
  void invalidate(std::string_view host_or_url);

  /// Asks a site again now, even if its rules are fresh, with the validators of the last response.
  /// Returns the new policy. Unlike `invalidate`, this keeps the last good copy for worse times.
  /// Processes that share the storage take the answer over. An excluded host counts as in `get`.
  std::shared_ptr<const policy> refresh(std::string_view host_or_url,
                                        const call_options& call = {});

  /// Excludes these hosts and no others from now on, in place of `cache_options::excluded`. Throws
  /// `std::invalid_argument` for an entry that could never exclude anything, and then changes
  /// nothing. A fetch under way ends by the list it began with.
  void set_excluded(std::span<const std::string> entries);

  /// Sets an override for a site, until `site_override::none` lifts it. It comes before the
  /// robots.txt, exclusions and quarantine, but not before a halt or a sign-off that is missing. A
  /// bare host and its https and http origins share their overrides: each goes by its own, else an
  /// origin by that of its bare host, and a bare host by that of its https, then its http origin.
  /// Throws `std::invalid_argument` for a text that names no site.
  void set_override(std::string_view host_or_url, site_override value);

  /// The overrides that are set, by `site::key`, in order.
  [[nodiscard]] std::vector<std::pair<std::string, site_override>> overrides() const;

  /// Halts a site: nothing is allowed there, under any scheme, until it is resumed
  /// (`decision_reason::halted`), and no request is sent there, except for one under way. Nor does
  /// the cache follow a redirect there. Requests that wait in a gate of a `basic_admission` are
  /// refused. The cache does so itself by `cache_options::halt_hostile`, `halt_unreachable_after`
  /// and `halt_revoked`. At most 65,536 sites are halted at once; a further one is not. Throws
  /// `std::invalid_argument` for a text that names no site.
  void halt(std::string_view host_or_url, const call_options& call = {});

  /// Lifts the halt of a site, so that its robots.txt decides again. If the site was halted as
  /// hostile, its robots.txt is fetched again. Returns true if it was halted.
  bool resume(std::string_view host_or_url);

  /// Returns true if the site of a URL is halted.
  [[nodiscard]] bool is_halted(std::string_view host_or_url) const;

  /// The sites that are halted, by `site::key` without a scheme, in order, and why.
  [[nodiscard]] std::vector<std::pair<std::string, halt_reason>> halted() const;

  /// Calls `on_denied` with the key of each site that a ruling begins to deny: a halt, an override,
  /// a quarantine, or the end of a sign-off. The ruling may come from another process. The calls
  /// end when the result is destroyed. Any thread makes them. `on_denied` must not block, must not
  /// make a ruling, and must not destroy the result. Its exceptions are dropped.
  [[nodiscard]] std::shared_ptr<const void> on_denial(
      std::function<void(std::string_view site)> on_denied);

  /// Returns true if a ruling denies a URL. The robots.txt of the site is not asked.
  [[nodiscard]] bool is_denied(std::string_view url) const;

  /// Reports the status of a page, and whether a challenge, such as a CAPTCHA, came in place of it.
  /// Returns true if access was revoked: 401, 403 or a challenge, although the kept rules do not
  /// deny the URL. Then the observer gets an event and, with `cache_options::halt_revoked`, the
  /// site is halted.
  ///
  /// After 4xx, 5xx or a challenge for a URL that is allowed, the next look-up of the site fetches
  /// its rules, at most once in `cache_options::min_ttl` (the pipeline guide: "Trigger immediate
  /// re-fetch on 4xx/5xx responses"). 429 is about the pace and does not count. Sends no request.
  /// Uses the crawler and the context of the options.
  ///
  /// `reservation::complete` of a `basic_admission` calls this. Both may report the same page: the
  /// observer gets the same status of a URL only once in 10 seconds.
  bool report_response(std::string_view url, int status, bool is_challenge = false,
                       const call_options& call = {});

  /// Signs a high-risk site off, whatever the scheme, or takes that back: see
  /// `cache_options::sign_off`. Other sites, such as those that it redirects to, need their own.
  /// Throws `std::invalid_argument` for a text that names no site.
  void sign_off(std::string_view host_or_url, bool given = true);

  /// The high-risk sites that a URL or a redirect led to and that nobody has signed off, by
  /// `site::key` without a scheme, in order. The first 65,536; more are denied, but not listed.
  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const;

  /// Erases all entries of this process. The shared store keeps its records.
  void clear();

  /// Ends the quarantine of a site, and erases its files: the next call fetches them.
  void release(std::string_view host_or_url);

  /// Returns true if the site of a URL is in quarantine.
  [[nodiscard]] bool is_quarantined(std::string_view host_or_url) const;

  /// The sites in quarantine, by `site::key`, in order.
  [[nodiscard]] std::vector<std::string> quarantined() const;

  /// Returns the time until which the circuit breaker of an origin rejects requests. Returns
  /// an empty optional if it admits them, and for a text that names no site. For a bare host, the
  /// breaker of its https origin counts.
  [[nodiscard]] std::optional<time_point> breaker_open_until(std::string_view host_or_url);

  /// The options in force.
  [[nodiscard]] const cache_options& options() const noexcept;

 protected:
  /// Throws `std::invalid_argument` when the options contradict themselves. The parts outlive it;
  /// `shared` is empty if nothing is shared.
  cache_controls(cache_options&& options, cache_detail::cache_parts& parts,
                 const cache_detail::shared_part& shared);
  /// Stops the work of the cache's own threads, and waits for them.
  ~cache_controls();

  /// The start of a text under which its site may be found before the text is parsed. Empty where
  /// something may hold for the site without its robots.txt.
  [[nodiscard]] std::string_view first_key(std::string_view host_or_url) const;

  /// Returns the number of the crawler that a call names: 0 for `cache_options::user_agent`, and 1
  /// for the first of `cache_options::other_agents`. Throws `std::invalid_argument` if the name is
  /// not listed.
  [[nodiscard]] std::size_t agent_of(const call_options& call) const {
    return call.user_agent.empty() ? 0 : agent_named(call.user_agent);
  }

  /// Returns the name that events have for such a crawler, or an empty text for number 0.
  [[nodiscard]] std::string_view agent_name(std::size_t agent) const noexcept;

  /// Looks up a site that has no fresh entry under `tried`.
  [[nodiscard]] cache_detail::found load(std::string_view host_or_url, std::string_view tried,
                                         const call_options& call);

  /// Like `load`, but counts an exclusion as a decision.
  [[nodiscard]] cache_detail::found load_for_user(std::string_view host_or_url,
                                                  std::string_view tried, const call_options& call);

  /// A look-up for a site of which `kept` was found under `tried`.
  [[nodiscard]] look_up begin(std::string_view host_or_url, std::string_view tried,
                              cache_detail::found known, const call_options& call);

  /// The decision on a target. It does not count.
  [[nodiscard]] decision uncounted_decision(std::string_view target,
                                            cache_detail::found look_up_to_use) const;

  /// The decision on a target, which counts.
  [[nodiscard]] decision decide(std::string_view target, cache_detail::found look_up_to_use) const;

  /// The key of the site of a URL, if anybody wants to know; empty when it names none.
  [[nodiscard]] std::string site_of(std::string_view url) const;

  /// The counts of the cache, without those of its parts.
  [[nodiscard]] cache_stats counted() const;

 private:
  [[nodiscard]] std::size_t agent_named(std::string_view user_agent) const;

  void count(const decision& decided) const;

  /// Counts the exclusion of a host by which somebody was given a policy, if it is one, and tells
  /// the observer of it. Returns whether it is one.
  bool note_exclusion(std::string_view host_or_url, const cache_detail::found& given,
                      const call_options& call);

  std::unique_ptr<cache_detail::cache_engine> engine_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/cache_controls.ipp>
#endif
