#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
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

namespace robots::cache_detail {

/// Decodes the records of a site. Anyone who can write to the shared store can forge them, so
/// records that are not plausible become an empty optional. `latest` is the latest time that the
/// clock of another machine can show now. `max_bytes` is the number of octets of a file that this
/// process reads. Takes linear time.
[[nodiscard]] inline std::optional<detail::site_records> believed(
    std::string_view value, const site& asked, const detail::excluded_hosts& excluded,
    std::chrono::sys_seconds latest, std::size_t max_bytes) {
  auto read = detail::decode_site(value).value;
  const std::vector<std::string> urls = asked.robots_urls();
  constexpr int most_redirects = 65'536;  // avoids overflow in sums along a chain of sites
  const auto may_end_there = [&](const record& stored) {
    const auto end = stored.final_url == stored.url ? asked : parse_site(stored.final_url);
    if (stored.outcome == outcome::redirected) {
      return end && stored.redirects > 0;  // the look-up goes on with that site
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

/// Makes the records of a site for the other processes. Returns an empty optional if the site did
/// not answer, or if the file that a 304 confirms is missing. `retrieved` has just come from the
/// site, and `result` is the policy of `retrieved`. `good` is the last good record, if it is known.
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

}  // namespace robots::cache_detail
