#pragma once

#include <robots/base/random.hpp>
#include <robots/base/utf8.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/entry_use.hpp>
#include <robots/cache/detail/rate_limit.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/policy/site_records.hpp>
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

// Where this file stands: between a `site_work`, which has a response or a record of the shared
// store, and the storage.
//
//     retrieval_result --> recorded --> record --> judged --> policy of each crawler
//     value of the store --> believed -----^                        |
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

/// Decodes `value`, the records of a site in the shared store. Anyone who can write to the store
/// can forge records. So the function returns an empty optional if the records are not plausible. A
/// record that was fetched after `latest` is not plausible. `max_bytes` is the most that this
/// process reads of a robots.txt.
[[nodiscard]] inline std::optional<detail::site_records> believed(
    std::string_view value, const site& asked, const detail::excluded_hosts& excluded,
    std::chrono::sys_seconds latest, std::size_t max_bytes) {
  auto read = detail::decode_site(value).value;
  const std::vector<std::string> urls = asked.robots_urls();
  constexpr int most_redirects = 65'536;  // avoids overflow when redirects are added up
  const auto may_end_there = [&](const record& stored) {
    const auto end = stored.final_url == stored.url ? asked : parse_site(stored.final_url);
    if (stored.outcome == outcome::redirected) {
      return end && stored.redirects > 0;  // the look-up of that site checks exclusions
    }
    return end && !excluded.contains(end->host);
  };
  const auto is_credible = [&](const record& stored) {
    return std::find(urls.begin(), urls.end(), stored.url) != urls.end() &&
           stored.fetched_at <= latest && !stored.not_modified &&
           detail::reaches(stored, max_bytes) && stored.redirects <= most_redirects &&
           may_end_there(stored) && detail::is_answer_of_site(stored);
  };
  if (!read || !is_credible(read->latest) || (read->last_good && !is_credible(*read->last_good))) {
    return std::nullopt;
  }
  return read;
}

