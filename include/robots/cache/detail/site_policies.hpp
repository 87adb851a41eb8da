#pragma once

#include <robots/base/random.hpp>
#include <robots/base/utf8.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/entry_use.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/http/charset.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/usage/license_link.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Where this file stands: between a work, which has a response or a record of the shared store, and
// the storage.
//
//     retrieval_result --> recorded --> record --> judged --> policy of each crawler
//     a record of the shared store ------------------^              |
//                                                                   v
//     look-up <-- find <-- entry, with marks <-- keep <-------- note_retrieval: counts, events
//                             ^      ^
//                             |      +-- suspect: a page says that the rules have changed
//                             +-- doubt: another process says so
//
// The storage owns the entries. This class owns the rule which of them may be written: never under
// a detached flight, and one writer at a time.

namespace robots::cache_detail {

/// The entry of a site. Each flag is a reason to check the entry before a look-up uses it.
struct kept_entry : cache_entry {
  bool is_changed_elsewhere = false;  // another process has changed the site
  bool is_suspect = false;  // the response for a page suggests that the rules have changed
};

/// Makes, stores and reports the policies of sites, from retrievals and from shared records.
class site_policies {
 public:
  site_policies(const cache_options& options, cache_parts& parts)
      : judging(judge_options_of(options)),
        options_(options),
        parts_(parts),
        random_(options.seed) {}

  [[nodiscard]] std::uint64_t seed() noexcept { return random_(); }

  [[nodiscard]] record recorded(detail::retrieval_result result,
                                const detail::earlier_policies& before, const wall_anchor& now) {
    const std::chrono::seconds until_next_try = result.until_next_try(now.steady);
    record retrieved =
        detail::record_of(std::move(result), before, judging, now.wall, random_.draw());
    retrieved.lifetime = (std::min)(retrieved.lifetime, until_next_try);
    return retrieved;
  }

  /// If `under_way` is not null, reports a parsed text to the observer.
  [[nodiscard]] std::shared_ptr<const policy> judged(const record& retrieved,
                                                     const detail::earlier_policies& before,
                                                     const wall_anchor& now,
                                                     const flight* under_way) {
    const bool is_reported = under_way != nullptr && parts_.is_observed &&
                             !retrieved.not_modified && detail::has_text(retrieved.outcome);
    const time_point began = is_reported ? parts_.now() : time_point{};
    auto result = family([&](const crawler_names& agent, const auto& own) {
      return detail::judge(retrieved, agent, judging, {own(before.last), own(before.unchanged)},
                           now);
    });
    if (is_reported) {
      const time_point ended = parts_.now();
      parts_.tell(
          parse_event{about(*under_way), *result, ended - began, is_invalid_utf8(retrieved)});
    }
    return result;
  }

  [[nodiscard]] std::shared_ptr<const policy> judged_redirected(
      const record_head& head, const std::shared_ptr<const policy>& target,
      const std::shared_ptr<const policy>& last) {
    return family([&](const crawler_names& agent, const auto& own) {
      const auto own_target = own(target);
      return detail::judge_redirected(head, own_target ? own_target : target, agent, judging,
                                      own(last));
    });
  }

  /// Returns the policy for a call that ended before its fetch. `timed_out_tries` is the number of
  /// tries of this fetch that had timed out.
  [[nodiscard]] std::shared_ptr<const policy> cancelled(const site& asked,
                                                        const std::shared_ptr<const policy>& last,
                                                        const wall_anchor& now,
                                                        int timed_out_tries = 0) {
    detail::retrieval_result result;
    result.outcome = outcome::cancelled;
    result.error = fetch_error::cancelled;
    result.error_text = "the call ended before the robots.txt came";
    if (timed_out_tries > 0) {
      result.error_text = "the host is silent: timed out after " + std::to_string(timed_out_tries) +
                          (timed_out_tries == 1 ? " try" : " tries") + ", and then the call ended";
    }
    result.url = result.final_url = asked.robots_urls().front();
    return judged(recorded(std::move(result), {.last = last}, now), {.last = last}, now, nullptr);
  }

  /// Until `validity::stale_until`, returns `last`. After that, returns the policy for a cancelled
  /// call; see `cancelled`.
  [[nodiscard]] std::shared_ptr<const policy> without_fetch(
      const site& asked, const std::shared_ptr<const policy>& last, const wall_anchor& now,
      int timed_out_tries = 0) {
    const bool answers = last && now.steady < detail::validity_of(*last, judging).stale_until;
    return answers ? last : cancelled(asked, last, now, timed_out_tries);
  }

  [[nodiscard]] std::vector<exchange_event> note_exchanges(const flight& under_way,
                                                           const detail::retrieval_result& ended,
                                                           time_point now) {
    std::vector<exchange_event> events;
    if (parts_.is_observed) {
      for (std::size_t i = 0; i < ended.timings.size(); ++i) {
        const detail::exchange_timing& timing = ended.timings[i];
        events.push_back({about(under_way), ended.exchanges[i], now - timing.ended, timing.duration,
                          timing.bytes, timing.hop, timing.attempt});
        parts_.tell(events.back());
      }
    }
    return events;
  }

