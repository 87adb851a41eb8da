#pragma once

#include <robots/base/enum_counts.hpp>
#include <robots/base/inline.hpp>
#include <robots/observe/metric_families.hpp>

#include <algorithm>
#include <cstddef>

namespace robots {

namespace observe_detail {

/// Puts families together.
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
    metric_family& made = begin(name, help, metric_kind::histogram);
    made.unit = "s";
    made.histogram = value;
  }
  /// A family without samples so far.
  metric_family& begin(std::string_view name, std::string_view help,
                       metric_kind kind = metric_kind::counter) {
    return all.emplace_back(metric_family{.name = name, .help = help, .kind = kind});
  }
  /// One count for each enumerator.
  template <auto Last>
  void by(std::string_view name, std::string_view help, std::string_view label,
          const base::enum_counts<Last>& counts) {
    add_each(begin(name, help), {}, label, counts);
  }
  template <auto Last>
  static void add_each(metric_family& to, const metric_sample& like, std::string_view label,
                       const base::enum_counts<Last>& counts) {
    for (std::size_t i = 0; i < counts.size; ++i) {
      const auto key = static_cast<decltype(Last)>(i);
      metric_sample& added = to.samples.emplace_back(like);
      added.labels.emplace_back(label, to_string(key));
      added.value = static_cast<double>(counts[key]);
    }
  }

  std::vector<metric_family> all;

 private:
  metric_family& one(std::string_view name, std::string_view help, metric_kind kind,
                     std::uint64_t value) {
    metric_family& made = begin(name, help, kind);
    made.samples.push_back({.value = static_cast<double>(value)});
    return made;
  }
};

}  // namespace observe_detail

ROBOTS_INLINE std::string prometheus_name(const metric_family& of) {
  std::string name{of.name};
  std::replace(name.begin(), name.end(), '.', '_');
  name += of.unit == "s" ? "_seconds" : of.unit == "By" ? "_bytes" : "";
  return of.kind == metric_kind::counter ? name + "_total" : name;
}

ROBOTS_INLINE std::vector<metric_family> metric_families(const metrics_snapshot& of,
                                                         const std::optional<cache_stats>& now,
                                                         const metric_options& options) {
  observe_detail::family_list list;
  metric_family& hits =
      list.begin("robots.cache.hits", "Look-ups answered without a fetch of their own.");
  for (const auto& [freshness, count] :
       {std::pair{"fresh", of.hits}, {"stale", of.stale_hits}, {"joined", of.joined}}) {
    hits.samples.push_back({{{"kind", freshness}}, static_cast<double>(count)});
  }
  list.count("robots.cache.misses", "Look-ups that had to fetch, or ask a shared store.",
             of.misses);
  list.count("robots.cache.evictions", "Entries dropped for want of room.", of.evictions);
  list.count("robots.cache.expiries", "Entries dropped when their time was over.", of.expiries);
  list.by("robots.allowed_requests", "Decisions that allowed.", "reason", of.allowed_for);
  list.by("robots.blocked_requests", "Decisions that denied.", "reason", of.denied_for);
  list.by("robots.fetches", "Retrievals of robots.txt that ended.", "outcome", of.outcomes);
  list.count("robots.fetch.not_modified", "Retrievals that a 304 ended.", of.not_modified);
  list.count("robots.fetch.retries", "Tries after the first of a retrieval.", of.retries);
  metric_family& responses = list.begin("robots.fetch.responses", "Responses of sites.");
  for (const status_count& each : of.statuses) {
    responses.samples.push_back(
        {{{"status", std::to_string(each.status)}}, static_cast<double>(each.count)});
  }
  list.by("robots.fetch.errors", "Requests without response.", "error", of.errors);
  list.count("robots.fetch.body", "Octets of bodies that were read.", of.bytes, "By");
  list.histogram("robots.fetch.duration", "Time for a robots.txt, retries included.",
                 of.fetch_duration);
  list.histogram("robots.exchange.duration", "Time from a request to its response.",
                 of.exchange_duration);
  list.histogram("robots.parse.duration", "Time to read a robots.txt that came.",
                 of.parse_duration);
  list.count("robots.malformed_lines", "Lines that mean nothing, of files that were read.",
             of.malformed_lines);
  metric_family& fallbacks =
      list.begin("robots.fallbacks", "Policies that rest on no robots.txt of now.");
  for (std::size_t i = 0; i < of.fallbacks.size(); ++i) {
    if (of.fallbacks[i].total() != 0) {
      const std::string row{to_string(static_cast<outcome>(i))};
      observe_detail::family_list::add_each(fallbacks, {{{"outcome", row}}}, "action",
                                            of.fallbacks[i]);
    }
  }
  list.count("robots.quarantines", "Sites put in quarantine.", of.quarantines);
  list.count("robots.quarantine.releases", "Sites let out of quarantine.", of.releases);
  list.count("robots.breaker.openings", "Times that a circuit breaker opened.",
             of.breaker_openings);
  list.count("robots.overrides", "Times that a site was told of by hand.", of.overrides);
  list.count("robots.policy.changes", "Times that a site asked for something else.",
             of.policy_changes);
  list.count("robots.policy.fast_changes", "Of these, those told as fast.", of.fast_changes);
  list.count("robots.access_revocations", "Pages refused though robots.txt allows them.",
             of.revocations);
  list.count("robots.halts", "Sites halted.", of.halts);
  list.count("robots.halt.resumptions", "Sites resumed.", of.resumptions);
  list.count("robots.far_store.hits", "Sites whose answer the shared store had.", of.far_hits);
  list.count("robots.far_store.outages", "Times that a shared store failed.", of.far_outages);
  list.gauge("robots.far_store.down", "Caches whose shared store is down.",
             of.far_outages - of.far_returns);
  list.by("robots.gate.answers", "Answers to who may fetch, and when.", "reason", of.admissions);
  list.histogram("robots.gate.wait", "Time that a gate kept those that might go.", of.gate_wait);
  if (now) {
    list.gauge("robots.cache.entries", "Sites kept.", now->size);
    list.gauge("robots.quarantined_sites", "Sites in quarantine.", now->quarantined);
    list.gauge("robots.open_breakers", "Origins whose circuit breaker is not closed.",
               now->open_breakers);
    list.count("robots.far_store.misses", "Sites that the shared store had no fresh answer of.",
               now->far_misses);
    list.count("robots.far_store.rejected", "Values of the shared store that were not believed.",
               now->far_rejected);
    list.count("robots.far_store.failures", "Calls that the shared store threw at.",
               now->far_failures);
    list.count("robots.observer.failures", "Events that an observer threw at.",
               now->observer_failures);
    list.count("robots.storage.failures", "Calls that the storage threw at.",
               now->storage_failures);
  }
  if (options.domains != 0) {
    metric_family& domains =
        list.begin("robots.blocked_by_domain", "Decisions that denied, of the hosts denied most.",
                   metric_kind::gauge);
    for (std::size_t i = 0; i < std::min(options.domains, of.denied_hosts.size()); ++i) {
      const host_count& each = of.denied_hosts[i];
      domains.samples.push_back({{{"domain", each.host}}, static_cast<double>(each.count)});
    }
  }
  return std::move(list.all);
}

}  // namespace robots
