#pragma once

#include <robots/base/random.hpp>
#include <robots/base/utf8.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/message.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/codec.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Decodes `value`, the records of a site. Anyone who can write to the shared store can forge
/// records, so records that are not plausible become an empty optional. `latest` is the latest time
/// that the clock of another machine can show now. `max_bytes` is the number of octets of a file
/// that this process reads. Takes linear time.
[[nodiscard]] inline std::optional<detail::site_records> believed(
    std::string_view value, const site& asked, const detail::excluded_hosts& excluded,
    std::chrono::sys_seconds latest, std::size_t max_bytes) {
  auto read = detail::decode_site(value).value;
  const std::vector<std::string> urls = asked.robots_urls();
  constexpr int most_redirects = 65'536;  // avoids overflow in sums along a chain of sites
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
           may_end_there(stored);
  };
  const auto is_last_good_credible = [&] {
    return !read->last_good ||
           (is_credible(*read->last_good) && detail::is_answer_of_site(*read->last_good));
  };
  if (!read || !is_credible(read->latest) || !detail::is_answer_of_site(read->latest) ||
      !is_last_good_credible()) {
    return std::nullopt;
  }
  return read;
}

/// Makes the records of a site for the other processes. `retrieved` has just come from the site,
/// and `result` is the policy of `retrieved`. `good` is the last good record, if it is known.
/// Returns an empty optional if the site did not answer, or if it answered 304 and there is no
/// `good`, which has the file.
[[nodiscard]] inline std::optional<detail::site_records> records_to_share(
    record retrieved, const std::shared_ptr<const policy>& result, std::optional<record> good) {
  if (!detail::is_answer_of_site(retrieved) || (retrieved.not_modified && !good)) {
    return std::nullopt;
  }
  if (retrieved.not_modified) {
    return detail::site_records{.latest = detail::renewed(*std::move(good), std::move(retrieved))};
  }
  const auto rests_on = policy::good(result);
  if (rests_on == nullptr || rests_on == result) {
    good.reset();
  }
  return detail::site_records{.latest = std::move(retrieved), .last_good = std::move(good)};
}

/// Makes the policies of a cache from retrievals and from records of other processes. Reports each
/// step to the observer.
class policy_maker {
 public:
  /// All arguments must outlive this object.
  policy_maker(const cache_options& options, cache_parts& parts)
      : options_(options),
        judging_(judge_options_of(options)),
        parts_(parts),
        random_(options.seed) {}

  [[nodiscard]] const detail::judge_options& judging() const noexcept { return judging_; }

  [[nodiscard]] std::uint64_t seed() noexcept { return random_(); }

  /// Makes the record of a retrieval that has just ended.
  [[nodiscard]] record recorded(detail::retrieval_result result,
                                const detail::earlier_policies& before, const wall_anchor& now) {
    // A caller that did not wait for the next try must not delay that try for other callers. So the
    // record expires when the next try is due.
    const auto until_next_try = result.cut_short
                                    ? std::chrono::ceil<std::chrono::seconds>((std::max)(
                                          result.next_try - now.steady, time_point::duration{0}))
                                    : (std::chrono::seconds::max)();
    record retrieved =
        detail::record_of(std::move(result), before, judging_, now.wall, random_.draw());
    retrieved.lifetime = (std::min)(retrieved.lifetime, until_next_try);
    return retrieved;
  }

  /// Makes the policy of a record. If `led` is not null, reports a parsed text to the observer.
  [[nodiscard]] std::shared_ptr<const policy> judged(const record& retrieved,
                                                     const detail::earlier_policies& before,
                                                     const wall_anchor& now, const flight* led) {
    const bool is_reported = led != nullptr && parts_.is_observed && !retrieved.not_modified &&
                             policy_detail::has_text(retrieved.outcome);
    const time_point began = is_reported ? parts_.now() : time_point{};
    auto result = family([&](const std::string& agent, const auto& own) {
      return detail::judge(retrieved, agent, judging_, {own(before.last), own(before.unchanged)},
                           now);
    });
    if (is_reported) {
      const time_point ended = parts_.now();
      parts_.tell(parse_event{about(*led), *result, ended - began, is_invalid_utf8(retrieved)});
    }
    return result;
  }

  /// Makes the policy of a site that redirects to the site of `target`. See
  /// `detail::judge_redirected`.
  [[nodiscard]] std::shared_ptr<const policy> judged_redirected(
      const record_head& head, const std::shared_ptr<const policy>& target,
      const std::shared_ptr<const policy>& last) {
    return family([&](const std::string& agent, const auto& own) {
      const auto own_target = own(target);
      return detail::judge_redirected(head, own_target ? own_target : target, agent, judging_,
                                      own(last));
    });
  }