  /// Counts and reports a retrieval. Returns false if it was cancelled, or `cut_short` is true.
  [[nodiscard]] bool note_retrieval(const flight& under_way, const policy& fetched,
                                    const record& retrieved, time_point::duration took,
                                    const std::vector<exchange_event>& exchanges, bool cut_short) {
    parts_.counters.add(cache_event::retrievals);
    if (!detail::is_successful(fetched.outcome())) {
      parts_.counters.add(cache_event::failures);
    }
    if (retrieved.not_modified) {
      parts_.counters.add(cache_event::not_modified);
    }
    parts_.tell(retrieval_event{about(under_way), fetched, retrieved, took, &exchanges});
    if (fetched.outcome() == outcome::licence_demanded) {
      const licence_demand_result demand = licence_demand(retrieved.status, retrieved.headers);
      parts_.tell(
          licence_demanded_event{about(under_way), retrieved.final_url, retrieved.status, demand});
    }
    const bool is_answer = !cut_short && fetched.outcome() != outcome::cancelled;
    if (is_answer && detail::is_fallback(fetched)) {
      parts_.tell(fallback_event{about(under_way), fetched});
    }
    return is_answer;
  }

  [[nodiscard]] event_base about(const flight& under_way) noexcept {
    return parts_.about(under_way.site_key(), under_way.context);
  }

  [[nodiscard]] bool is_in_doubt(const kept_entry& entry) const noexcept {
    return entry.is_changed_elsewhere || entry.epoch != parts_.store_epoch;
  }

  [[nodiscard]] entry_doubt doubt_about(const kept_entry& entry) const noexcept {
    if (entry.is_changed_elsewhere) {
      return entry_doubt::changed;
    }
    return is_in_doubt(entry) ? entry_doubt::missed : entry_doubt::none;
  }

  [[nodiscard]] entry_age age_of(const kept_entry& entry, time_point now) const {
    if (!entry.policy) {
      return entry_age::missing;
    }
    if (now < entry.fresh_until) {
      return entry_age::fresh;
    }
    return now < detail::validity_of(*entry.policy, judging).stale_until ? entry_age::renewable
                                                                         : entry_age::over;
  }

  const detail::judge_options judging;

  /// Marks an entry. The entry answers again only after the cache has asked the shared store.
  void doubt(std::string_view key) { mark(key, changed_elsewhere); }

  /// Makes the next look-up ask a site again if its stored answer is at least `least_age` old.
  void suspect(const site& asked, std::chrono::seconds least_age) {
    for (const site& name : policy_detail::names_of(asked)) {
      mark(name.key(), suspect_entry, least_age);
    }
  }

  /// `forget` and `forget_all` pass on exceptions of the storage.
  void forget(std::string_view key) {
    const std::scoped_lock lock{writing_};
    parts_.erase(key);
  }

  /// Erases the entries under all names of `asked` that another process has changed.
  void forget_changed(const site_keys& asked) {
    const std::scoped_lock lock{writing_};
    const time_point now = parts_.now();
    for (const site_keys::name& name : asked.names()) {
      if (entry_of(name.key, now).is_changed_elsewhere) {
        parts_.try_erase(name.key);
      }
    }
  }

  void forget_all() {
    const std::scoped_lock lock{writing_};
    parts_.clear();
  }

  /// Stores `policy_now`, the result of the flight `under_way`, unless the site was invalidated
  /// meanwhile. If `replaces_all` is true, the policy replaces the entries under all keys.
  ///
  /// Another thread can invalidate the site at the same time. It detaches the flight first. If
  /// `keep` sees this, it stores nothing. Otherwise, the other thread has not erased the entry yet,
  /// and will erase the entry that `keep` stores. A message about a change of the site works in the
  /// same way: the flight is marked first, and the entry second.
  void keep(const flight& under_way, const std::shared_ptr<const policy>& policy_now,
            time_point now, std::uint32_t epoch, bool replaces_all = false) noexcept {
    try {
      const std::scoped_lock lock{writing_};
      if (under_way.detached) {
        return;
      }
      const detail::validity until = detail::validity_of(*policy_now, judging);
      // Some policies are kept even when they cannot answer any more: the next policy needs them,
      // or the observer wants to know what has changed.
      const bool outlives_its_answers =
          parts_.observes_changes || detail::is_of_use_when_over(*policy_now, judging);
      const cache_entry new_entry{
          policy_now, under_way.is_changed_elsewhere ? changed_elsewhere : until.fresh_until,
          outlives_its_answers ? until.keep_until : until.stale_until, epoch};
      parts_.store(under_way.site_key(), new_entry, now);
      const detail::source_view source = policy_now->source_view();
      replaces_all = replaces_all && source.status != 0;
      const std::vector<site_keys::name>& names = under_way.target->names();
      for (auto other = names.begin() + 1; other != names.end(); ++other) {
        if (replaces_all || policy_detail::answers_for(other->site, source)) {
          parts_.try_erase(other->key);  // the new policy is valid for this name, too
        } else {
          renew_other_name(other->key, new_entry, now);
        }
      }
    } catch (...) {
      parts_.counters.add(cache_event::failures);  // there is no memory
      parts_.try_erase(under_way.site_key());
    }
  }

