#pragma once

#include <robots/fetch/exchange.hpp>
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
  detail::charset charset = detail::charset::utf_8;  ///< the charset of the body
  detail::validators validators{};                   ///< the validators for a conditional request
  int failures = 0;  ///< number of failed retrievals in a row, including this one
  /// The time for which the site has failed (RFC 9309, section 2.3.1.4), or empty. It is empty
  /// after an answer of the site, and 0 after the first failure. See
  /// `cache_options::no_file_after`.
  std::optional<std::chrono::seconds> failing_for{};
  std::chrono::sys_seconds fetched_at{};  ///< the date of the retrieval, in whole seconds
  /// The lifetime that the server stated, or empty. After a failure (`is_failure`), the lifetime
  /// comes from Retry-After. Otherwise, it comes from Cache-Control or Expires (RFC 9111).
  std::optional<std::chrono::seconds> server_lifetime{};
  std::chrono::seconds lifetime{0};  ///< the lifetime in force, within the limits of the options

  [[nodiscard]] friend bool operator==(const record_head&, const record_head&) = default;
};

/// The result of one retrieval, in a form that can leave the process (`detail::encode`). A record
/// does not depend on the crawler's name, so `judge` can make the policy of any crawler from it.
struct record : record_head {
  std::string body{};  ///< the robots.txt as served; empty if there is none

  [[nodiscard]] friend bool operator==(const record&, const record&) = default;
};

}  // namespace robots

namespace robots::detail {

/// Returns the record of a robots.txt that a 304 has confirmed. The outcome, the charset,
/// `truncated` and the validators are from `known`. The rest is from `confirmed`. If `known` has no
/// Last-Modified date, the date of `confirmed` is used.
///
/// If the entity tags of the 304 and of `known` differ, the 304 is about another file (RFC 9111,
/// section 4.3.4). Then the result has no validators, so the next request asks for the whole file.
[[nodiscard]] inline record_head renewed(const record_head& known, record_head confirmed) {
  confirmed.outcome = known.outcome;
  confirmed.charset = known.charset;
  confirmed.truncated = known.truncated;
  const detail::validators named = std::exchange(confirmed.validators, known.validators);
  if (!named.etag.empty() && !detail::same_entity(named.etag, known.validators.etag)) {
    confirmed.validators = {};
  } else if (known.validators.last_modified.empty()) {
    confirmed.validators.last_modified = named.last_modified;
  }
  return confirmed;
}

/// Returns a whole record: the renewed head and the body of `known`. Sets `not_modified` to false.
[[nodiscard]] inline record renewed(record known, record_head confirmed) {
  record_head& head = known;
  head = renewed(std::as_const(head), std::move(confirmed));
  known.not_modified = false;
  return known;
}

}  // namespace robots::detail
