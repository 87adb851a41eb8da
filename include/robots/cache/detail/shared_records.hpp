#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_records.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Whether an outcome tells of the site, not of the process that asked: no other one is served by
/// what is cancelled, or kept from the site by this one's own breaker or quarantine.
[[nodiscard]] constexpr bool is_to_be_shared(outcome what) noexcept {
  return what != outcome::cancelled && what != outcome::circuit_open &&
         what != outcome::quarantined;
}

/// The records of a site that a shared store holds, whoever wrote them; nothing if they cannot be
/// believed. `latest` is the latest moment that a clock may show now. Linear.
[[nodiscard]] inline std::optional<site_records> believed(std::string_view value, const site& where,
                                                          const excluded_hosts& excluded,
                                                          std::chrono::sys_seconds latest) {
  auto read = decode_site(value).records;
  const std::vector<std::string> urls = where.robots_urls();
  constexpr int most_redirects = 65'536;  // whose sums along a chain of sites do not overflow
  const auto may_end_there = [&](const record& each) {
    const auto end = each.final_url == each.url ? where : parse_site(each.final_url);
    return end && !excluded.contains(end->host);
  };
  const auto is_credible = [&](const record& each) {
    return std::find(urls.begin(), urls.end(), each.url) != urls.end() &&
           each.fetched_at <= latest && is_to_be_shared(each.outcome) && !each.not_modified &&
           each.redirects <= most_redirects && may_end_there(each);
  };
  if (!read || !is_credible(read->latest) || (read->last_good && !is_credible(*read->last_good)) ||
      (read->redirects && read->latest.redirects == 0)) {
    return std::nullopt;
  }
  return read;
}

/// What other processes are to know of a site, of which `brought` came now and `made` was made; its
/// last good record is `good`, as far as it is known. Nothing where that would not be whole.
[[nodiscard]] inline std::optional<site_records> records_to_share(
    record brought, const std::shared_ptr<const policy>& made, std::optional<record> good) {
  if (!is_to_be_shared(brought.outcome) || (brought.not_modified && !good)) {
    return std::nullopt;
  }
  if (brought.not_modified) {
    return site_records{.latest = renewed(*std::move(good), std::move(brought))};
  }
  const auto rests_on = policy::good(made);
  if (rests_on == nullptr || rests_on == made) {
    good.reset();
  }
  return site_records{.latest = std::move(brought), .last_good = std::move(good)};
}

}  // namespace robots::cache_detail
