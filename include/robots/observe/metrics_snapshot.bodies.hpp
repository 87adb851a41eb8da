#pragma once

#include <robots/base/config.hpp>
#include <robots/observe/metrics_snapshot.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace observe_detail {

/// Collects the families for `metrics_snapshot::families`.
struct family_list {
  using family = metrics_snapshot::family;
  using type = family::type;
  using labels = decltype(family::sample::labels);

  std::vector<family> all{};

  family& add(std::string_view name, std::string_view help, type kind = type::counter,
              std::string_view unit = "") {
    return all.emplace_back(family{.name = name, .help = help, .unit = unit, .kind = kind});
  }
  void count(std::string_view name, std::string_view help, std::uint64_t value,
             std::string_view unit = "") {
    add_sample(add(name, help, type::counter, unit), {}, value);
  }
  void gauge(std::string_view name, std::string_view help, std::uint64_t value) {
    add_sample(add(name, help, type::gauge), {}, value);
  }
  void histogram(std::string_view name, std::string_view help,
                 const metrics_snapshot::histogram& value) {
    add(name, help, type::histogram, "s").histogram = value;
  }
  template <auto Last>
  void by(std::string_view name, std::string_view help, std::string_view label,
          const base::enum_counts<Last>& counts) {
    add_each(add(name, help), {}, label, counts);
  }
  /// Adds a sample for each enumerator, with the labels of `common`.
  template <auto Last>
  static void add_each(family& to, const labels& common, std::string_view label,
                       const base::enum_counts<Last>& counts, bool omits_zeros = false) {
    for (std::size_t i = 0; i < counts.size; ++i) {
      const auto key = static_cast<decltype(Last)>(i);
      if (counts[key] != 0 || !omits_zeros) {
        add_sample(to, common, counts[key], label, to_string(key));
      }
    }
  }
  static void add_sample(family& to, const labels& common, std::uint64_t count,
                         std::string_view label = {}, std::string_view value = {}) {
    to.samples.push_back({common, static_cast<double>(count)});
    family::sample& added = to.samples.back();
    if (!label.empty()) {
      added.labels.emplace_back(label, value);
    }
  }
};

/// Adds the families that can have a sample for each domain. A counter of a named domain has no
/// sample while it is 0. Otherwise, a monitoring system would store too many time series.
inline void add_counts_by_domain(family_list& list, const metrics_snapshot& from) {
  auto domains = from.domains;
  if (domains.empty()) {
    auto& all = domains[std::string{}];
    all.denied_for = from.denied_for;
    all.look_ups[look_up_result::hit] = from.hits;
    all.look_ups[look_up_result::stale_hit] = from.stale_hits;
    all.look_ups[look_up_result::miss] = from.misses;
    all.look_ups[look_up_result::joined] = from.joined;
  }
  list.add("robots.cache.hits", "Look-ups that needed no fetch.");
  list.add("robots.cache.misses", "Look-ups that had to fetch, or ask a shared store.");
  list.add("robots.blocked_requests", "Decisions that denied.");
  for (const auto& [domain, own] : domains) {
    const bool is_named = !domain.empty();
    const family_list::labels common(is_named ? 1 : 0, {"domain", domain});
    const auto add = [&, &counts = own.look_ups](std::size_t family, look_up_result result,
                                                 std::string_view kind) {
      if (counts[result] != 0 || !is_named) {
        family_list::add_sample(list.all[family], common, counts[result],
                                kind.empty() ? "" : "kind", kind);
      }
    };
    add(0, look_up_result::hit, "fresh");
    add(0, look_up_result::stale_hit, "stale");
    add(0, look_up_result::joined, "joined");
    add(1, look_up_result::miss, "");
    family_list::add_each(list.all[2], common, "reason", own.denied_for, is_named);
  }
}

}  // namespace observe_detail

ROBOTS_INLINE void metrics_snapshot::histogram::add(std::chrono::nanoseconds duration) noexcept {
  const double seconds = (std::max)(std::chrono::duration<double>{duration}.count(), 0.0);
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  ++counts[static_cast<std::size_t>(bound - bounds.begin())];
  sum += seconds;
}

ROBOTS_INLINE std::string metrics_snapshot::family::prometheus_name() const {
  std::string result{name};
  std::replace(result.begin(), result.end(), '.', '_');
  if (unit == "s") {
    result += "_seconds";
  } else if (unit == "By") {
    result += "_bytes";
  }
  return kind == type::counter ? result + "_total" : result;
}

