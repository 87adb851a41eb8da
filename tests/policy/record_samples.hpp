// Records of every outcome, plain and with everything that a record can hold.
#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/record.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

inline constexpr std::chrono::sys_seconds record_time =
    std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + std::chrono::hours{3};

/// What the one exchange of a retrieval from example.com came to.
[[nodiscard]] inline record record_with(outcome what, int status, std::string_view body = {}) {
  record made;
  made.outcome = what;
  made.status = status;
  made.error = what == outcome::unreachable ? fetch_error::connect : fetch_error::none;
  made.url = made.final_url = "https://example.com/robots.txt";
  made.attempts = 1;
  made.exchanges = {{made.url, made.status, made.error}};
  made.failures = is_failure(what) ? 1 : 0;
  made.fetched_at = record_time;
  made.lifetime = std::chrono::hours{24};
  made.body = body;
  return made;
}

/// The usual record of an outcome; `body` counts where there can be one.
[[nodiscard]] inline record record_of_outcome(outcome what, std::string_view body = {}) {
  switch (what) {
    case outcome::success:
    case outcome::malformed:
      return record_with(what, 200, body);
    case outcome::not_found:
      return record_with(what, 404);
    case outcome::client_error:
      return record_with(what, 403);
    case outcome::too_many_requests:
      return record_with(what, 429);
    case outcome::server_error:
      return record_with(what, 503);
    case outcome::too_many_redirects:
      return record_with(what, 302);
    default:
      return record_with(what, 0);
  }
}

/// A record with everything that a record can hold.
[[nodiscard]] inline record full_record(outcome what, std::string_view body = {}) {
  record made = record_of_outcome(what, body);
  made.status = -7;
  made.error = fetch_error::other;
  made.error_text = "the fetcher said: \"\xFF\n\"";
  made.final_url = "http://cdn.example/a/b?robots.txt";
  made.redirects = 3;
  made.attempts = 2;
  made.exchanges = {{"https://example.com/robots.txt", 0, fetch_error::timeout},
                    {"http://example.com/robots.txt", 301},
                    {made.final_url, 1'000}};
  made.truncated = true;
  made.not_modified = what == outcome::success;
  made.charset = charset::windows_1252;
  made.validators = {.etag = "W/\"1\"", .last_modified = "Sun, 22 Nov 2026 03:00:00 GMT"};
  made.failures = 2'000'000'000;
  made.server_lifetime = std::chrono::seconds{0};
  made.lifetime = std::chrono::seconds::max();
  return made;
}

/// Plain and full records of every outcome.
[[nodiscard]] inline std::vector<record> every_record(std::string_view body) {
  std::vector<record> all;
  for (std::size_t i = 0; i < outcome_count; ++i) {
    all.push_back(record_of_outcome(static_cast<outcome>(i), body));
    all.push_back(full_record(static_cast<outcome>(i), body));
  }
  return all;
}

}  // namespace robots::test