  /// Makes the policy for a call that ended before it read anything.
  [[nodiscard]] std::shared_ptr<const policy> cancelled(const site& asked,
                                                        const std::shared_ptr<const policy>& last,
                                                        const wall_anchor& now) {
    detail::retrieval_result result;
    result.outcome = outcome::cancelled;
    result.error = fetch_error::cancelled;
    result.error_text = "nothing was read: the call ended before the robots.txt came";
    result.url = result.final_url = asked.robots_urls().front();
    return judged(recorded(std::move(result), {.last = last}, now), {.last = last}, now, nullptr);
  }

  /// Returns the policy for a caller that does not wait for the site: `last` if it is fresh or may
  /// answer while stale, else the policy for a cancelled call.
  [[nodiscard]] std::shared_ptr<const policy> without_fetch(
      const site& asked, const std::shared_ptr<const policy>& last, const wall_anchor& now) {
    const bool answers = last && now.steady < detail::validity_of(*last, judging_).stale_until;
    return answers ? last : cancelled(asked, last, now);
  }

  /// If there is an observer, reports the exchanges of a retrieval, and returns the reported
  /// events.
  [[nodiscard]] std::vector<exchange_event> note_exchanges(const flight& led,
                                                           const detail::retrieval_result& ended) {
    std::vector<exchange_event> events;
    if (parts_.is_observed) {
      const time_point now = parts_.now();
      for (std::size_t i = 0; i < ended.timings.size(); ++i) {
        const detail::exchange_timing& timing = ended.timings[i];
        events.push_back({about(led), ended.exchanges[i], now - timing.ended, timing.duration,
                          timing.bytes, timing.hop, timing.attempt});
        parts_.tell(events.back());
      }
    }
    return events;
  }

  /// Counts and reports a retrieval with its result. Returns false if the result is not an answer:
  /// the retrieval was cancelled, or `cut_short` is true.
  [[nodiscard]] bool note_retrieval(const flight& led, const policy& fetched,
                                    const record& retrieved, time_point::duration took,
                                    const std::vector<exchange_event>& exchanges, bool cut_short) {
    const record_head& source = fetched.source();
    parts_.counters.add(cache_event::retrievals);
    if (!detail::is_successful(source.outcome)) {
      parts_.counters.add(cache_event::failures);
    }
    if (source.not_modified) {
      parts_.counters.add(cache_event::not_modified);
    }
    parts_.tell(retrieval_event{about(led), fetched, retrieved, took, &exchanges});
    const bool is_answer = !cut_short && source.outcome != outcome::cancelled;
    if (is_answer && detail::is_fallback(fetched)) {
      parts_.tell(fallback_event{about(led), fetched});
    }
    return is_answer;
  }

  /// Returns the members that all events about the site of a flight have.
  [[nodiscard]] event_base about(const flight& led) noexcept {
    return parts_.about(led.site_key, led.context);
  }

 private:
  /// Makes the policy of the crawler, which holds the policies of `cache_options::other_agents`.
  /// Calls `make(agent, own)` to make each policy. `own(all)` returns the policy of `agent` that
  /// the policy `all` holds.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const policy> family(const Make& make) const {
    auto first = make(options_.user_agent, [](const auto& same) { return same; });
    if (options_.other_agents.empty() || first->basis() == policy_basis::redirected) {
      return first;
    }
    std::vector<std::shared_ptr<const policy>> others;
    others.reserve(options_.other_agents.size());
    for (const std::string& agent : options_.other_agents) {
      others.push_back(make(
          agent, [index = others.size()](const auto& all) { return policy::other(all, index); }));
    }
    return policy::with_others(*first, std::move(others));
  }

  /// Returns true if a file was read as UTF-8 but is not valid UTF-8. Ignores a last line that the
  /// size limit cut, since the cut can split a character.
  [[nodiscard]] static bool is_invalid_utf8(const record& retrieved) noexcept {
    std::string_view text = retrieved.body;
    if (retrieved.truncated) {
      text = text.substr(0, text.rfind('\n') + 1);
    }
    return retrieved.charset == detail::charset::utf_8 && !base::is_utf8(text);
  }

  const cache_options& options_;
  const detail::judge_options judging_;
  cache_parts& parts_;
  base::counter_random random_;
};

}  // namespace robots::cache_detail
