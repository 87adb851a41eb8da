#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/record.hpp>

#include <cstddef>
#include <optional>

namespace robots::detail {

/// The records of one site that several processes share. Each process acts as if it had asked the
/// site itself.
struct site_records {
  record latest{};  ///< the result of the last retrieval
  /// The last good robots.txt, for the fallback policy. Empty if `latest` has a good robots.txt.
  std::optional<record> last_good{};
  /// True if `latest` denies everything, and the robots.txt before `latest` did not. If so, a cache
  /// with `rulings_options::halt_hostile` halts this site. Never true if there is a `last_good`.
  bool turned_hostile = false;

  [[nodiscard]] friend bool operator==(const site_records&, const site_records&) = default;
};

/// Returns true if a record is an answer of the site itself: a file, the confirmation of a file, a
/// redirect, or an error status. Such an answer is valid for every process.
///
/// Any other result can be the fault of this process: of its network, address guard, exclusions,
/// breakers, quarantine, deadlines or limit of redirects. If the outcome is `server_error` and the
/// status is a redirect, this process did not follow the redirect.
[[nodiscard]] constexpr bool is_answer_of_site(const record_head& retrieved) noexcept {
  const outcome kind = retrieved.outcome;
  return !is_failure(kind) || kind == outcome::too_many_requests ||
         (kind == outcome::server_error && !is_redirect(retrieved.status));
}

/// Returns true if the record has all octets that a process with the limit `max_bytes` would read.
[[nodiscard]] inline bool reaches(const record& fetched, std::size_t max_bytes) noexcept {
  return !fetched.truncated || fetched.body.size() >= max_bytes;
}

}  // namespace robots::detail