ROBOTS_INLINE std::vector<metrics_snapshot::family> metrics_snapshot::families(
    const std::optional<cache_stats>& now) const {
  observe_detail::family_list list;
  observe_detail::add_counts_by_domain(list, *this);
  list.count("robots.cache.evictions", "Entries dropped to make room.", evictions);
  list.count("robots.cache.expiries", "Entries dropped when they expired.", expiries);
  list.by("robots.allowed_requests", "Decisions that allowed.", "reason", allowed_for);
  list.by("robots.fetches", "Retrievals of robots.txt that ended.", "outcome", outcomes);
  list.count("robots.fetch.not_modified", "Retrievals that ended with a 304.", not_modified);
  list.count("robots.fetch.retries", "Tries of a retrieval after its first try.", retries);
  family& status_family = list.add("robots.fetch.responses", "Responses of sites.");
  for (const auto& [status, count] : statuses) {
    observe_detail::family_list::add_sample(status_family, {}, count, "status",
                                            std::to_string(status));
  }
  list.by("robots.fetch.errors", "Requests without a response.", "error", errors);
  list.count("robots.fetch.body", "Octets of bodies read.", bytes, "By");
  list.histogram("robots.fetch.duration", "Time to retrieve a robots.txt, including retries.",
                 fetch_duration);
  list.histogram("robots.exchange.duration", "Time from a request to its response.",
                 exchange_duration);
  list.histogram("robots.parse.duration", "Time to parse a robots.txt.", parse_duration);
  list.count("robots.malformed_lines", "Lines that mean nothing, in all parsed files.",
             malformed_lines);
  family& fallback_family =
      list.add("robots.fallbacks", "Retrievals after which the fallback policy applied.");
  for (std::size_t i = 0; i < fallbacks.size(); ++i) {
    if (fallbacks[i].total() != 0) {
      const std::string row{to_string(static_cast<outcome>(i))};
      observe_detail::family_list::add_each(fallback_family, {{"outcome", row}}, "action",
                                            fallbacks[i]);
    }
  }
  list.count("robots.quarantines", "Sites put in quarantine.", quarantines);
  list.count("robots.quarantine.releases", "Sites released from quarantine.", releases);
  list.count("robots.breaker.openings", "Times that a circuit breaker opened.", breaker_openings);
  list.count("robots.overrides", "Overrides set or lifted.", overrides);
  list.count("robots.policy.changes", "Changes of a site's rules.", policy_changes);
  list.count("robots.policy.fast_changes", "Changes of a site's rules that were fast.",
             fast_changes);
  list.count("robots.access_revocations", "Pages and robots.txt files refused although allowed.",
             revocations);
  list.count("robots.licence_demands", "Answers that demand a licence.", licence_demands);
  list.count("robots.halts", "Sites halted.", halts);
  list.count("robots.halt.resumptions", "Sites resumed.", resumptions);
  list.count("robots.sign_offs.awaited", "High-risk sites seen without a sign-off.",
             awaited_sign_offs);
  list.count("robots.far_store.hits", "Sites that the shared store had a record of.", far_hits);
  list.count("robots.far_store.outages", "Times that a shared store failed.", far_outages);
  list.gauge("robots.far_store.down", "Caches whose shared store is down.",
             far_outages - far_returns);
  list.by("robots.gate.answers", "Answers of gates: whether and when a URL may be fetched.",
          "reason", admissions);
  list.histogram("robots.gate.wait", "Waits of pages that may be fetched.", gate_wait);
  if (now) {
    list.gauge("robots.cache.entries", "Sites in the cache.", now->size);
    list.gauge("robots.quarantined_sites", "Sites in quarantine.", now->quarantined);
    list.gauge("robots.open_breakers", "Origins whose circuit breaker is not closed.",
               now->open_breakers);
    list.count("robots.far_store.misses", "Sites that the shared store had no fresh record of.",
               now->far_misses);
    list.count("robots.far_store.rejected", "Values of the shared store that were not valid.",
               now->far_rejected);
    list.count("robots.far_store.failures", "Calls at which the shared store threw.",
               now->far_failures);
    list.count("robots.observer.failures", "Events at which an observer threw.",
               now->observer_failures);
    list.count("robots.storage.failures", "Calls at which the storage threw.",
               now->storage_failures);
  }
  return std::move(list.all);
}

}  // namespace robots
