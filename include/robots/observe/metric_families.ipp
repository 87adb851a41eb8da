#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_counts.hpp>
#include <robots/observe/metric_families.hpp>

#include <algorithm>
#include <cstddef>

namespace robots {

namespace observe_detail {

/// Collects families.
class family_list {
 public:
  void count(std::string_view name, std::string_view help, std::uint64_t value,
             std::string_view unit = {}) {
    one(name, help, metric_kind::counter, value).unit = unit;
  }
  void gauge(std::string_view name, std::string_view help, std::uint64_t value) {
    one(name, help, metric_kind::gauge, value);
  }
  void histogram(std::string_view name, std::string_view help, const duration_histogram& value) {
    metric_family& family = begin(name, help, metric_kind::histogram);
    family.unit = "s";
    family.histogram = value;
  }
  /// Makes a family without samples.
  metric_family& begin(std::string_view name, std::string_view help,
                       metric_kind kind = metric_kind::counter) {
    return all.emplace_back(metric_family{.name = name, .help = help, .kind = kind});
  }
  /// Makes one count for each enumerator.
  template <auto Last>
  void by(std::string_view name, std::string_view help, std::string_view label,
          const base::enum_counts<Last>& counts) {
    add_each(begin(name, help), {}, label, counts);
  }
  template <auto Last>
  static void add_each(metric_family& to, const metric_family::sample& like, std::string_view label,
                       const base::enum_counts<Last>& counts) {
    for (std::size_t i = 0; i < counts.size; ++i) {
      const auto key = static_cast<decltype(Last)>(i);
      metric_family::sample& added = to.samples.emplace_back(like);
      added.labels.emplace_back(label, to_string(key));
      added.value = static_cast<double>(counts[key]);
    }
  }

  std::vector<metric_family> all;

