// Records of every outcome, plain and with all members set.
#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

inline constexpr std::chrono::sys_seconds record_time =
    std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + std::chrono::hours{3};

/// The time of the records, by both clocks.
inline constexpr wall_anchor record_anchor{.steady = time_point{std::chrono::hours{1'000}},
                                           .wall = record_time};

inline constexpr std::string_view sample_body = "User-agent: *\nDisallow: /private\n";

/// Returns the record of a retrieval from example.com with one exchange.
[[nodiscard]] inline record record_with(outcome result, int status, std::string_view body = {}) {
  record sample;
  sample.outcome = result;
  sample.status = status;
  sample.error = result == outcome::unreachable ? fetch_error::connect : fetch_error::none;
  sample.url = sample.final_url = "https://example.com/robots.txt";
  sample.attempts = 1;
  sample.exchanges = {{sample.url, sample.status, sample.error}};
  sample.failures = is_failure(result) ? 1 : 0;
  sample.fetched_at = record_time;
  sample.lifetime = std::chrono::hours{24};
  sample.body = body;
  return sample;
}

/// Returns the usual record of an outcome. Only a success and a malformed file have a `body`.
[[nodiscard]] inline record record_of_outcome(outcome result, std::string_view body = {}) {
  switch (result) {
    case outcome::success:
    case outcome::malformed:
      return record_with(result, 200, body);
    case outcome::not_found:
      return record_with(result, 404);
    case outcome::client_error:
      return record_with(result, 403);
    case outcome::licence_demanded:
      return record_with(result, 402);
    case outcome::too_many_requests:
      return record_with(result, 429);
    case outcome::server_error:
      return record_with(result, 503);
    case outcome::challenged:
      return record_with(result, 202);
    case outcome::too_many_redirects:
      return record_with(result, 302);
    default:
      return record_with(result, 0);
  }
}

/// Returns a record with all members set.
[[nodiscard]] inline record full_record(outcome result, std::string_view body = {}) {
  record sample = record_of_outcome(result, body);
  sample.status = -7;
  sample.error = fetch_error::other;
  sample.error_text = "the fetcher said: \"\xFF\n\"";
  sample.final_url = "http://cdn.example/a/b?robots.txt";
  sample.redirects = 3;
  sample.attempts = 2;
  sample.exchanges = {{"https://example.com/robots.txt", 0, fetch_error::timeout},
                      {"http://example.com/robots.txt", 301},
                      {sample.final_url, 1'000}};
  sample.truncated = true;
  sample.not_modified = result == outcome::success;
  sample.charset = robots::detail::charset::utf_16le;
  sample.validators = {.etag = "W/\"1\"", .last_modified = "Sun, 22 Nov 2026 03:00:00 GMT"};
  sample.failures = 2'000'000'000;
  sample.server_lifetime = std::chrono::seconds{0};
  sample.failing_for = std::chrono::days{31};
  sample.lifetime = std::chrono::seconds::max();
  return sample;
}

/// Returns a plain and a full record of every outcome.
[[nodiscard]] inline std::vector<record> every_record(std::string_view body) {
  std::vector<record> all;
  for (std::size_t i = 0; i < outcome_count; ++i) {
    all.push_back(record_of_outcome(static_cast<outcome>(i), body));
    all.push_back(full_record(static_cast<outcome>(i), body));
  }
  return all;
}

}  // namespace robots::test
