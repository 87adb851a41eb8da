// Records that show whether they are whole, and which site they belong to.
#pragma once

#include <robots/policy/codec.hpp>
#include <robots/policy/record.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace robots::test {

/// Returns the record of one fetch of a site. The size of its robots.txt depends on the site and
/// the fetch: from some octets to more than ten pages of SQLite.
[[nodiscard]] inline record numbered_record(std::string_view site, std::size_t fetch) {
  record sample;
  sample.url = sample.final_url = std::string{site} + "/robots.txt";
  sample.status = 200;
  sample.exchanges = {{sample.url, 200, fetch_error::none}};
  sample.attempts = 1;
  sample.fetched_at = std::chrono::sys_seconds{std::chrono::seconds{fetch}};
  sample.body = "User-agent: *\n";
  for (std::size_t line = (site.size() + fetch) * (fetch % 7) % 2'000; line > 0; --line) {
    sample.body += "Disallow: /" + std::to_string(fetch) + '/' + std::to_string(line) + '\n';
  }
  return sample;
}

/// Returns true if the octets are exactly a record of this site.
[[nodiscard]] inline bool is_whole(std::string_view site, std::string_view encoded) {
  const auto read = robots::detail::decode(encoded).value;
  return read && *read == numbered_record(site, static_cast<std::size_t>(
                                                    read->fetched_at.time_since_epoch().count()));
}

}  // namespace robots::test
