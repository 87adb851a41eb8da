#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/record.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

/// The result of `decode` or `decode_site`.
template <class Value>
struct decoded {
  std::optional<Value> value{};  ///< empty if there is an error
  /// The reason if there is no value: `too_short`, `unknown_version`, `damaged` if the checksum
  /// does not match, or `malformed` if `encode` cannot have written the text.
  std::string_view error{};
};

/// The limits of an encoded record. `encode` cuts longer texts and lists, `decode` refuses them.
struct record_limits {
  static constexpr std::size_t url = 65'536;                    ///< octets
  static constexpr std::size_t error_text = 1'024;              ///< octets
  static constexpr std::size_t validator = 1'024;               ///< octets
  static constexpr std::size_t exchanges = 256;                 ///< elements of a list
  static constexpr std::size_t body = std::size_t{256} << 20U;  ///< octets; `parse` reads no more
};

/// The version of the format that `encode` writes, from 1 to 127. Each change of the encoding or of
/// the checksum needs a new version. Stores keep records of different versions apart. A new part
/// behind all others, too, if a version has been released: an older reader refuses its records.
inline constexpr int record_format = 2;

/// The first octet of the records of a site that `RedisStore` and `SqliteStore` have compressed:
/// version 3. These stores return version 2, so the next version of `encode` is 4.
inline constexpr char compressed_records = '\x83';

/// Encodes a record as octets, which are the same on every machine. codec.ipp describes the format.
/// A record of "there is no robots.txt" takes 20 octets plus the name of the host.
[[nodiscard]] std::string encode(const record& from);

/// Reads a record that `encode` wrote. Accepts any octets. Returns a record only if `encode` turns
/// this record into exactly `text`. The checksum detects damage, not forgery.
[[nodiscard]] decoded<record> decode(std::string_view text);

/// Encodes the records of a site. The first octet differs from that of a single encoded record.
[[nodiscard]] std::string encode(const site_records& from);

/// Reads the records of a site that `encode` wrote. Accepts any octets, as `decode` does.
[[nodiscard]] decoded<site_records> decode_site(std::string_view text);

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/policy/codec.ipp>
#endif
