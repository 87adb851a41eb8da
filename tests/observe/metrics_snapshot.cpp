#include <robots/observe/metrics_snapshot.hpp>

#include <robots/observe/metrics.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::metrics_snapshot;
using metric_family = robots::metrics_snapshot::family;
using type = metric_family::type;

std::vector<metric_family> all_of(const metrics_snapshot& now) {
  return now.families(robots::cache_stats{});
}

const metric_family& find(const std::vector<metric_family>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [name](const metric_family& family) {
    return family.prometheus_name() == name;
  });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("Figures have the names of the pipeline guide in the style of Prometheus") {
  metrics_snapshot now;
  now.hits = 3;
  now.joined = 1;
  now.bytes = 5;
  now.denied_for[robots::decision_reason::rule] = 2;
  const std::vector<metric_family> all = all_of(now);
  const metric_family& hits = find(all, "robots_cache_hits_total");
  REQUIRE(hits.samples.size() == 3);
  CHECK(hits.samples[0].labels[0].second == "fresh");
  CHECK(hits.samples[0].value == 3.0);
  CHECK(hits.samples[2].value == 1.0);
  const metric_family& blocked = find(all, "robots_blocked_requests_total");
  CHECK(blocked.samples[0].labels[0].first == "reason");
  CHECK(blocked.samples[0].labels[0].second == "rule");
  CHECK(blocked.samples[0].value == 2.0);
  CHECK(find(all, "robots_parse_duration_seconds").histogram);
  CHECK(find(all, "robots_fetch_body_bytes_total").samples[0].value == 5.0);
  CHECK(find(all, "robots_cache_entries").kind == type::gauge);
}

TEST_CASE("Each name occurs once, in lower case, with a help sentence") {
  std::set<std::string> names;
  for (const metric_family& family : all_of({})) {
    const std::string name = family.prometheus_name();
    INFO(name);
    CHECK(names.insert(name).second);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos);
    CHECK(name.starts_with("robots_"));
    CHECK(name.ends_with("_total") == (family.kind == type::counter));
    CHECK(family.help.ends_with('.'));
    CHECK((family.kind == type::histogram) == family.histogram.has_value());
  }
}

TEST_CASE("Hits and denials have a sample for each domain that has counters, and add up") {
  using robots::decision_reason;
  using robots::look_up_result;
  metrics_snapshot now;
  now.hits = 6;
  robots::metrics_snapshot::domain_counts others;
  others.look_ups[look_up_result::hit] = 1;
  others.denied_for[decision_reason::excluded] = 3;
  robots::metrics_snapshot::domain_counts own;
  own.look_ups[look_up_result::hit] = 5;
  own.denied_for[decision_reason::rule] = 2;
  now.domains = {{"", others}, {"a.example", own}};
  const std::vector<metric_family> all = all_of(now);
  const auto samples_of = [&all](std::string_view name) {
    std::vector<std::string> texts;
    for (const metric_family::sample& sample : find(all, name).samples) {
      std::string text;
      for (const auto& [label, value] : sample.labels) {
        text.append(label).append("=").append(value).append(" ");
      }
      if (sample.value != 0) {
        texts.push_back(text + std::to_string(static_cast<int>(sample.value)));
      }
    }
    return texts;
  };
  CHECK(find(all, "robots_cache_hits_total").kind == type::counter);
  CHECK(samples_of("robots_cache_hits_total") ==
        std::vector<std::string>{"kind=fresh 1", "domain=a.example kind=fresh 5"});
  CHECK(samples_of("robots_blocked_requests_total") ==
        std::vector<std::string>{"reason=excluded 3", "domain=a.example reason=rule 2"});
  CHECK(samples_of("robots_cache_misses_total").empty());
  // A domain has no series for an event that never happened there.
  CHECK(find(all, "robots_cache_misses_total").samples.size() == 1);
}

TEST_CASE("No series has a domain unless the metrics count by domain") {
  metrics_snapshot now;
  now.denied_for[robots::decision_reason::rule] = 3;
  for (const metric_family& family : all_of(now)) {
    for (const metric_family::sample& sample : family.samples) {
      for (const auto& [name, value] : sample.labels) {
        CHECK(name != "domain");
      }
    }
  }
}

TEST_CASE("The samples of fallbacks have the outcome and the action as labels") {
  metrics_snapshot now;
  now.fallbacks[static_cast<std::size_t>(robots::outcome::server_error)]
               [robots::policy_basis::last_good] = 4;
  const auto all = all_of(now);
  for (const metric_family::sample& sample : find(all, "robots_fallbacks_total").samples) {
    CHECK(sample.labels[0].second == "server_error");
    CHECK(sample.value == (sample.labels[1].second == "last_good" ? 4.0 : 0.0));
  }
}

TEST_CASE("A duration counts in the first bucket whose bound is not exceeded") {
  metrics_snapshot::histogram times{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  for (const auto duration : {-1ms, 0ms, 1'000ms, 1'001ms, 12'000ms, 12'001ms, 500'000ms}) {
    times.add(duration);
  }
  CHECK(times.counts.front() == 3);
  CHECK(times.counts[1] == 1);
  CHECK(times.counts[11] == 1);
  CHECK(times.counts.back() == 2);
  CHECK(std::accumulate(times.counts.begin(), times.counts.end(), std::uint64_t{0}) == 7);
  CHECK(times.sum == doctest::Approx(526.002));
}