/// Makes the records for other processes. `result` is the policy of `retrieved`. `good` is the last
/// good record. Returns no records if the site did not answer, or sent a 304 and `good` is empty.
[[nodiscard]] inline std::optional<detail::site_records> records_to_share(
    record retrieved, const std::shared_ptr<const policy>& result, std::optional<record> good) {
  if (!detail::is_answer_of_site(retrieved) || (retrieved.not_modified && !good)) {
    return std::nullopt;
  }
  if (retrieved.not_modified) {
    return detail::site_records{.latest = detail::renewed(*std::move(good), std::move(retrieved))};
  }
  const auto rests_on = policy::last_successful(result);
  if (rests_on == nullptr || rests_on == result) {
    good.reset();
  }
  return detail::site_records{.latest = std::move(retrieved), .last_good = std::move(good)};
}

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
    result.error_text =
        timed_out_tries > 0
            ? "the host is silent: timed out after " + std::to_string(timed_out_tries) +
                  (timed_out_tries == 1 ? " try" : " tries") + ", and then the call ended"
            : std::string{"the call ended before the robots.txt came"};
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
                                                           const detail::retrieval_result& ended) {
    std::vector<exchange_event> events;
    if (parts_.is_observed) {
      const time_point now = parts_.now();
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

  /// If `asked` is a host and `robots_url` is that of its http origin, returns the entry of that
  /// origin with its newest answer. Otherwise, returns an entry without a policy. For other names
  /// of a site, `find` returns the entry.
  [[nodiscard]] kept_entry answer_of_http_origin(const site_keys& asked,
                                                 std::string_view robots_url, time_point now) {
    if (asked.named_site().scheme || !robots_url.starts_with("http://")) {
      return {};
    }
    kept_entry of_origin = look(asked.names().back().key, now);
    of_origin.policy = policy_detail::newest_answer(of_origin.policy);
    if (of_origin.policy && !of_origin.policy->source_view().url.is(robots_url)) {
      return {};
    }
    return of_origin;
  }

  // These limits ensure that a flood of messages causes no flood of questions to the shared store.
  // Questions after missed messages do not use up the questions after messages about a site.
  rate_limit questions{4, 65'536};
  rate_limit questions_about_changes{4, 65'536};
  const detail::judge_options judging;

  /// Marks an entry. The entry answers again only after the cache has asked the shared store.
  void doubt(std::string_view key) { mark(key, in_doubt); }

  /// Makes the next look-up ask a site again if its stored answer is at least `least_age` old.
  void suspect(const site& asked, std::chrono::seconds least_age) {
    for (const site& name : policy_detail::names_of(asked)) {
      mark(name.key(), in_suspicion, least_age);
    }
  }

  /// `forget` and `forget_all` pass on exceptions of the storage.
  void forget(std::string_view key) {
    const std::scoped_lock lock{writing_};
    parts_.erase(key);
  }

  /// Checks the entries under all names of `asked`. Erases the entries with the mark `in_doubt`.
  void forget_changed(const site_keys& asked) {
    const std::scoped_lock lock{writing_};
    const time_point now = parts_.now();
    for (const site_keys::name& name : asked.names()) {
      if (look(name.key, now).is_changed_elsewhere) {
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
  /// An invalidation first detaches the flight, and then erases the entry. So either the
  /// invalidation erases the new entry, or `keep` sees that the flight is detached. Likewise,
  /// `on_message` first marks the flight, and then the entry.
  void keep(const flight& under_way, const std::shared_ptr<const policy>& policy_now,
            time_point now, std::uint32_t epoch, bool replaces_all = false) noexcept {
    try {
      const std::scoped_lock lock{writing_};
      if (under_way.detached) {
        return;
      }
      const detail::validity until = detail::validity_of(*policy_now, judging);
      const bool is_kept_on =
          parts_.observes_changes || detail::is_of_use_when_over(*policy_now, judging);
      const cache_entry new_entry{policy_now,
                                  under_way.is_changed_elsewhere ? in_doubt : until.fresh_until,
                                  is_kept_on ? until.keep_until : until.stale_until, epoch};
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

  /// Returns the entry of a site, or an entry without a policy. If the site has no fresh entry, the
  /// result can be an entry of its counterpart that is valid for the site.
  [[nodiscard]] kept_entry find(const site_keys& asked, time_point now) {
    kept_entry own = look(asked.key(), now);
    if (own.policy && now < own.fresh_until) {
      return own;
    }
    kept_entry other = look(asked.counterpart().key, now);
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

  // An entry with one of these values in `fresh_until` must be checked before it answers again.
  static constexpr time_point in_doubt = (time_point::min)();
  static constexpr time_point in_suspicion = in_doubt + time_point::duration{1};
  static constexpr time_point in_both = in_suspicion + time_point::duration{1};

  /// Adds a mark to an entry. Has no effect if its policy is younger than `least_age`.
  void mark(std::string_view key, time_point as, std::chrono::seconds least_age = {}) {
    const std::scoped_lock lock{writing_};
    const time_point now = parts_.now();
    cache_entry entry = parts_.find(key, now);
    if (entry.policy && entry.fresh_until != as && entry.fresh_until != in_both &&
        base::saturating_add(entry.policy->fetched_at(), least_age) <= now) {
      entry.fresh_until = entry.fresh_until > in_both ? as : in_both;
      parts_.store(key, entry, now);
    }
  }

  /// Gives `key`, the key of another name of a site, the answer of `new_entry` if the entry of
  /// `key` has an answer of the same origin that is not newer. The entry does not become fresher,
  /// since it also says which origin of a host must be asked. If both answers are of one moment, as
  /// the dates of two processes can be, the answer that came later is the newer one.
  void renew_other_name(const std::string& key, const cache_entry& new_entry, time_point now) {
    cache_entry other = parts_.find(key, now);
    if (!policy_detail::can_replace(other.policy, new_entry.policy)) {
      return;
    }
    other.policy = new_entry.policy;
    other.keep_until = new_entry.keep_until;
    if (new_entry.fresh_until <= in_both) {
      other.fresh_until = new_entry.fresh_until;
    } else if (other.fresh_until > in_both) {
      other.fresh_until = (std::min)(other.fresh_until, new_entry.fresh_until);
    }
    parts_.store(key, other, now);
  }

  [[nodiscard]] kept_entry look(std::string_view key, time_point now) {
    kept_entry entry{parts_.find(key, now)};
    if (entry.policy && entry.fresh_until <= in_both) {
      entry.is_changed_elsewhere = entry.fresh_until != in_suspicion;
      entry.is_suspect = entry.fresh_until != in_doubt;
      entry.fresh_until = detail::validity_of(*entry.policy, judging).fresh_until;
    }
    return entry;
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