  /// Returns the entry of `key`, and of no other name of its site, or an entry without a policy.
  [[nodiscard]] kept_entry entry_of(std::string_view key, time_point now) {
    kept_entry entry{parts_.find(key, now)};
    if (entry.policy && is_marked(entry)) {
      entry.is_changed_elsewhere = entry.fresh_until != suspect_entry;
      entry.is_suspect = entry.fresh_until != changed_elsewhere;
      entry.fresh_until = detail::validity_of(*entry.policy, judging).fresh_until;
    }
    return entry;
  }

  /// Returns the entry of a site, or an entry without a policy. If the site has no fresh entry, the
  /// result can be an entry of its counterpart that is valid for the site.
  [[nodiscard]] kept_entry find(const site_keys& asked, time_point now) {
    kept_entry own = entry_of(asked.key(), now);
    if (own.policy && now < own.fresh_until) {
      return own;
    }
    kept_entry other = entry_of(asked.counterpart().key, now);
    if (!other.policy || (own.policy && now >= other.fresh_until)) {
      return own;
    }
    return policy_detail::answers_for(asked.named_site(), other.policy) ? other : own;
  }

 private:
  /// Calls `make(agent, own)` for each crawler, or only for the first if the site redirects. For an
  /// earlier result `old` of `family`, `own(old)` is its policy for `agent`, or null.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const policy> family(const Make& make) const {
    auto first = make(options_.names, [](const auto& same) { return same; });
    if (options_.other_agents.empty() || first->basis() == policy_basis::redirected) {
      return first;
    }
    std::vector<std::shared_ptr<const policy>> others;
    others.reserve(options_.other_agents.size());
    for (const crawler_names& agent : options_.other_agents) {
      others.push_back(make(
          agent, [index = others.size()](const auto& all) { return policy::other(all, index); }));
    }
    return policy::with_others(*first, std::move(others));
  }

  /// Returns true if the body is not valid UTF-8. Ignores the last line of a truncated body, since
  /// the size limit can split a character.
  [[nodiscard]] static bool is_invalid_utf8(const record& retrieved) noexcept {
    std::string_view text = retrieved.body;
    if (retrieved.truncated) {
      text = text.substr(0, text.rfind('\n') + 1);
    }
    return retrieved.charset == detail::charset::utf_8 && !base::is_utf8(text);
  }

  // A mark says that an entry must be checked before it answers again. An entry has no member for
  // marks: a mark replaces `fresh_until`, which `entry_of` computes again. These three times are
  // the marks. No clock shows them.
  static constexpr time_point changed_elsewhere = (time_point::min)();
  static constexpr time_point suspect_entry = changed_elsewhere + time_point::duration{1};
  static constexpr time_point both_marks = suspect_entry + time_point::duration{1};

  [[nodiscard]] static bool is_marked(const cache_entry& entry) noexcept {
    return entry.fresh_until <= both_marks;
  }

  /// Adds the mark `added` to the entry of `key`, unless its policy is younger than `least_age`.
  void mark(std::string_view key, time_point added, std::chrono::seconds least_age = {}) {
    const std::scoped_lock lock{writing_};
    const time_point now = parts_.now();
    cache_entry entry = parts_.find(key, now);
    if (!entry.policy || now < base::saturating_add(entry.policy->fetched_at(), least_age)) {
      return;
    }
    const time_point marked = is_marked(entry) && entry.fresh_until != added ? both_marks : added;
    if (entry.fresh_until != marked) {
      entry.fresh_until = marked;
      parts_.store(key, entry, now);
    }
  }

  /// Gives a new answer to the entry of another name of the site, such as `example.com` beside
  /// `https://example.com`. Has no effect if that entry has a newer answer, or an answer of another
  /// origin. If both answers have the same date, the new one replaces the old one.
  ///
  /// The entry expires no later than before. Its expiry also says when the host must be asked again
  /// which of its origins answers, and the new answer does not tell this. A mark is copied, too.
  void renew_other_name(const std::string& key, const cache_entry& new_entry, time_point now) {
    cache_entry other = parts_.find(key, now);
    if (!policy_detail::can_replace(other.policy, new_entry.policy)) {
      return;
    }
    other.policy = new_entry.policy;
    other.keep_until = new_entry.keep_until;
    if (is_marked(new_entry)) {
      other.fresh_until = new_entry.fresh_until;
    } else if (!is_marked(other)) {
      other.fresh_until = (std::min)(other.fresh_until, new_entry.fresh_until);
    }
    parts_.store(key, other, now);
  }

  const cache_options& options_;
  cache_parts& parts_;
  base::counter_random random_;
  // Locked while a thread changes entries, so that no thread marks an entry while another thread
  // replaces the entry. The mutex is recursive, since an observer can call the cache when an entry
  // is dropped. But this observer must not wait for a fetch of another thread.
  std::recursive_mutex writing_;
};

}  // namespace robots::cache_detail
