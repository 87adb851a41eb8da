#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/validators.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace robots {

/// The result of one retrieval, without the body.
struct record_head : detail::retrieval_facts {
  robots::charset charset = robots::charset::utf_8;  ///< in which the body is written
  robots::validators validators{};                   ///< by which to ask whether it has changed
  int failures = 0;  ///< retrievals of the site in a row that failed, this one included
  std::chrono::sys_seconds fetched_at{};  ///< when the answer came
  /// The lifetime that the server stated: Cache-Control or Expires of an answer (RFC 9111),
  /// Retry-After of a failure; empty if it stated none.
  std::optional<std::chrono::seconds> server_lifetime{};
  std::chrono::seconds lifetime{0};  ///< for how long it holds, within the limits of the options

  [[nodiscard]] friend bool operator==(const record_head&, const record_head&) = default;
};

/// The result of one retrieval, in a form that can leave the process; see `encode`.
///
/// It does not depend on the name of the crawler: `judge` makes the policy of any crawler of it.
struct record : record_head {
  std::string body{};  ///< the robots.txt as served; empty unless there is one

  [[nodiscard]] friend bool operator==(const record&, const record&) = default;
};

/// Returns the record of a robots.txt after a 304 confirmed it: the outcome and text of `known`,
/// the rest of `confirmed`. It keeps the validators, and may add a date. A confirmation with
/// another entity tag speaks of another file (RFC 9111, section 4.3.4): then the next one is asked
/// for whole.
[[nodiscard]] inline record_head renewed(const record_head& known, record_head confirmed) {
  confirmed.outcome = known.outcome;
  confirmed.charset = known.charset;
  confirmed.truncated = known.truncated;
  const validators named = std::exchange(confirmed.validators, known.validators);
  if (!named.etag.empty() && !same_entity(named.etag, known.validators.etag)) {
    confirmed.validators = {};
  } else if (known.validators.last_modified.empty()) {
    confirmed.validators.last_modified = named.last_modified;
  }
  return confirmed;
}

/// Renews a whole record, which then can be judged alone.
[[nodiscard]] inline record renewed(record known, record_head confirmed) {
  record_head& head = known;
  head = renewed(std::as_const(head), std::move(confirmed));
  known.not_modified = false;
  return known;
}

}  // namespace robots
