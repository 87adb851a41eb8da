#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/detail/octet_stream.hpp>
#include <robots/policy/record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::detail {

/// The records of one site that processes share. A process that has these records can continue as
/// if it had asked the site itself.
struct site_records {
  record latest{};  ///< the result of the last retrieval
  /// The last robots.txt that was read, if `latest` has no robots.txt. The fallback policy can
  /// choose this file.
  std::optional<record> last_good{};
  /// True if the site began to deny everything with `latest`. Then caches that halt hostile sites
  /// halt this site. Never true if there is a `last_good`.
  bool turned_hostile = false;

  [[nodiscard]] friend bool operator==(const site_records&, const site_records&) = default;
};

/// Returns true if a record has an answer of the site itself. Such an answer is a file, the
/// confirmation of a file, a redirect, or an error status. It is valid for every process.
///
/// Any other result can be the fault of this process, and another process can have more success.
/// Without a response, a dead site looks like a failure of the local network or name server. The
/// address guard, exclusions, breakers, quarantine and deadlines belong to this process. A server
/// error with the status of a redirect means that this process did not follow the redirect. The
/// limit of redirects belongs to this process, too, and a loop of redirects reaches any limit.
[[nodiscard]] constexpr bool is_answer_of_site(const record_head& retrieved) noexcept {
  switch (retrieved.outcome) {
    case outcome::success:
    case outcome::not_found:
    case outcome::client_error:
    case outcome::too_many_requests:
    case outcome::malformed:
    case outcome::redirected:
      return true;
    case outcome::server_error:
      return !detail::is_redirect(retrieved.status);
    default:
      return false;
  }
}

/// Returns true if a record has as much of the file as a process with this `max_bytes` reads. A
/// process with a lower limit may have cut the file.
[[nodiscard]] inline bool reaches(const record& fetched, std::size_t max_bytes) noexcept {
  return !fetched.truncated || fetched.body.size() >= max_bytes;
}

/// The first octet of encoded `site_records`. It differs from `record_format`, so that a reader
/// cannot confuse encoded `site_records` with an encoded record.
inline constexpr char site_version = static_cast<char>(0x80 + record_format);

/// The part that follows the latest record of a site in the encoded text. If one bit of an encoded
/// enumerator flips, the result is `unused`, or does not fit the length of the text.
enum class site_form : std::uint8_t { alone, last_good, unused, turned_hostile };

/// Encodes the records of a site as octets, which are the same on every machine. The parts are an
/// octet with the version, a number with the form, and each encoded record after its length. Takes
/// linear time.
[[nodiscard]] inline std::string encode(const site_records& from) {
  const auto form = from.last_good        ? site_form::last_good
                    : from.turned_hostile ? site_form::turned_hostile
                                          : site_form::alone;
  policy_detail::octet_writer out;
  out.octets({&site_version, 1});
  out.number(static_cast<std::uint64_t>(form));
  out.text(encode(from.latest));
  if (from.last_good) {
    out.text(encode(*from.last_good));
  }
  return std::move(out).take();
}

/// Reads the records of a site that `encode` wrote. Accepts any octets, as `decode` does.
[[nodiscard]] inline decoded<site_records> decode_site(std::string_view text) {
  if (text.empty()) {
    return {.error = "too_short"};
  }
  if (text.front() != site_version) {
    return {.error = "unknown_version"};
  }
  policy_detail::octet_reader in{text.substr(1)};
  constexpr auto last_form = static_cast<std::uint64_t>(site_form::turned_hostile);
  const auto form = static_cast<site_form>(in.number(last_form));
  decoded<record> latest = decode(in.text(text.size()));
  decoded<record> good;
  if (form == site_form::last_good) {
    good = decode(in.text(text.size()));
  }
  if (in.failed() || !in.rest().empty() || form == site_form::unused) {
    return {.error = "malformed"};
  }
  if (!latest.value || !good.error.empty()) {
    return {.error = latest.value ? good.error : latest.error};
  }
  return {.value = site_records{.latest = *std::move(latest.value),
                                .last_good = std::move(good.value),
                                .turned_hostile = form == site_form::turned_hostile}};
}

}  // namespace robots::detail