 private:
  metric_family& one(std::string_view name, std::string_view help, metric_kind kind,
                     std::uint64_t value) {
    metric_family& family = begin(name, help, kind);
    family.samples.push_back({.value = static_cast<double>(value)});
    return family;
  }
};

/// Returns the look-ups and denials of a snapshot: by domain, or all of them under the empty
/// domain.
[[nodiscard]] inline std::vector<metrics_snapshot::domain_counts> counts_by_domain(
    const metrics_snapshot& of) {
  if (!of.domains.empty()) {
    return of.domains;
  }
  metrics_snapshot::domain_counts all{.denied_for = of.denied_for};
  all.look_ups[look_up_result::hit] = of.hits;
  all.look_ups[look_up_result::stale_hit] = of.stale_hits;
  all.look_ups[look_up_result::miss] = of.misses;
  all.look_ups[look_up_result::joined] = of.joined;
  return {std::move(all)};
}

/// Adds the families that can have a sample for each domain. A domain has samples only for counters
/// above 0, so that a monitoring system keeps no series of zeros.
inline void add_counts_by_domain(family_list& list, const metrics_snapshot& of) {
  metric_family hits{.name = "robots.cache.hits", .help = "Look-ups that needed no fetch."};
  metric_family misses{.name = "robots.cache.misses",
                       .help = "Look-ups that had to fetch, or ask a shared store."};
  metric_family blocked{.name = "robots.blocked_requests", .help = "Decisions that denied."};
  for (const metrics_snapshot::domain_counts& own : counts_by_domain(of)) {
    metric_family::sample labelled;
    if (!own.domain.empty()) {
      labelled.labels.emplace_back("domain", own.domain);
    }
    const auto add = [&](metric_family& to, std::string_view label, std::string_view value,
                         std::uint64_t count) {
      if (count == 0 && !own.domain.empty()) {
        return;
      }
      metric_family::sample& added = to.samples.emplace_back(labelled);
      if (!label.empty()) {
        added.labels.emplace_back(label, value);
      }
      added.value = static_cast<double>(count);
    };
    add(hits, "kind", "fresh", own.look_ups[look_up_result::hit]);
    add(hits, "kind", "stale", own.look_ups[look_up_result::stale_hit]);
    add(hits, "kind", "joined", own.look_ups[look_up_result::joined]);
    add(misses, {}, {}, own.look_ups[look_up_result::miss]);
    for (std::size_t i = 0; i < own.denied_for.size; ++i) {
      const auto reason = static_cast<decision_reason>(i);
      add(blocked, "reason", to_string(reason), own.denied_for[reason]);
    }
  }
  for (metric_family* const family : {&hits, &misses, &blocked}) {
    list.all.push_back(std::move(*family));
  }
}

}  // namespace observe_detail

ROBOTS_INLINE std::string prometheus_name(const metric_family& of) {
  std::string name{of.name};
  std::replace(name.begin(), name.end(), '.', '_');
  name += of.unit == "s" ? "_seconds" : of.unit == "By" ? "_bytes" : "";
  return of.kind == metric_kind::counter ? name + "_total" : name;
}

ROBOTS_INLINE std::vector<metric_family> metric_families(const metrics_snapshot& of,
                                                         const std::optional<cache_stats>& now) {
  observe_detail::family_list list;
  observe_detail::add_counts_by_domain(list, of);
  list.count("robots.cache.evictions", "Entries dropped to make room.", of.evictions);
  list.count("robots.cache.expiries", "Entries dropped when they expired.", of.expiries);
  list.by("robots.allowed_requests", "Decisions that allowed.", "reason", of.allowed_for);
  list.by("robots.fetches", "Retrievals of robots.txt that ended.", "outcome", of.outcomes);
  list.count("robots.fetch.not_modified", "Retrievals that ended with a 304.", of.not_modified);
  list.count("robots.fetch.retries", "Tries after the first of a retrieval.", of.retries);
  metric_family& responses = list.begin("robots.fetch.responses", "Responses of sites.");
  for (const metrics_snapshot::status_count& status : of.statuses) {
    responses.samples.push_back(
        {{{"status", std::to_string(status.status)}}, static_cast<double>(status.count)});
  }
  list.by("robots.fetch.errors", "Requests without a response.", "error", of.errors);
  list.count("robots.fetch.body", "Octets of bodies read.", of.bytes, "By");
  list.histogram("robots.fetch.duration", "Time to retrieve a robots.txt, including retries.",
                 of.fetch_duration);
  list.histogram("robots.exchange.duration", "Time from a request to its response.",
                 of.exchange_duration);
  list.histogram("robots.parse.duration", "Time to parse a robots.txt.", of.parse_duration);
  list.count("robots.malformed_lines", "Lines that mean nothing, in all parsed files.",
             of.malformed_lines);
  metric_family& fallbacks =
      list.begin("robots.fallbacks", "Policies that the fallback policy decided.");
  for (std::size_t i = 0; i < of.fallbacks.size(); ++i) {
    if (of.fallbacks[i].total() != 0) {
      const std::string row{to_string(static_cast<outcome>(i))};
      observe_detail::family_list::add_each(fallbacks, {{{"outcome", row}}}, "action",
                                            of.fallbacks[i]);
    }
  }
  list.count("robots.quarantines", "Sites put in quarantine.", of.quarantines);
  list.count("robots.quarantine.releases", "Sites released from quarantine.", of.releases);
  list.count("robots.breaker.openings", "Times that a circuit breaker opened.",
             of.breaker_openings);
  list.count("robots.overrides", "Overrides set or lifted.", of.overrides);
  list.count("robots.policy.changes", "Changes of a site's rules.", of.policy_changes);
  list.count("robots.policy.fast_changes", "Changes of a site's rules that were fast.",
             of.fast_changes);
  list.count("robots.access_revocations", "Pages and robots.txt files refused although allowed.",
             of.revocations);
  list.count("robots.halts", "Sites halted.", of.halts);
  list.count("robots.halt.resumptions", "Sites resumed.", of.resumptions);
  list.count("robots.sign_offs.awaited", "High-risk sites seen without a sign-off.",
             of.awaited_sign_offs);
  list.count("robots.far_store.hits", "Sites that the shared store had a record of.", of.far_hits);
  list.count("robots.far_store.outages", "Times that a shared store failed.", of.far_outages);
  list.gauge("robots.far_store.down", "Caches whose shared store is down.",
             of.far_outages - of.far_returns);
  list.by("robots.gate.answers", "Answers of gates: whether and when a URL may be fetched.",
          "reason", of.admissions);
  list.histogram("robots.gate.wait", "Waits of pages that may be fetched.", of.gate_wait);
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
