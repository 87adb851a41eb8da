#pragma once

#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_records.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Where this file stands: between a `store_work` and the values of the shared store.
//
//     value of the store --> believed --> site_records --> the work judges them
//     record of an answer, last good record --> records_to_share --> site_records --> value
//
// Both are functions of their arguments.

namespace robots::cache_detail {

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

}  // namespace robots::cache_detail
