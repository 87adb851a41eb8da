#pragma once

#include <robots/base/config.hpp>
#include <robots/base/fingerprint.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/detail/octet_stream.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace robots {

// The format of an encoded record, version 2. A *number* has seven bits in each octet, the lowest
// first, and the top bit set in all octets but the last; a *text* is its length, a number, and its
// octets. Enumerators are numbers from 0, in the order of their declaration.
//
//     version         one octet, 2
//     outcome         number
//     parts           number: the sum of the bits below
//     fetched_at      number: seconds since 1970
//     lifetime        number: seconds
//     url             URL
//     final_url       URL                                 if parts has      1; else url
//     status          number: 2 n if n >= 0, else -2 n - 1               2; else 200 after success,
//                                                                        404 after not_found, or 0
//     error           number                                             4; else none
//     error_text      text                                               8; else empty
//     redirects       number                                            16; else 0
//     attempts        number                                            32; else 1
//     exchanges       number, and each: URL, status, error              64; else one: url, status,
//                                                                        error
//     validators      text (etag), text (last_modified)                128; else empty
//     failures        number                                           256; else 0
//     server_lifetime number: seconds                                  512; else not said
//     charset         number                                          1024; else utf_8
//     truncated                                                       2048
//     not_modified                                                    4096
//     body            text                                            8192; else empty
//     checksum        eight octets, the lowest first: `base::fingerprint` of all octets before
//
// A URL is a number n and n / 4 octets. If n % 4 is 0, they are the whole URL; if it is 1, the HOST
// of `http://HOST/robots.txt`; if it is 2, the HOST of `https://HOST/robots.txt`.
//
// Each record has one form: a text that `encode` would write differently is refused.

namespace policy_detail {

inline constexpr std::size_t checksum_size = 8;
static_assert(record_format < 0x80, "one octet");

inline constexpr std::uint32_t all_record_parts = 16'383;

// Enumerators are stored as numbers, so a new one must come last.
inline constexpr std::uint64_t last_outcome = outcome_count - 1;
inline constexpr auto last_fetch_error =
    static_cast<std::uint64_t>(fetch_error::connection_refused);
inline constexpr auto last_charset = static_cast<std::uint64_t>(detail::charset::utf_16be);
static_assert(last_outcome == static_cast<std::uint64_t>(outcome::redirected));

inline constexpr std::uint64_t last_second = (std::uint64_t{1} << 33U) - 1;  // in the year 2242
inline constexpr auto longest_time =
    static_cast<std::uint64_t>((std::numeric_limits<std::chrono::seconds::rep>::max)());
inline constexpr auto largest_int =
    static_cast<std::uint64_t>((std::numeric_limits<std::int32_t>::max)());

[[nodiscard]] constexpr int usual_status(outcome kind) noexcept {
  return kind == outcome::success ? 200 : kind == outcome::not_found ? 404 : 0;
}

[[nodiscard]] constexpr std::uint64_t folded(std::int64_t value) noexcept {
  const auto bits = static_cast<std::uint64_t>(value < 0 ? -(value + 1) : value);
  return 2 * bits + (value < 0 ? 1 : 0);
}

[[nodiscard]] constexpr int unfolded(std::uint64_t value) noexcept {
  const auto bits = static_cast<int>(value / 2);
  return value % 2 == 0 ? bits : -bits - 1;
}

template <class Number>
[[nodiscard]] constexpr std::uint64_t not_negative(Number value) noexcept {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

inline constexpr std::array<std::string_view, 3> url_starts{"", "http://", "https://"};
inline constexpr std::string_view url_end = "/robots.txt";

[[nodiscard]] inline std::size_t form_of(std::string_view url) noexcept {
  std::size_t form = url_starts.size() - 1;
  while (form > 0 && !(url.size() >= url_starts[form].size() + url_end.size() &&
                       url.starts_with(url_starts[form]) && url.ends_with(url_end))) {
    --form;
  }
  return form;
}

inline void write_url(octet_writer& out, std::string_view url) {
  const std::size_t form = form_of(url);
  if (form != 0) {
    url.remove_prefix(url_starts.at(form).size());
    url.remove_suffix(url_end.size());
  }
  out.number(4 * url.size() + form);
  out.octets(url);
}

[[nodiscard]] inline std::string read_url(octet_reader& in) {
  const std::uint64_t size_and_form = in.number(4 * record_limits::url + 3);
  const auto form = static_cast<std::size_t>(size_and_form % 4);
  const std::string_view text = in.octets(size_and_form / 4);
  std::string url;
  if (form == 0 || form >= url_starts.size()) {
    url = text;
  } else {
    url.reserve(url_starts[form].size() + text.size() + url_end.size());
    url.append(url_starts[form]).append(text).append(url_end);
  }
  in.expect(url.size() <= record_limits::url && form_of(url) == form);
  return url;
}

/// Writes everything of an encoded record that precedes the octets of the body.
[[nodiscard]] inline std::string encoded_head(const record_head& head, std::string_view body) {
  // Compares the stored texts: URLs that differ only beyond the limit are equal.
  const auto cut = [](std::string_view url) { return url.substr(0, record_limits::url); };
  const std::string_view url = cut(head.url);
  const auto is_usual = [&](const detail::exchange& one) {
    return cut(one.url) == url && one.status == head.status && one.error == head.error;
  };
  const bool one_exchange = head.exchanges.size() == 1 && is_usual(head.exchanges.front());
  std::uint32_t parts = 0;
  // Takes the next bit of `parts`, in the order of the format.
  auto has_part = [&parts, bit = std::uint32_t{1}](bool present) mutable {
    parts += present ? bit : 0;
    bit *= 2;
    return present;
  };
  octet_writer rest;
  if (has_part(cut(head.final_url) != url)) {
    write_url(rest, cut(head.final_url));
  }
  if (has_part(head.status != usual_status(head.outcome))) {
    rest.number(folded(head.status));
  }
  if (has_part(head.error != fetch_error::none)) {
    rest.number(static_cast<std::uint64_t>(head.error));
  }
  if (has_part(!head.error_text.empty())) {
    rest.text(std::string_view{head.error_text}.substr(0, record_limits::error_text));
  }
  if (has_part(head.redirects > 0)) {
    rest.number(not_negative(head.redirects));
  }
  if (has_part(head.attempts != 1)) {
    rest.number(not_negative(head.attempts));
  }
  if (has_part(!one_exchange)) {
    const std::size_t count = (std::min)(head.exchanges.size(), record_limits::exchanges);
    rest.number(count);
    for (std::size_t i = 0; i < count; ++i) {
      const detail::exchange& hop = head.exchanges[i];
      write_url(rest, cut(hop.url));
      rest.number(folded(hop.status));
      rest.number(static_cast<std::uint64_t>(hop.error));
    }
  }
  if (has_part(!head.validators.empty())) {
    rest.text(std::string_view{head.validators.etag}.substr(0, record_limits::validator));
    rest.text(std::string_view{head.validators.last_modified}.substr(0, record_limits::validator));
  }
  if (has_part(head.failures > 0)) {
    rest.number(not_negative(head.failures));
  }
  if (has_part(head.server_lifetime.has_value())) {
    rest.number(not_negative(head.server_lifetime->count()));
  }
  if (has_part(head.charset != detail::charset::utf_8)) {
    rest.number(static_cast<std::uint64_t>(head.charset));
  }
  has_part(head.truncated);
  has_part(head.not_modified);
  if (has_part(!body.empty())) {
    rest.number(body.size());
  }

  // The version, and numbers of at most 1, 2, 5, 9 and, for the size of the URL, 3 octets.
  constexpr std::size_t most_before_url = 21;
  octet_writer out{most_before_url + url.size() + rest.written().size()};
  out.number(record_format);
  out.number(static_cast<std::uint64_t>(head.outcome));
  out.number(parts);
  const std::uint64_t second = not_negative(head.fetched_at.time_since_epoch().count());
  out.number((std::min)(second, last_second));
  out.number(not_negative(head.lifetime.count()));
  write_url(out, url);
  out.octets(rest.written());
  return std::move(out).take();
}

/// Reads the output of `encoded_head`, then the body. Fails if the record could be spelled
/// differently.
[[nodiscard]] inline robots::record read_record(octet_reader& in) {
  robots::record result;
  result.outcome = static_cast<outcome>(in.number(last_outcome));
  const auto parts = static_cast<std::uint32_t>(in.number(all_record_parts));
  // Takes the next bit of `parts`, in the order of the format.
  auto has_part = [rest = 2 * parts]() mutable { return (rest /= 2) % 2 != 0; };
  // A part that is present must differ from its default.
  const auto other_than = [&in](const auto& usual, auto value) {
    in.expect(value != usual);
    return value;
  };
  const auto number = [&in] { return static_cast<int>(in.number(largest_int)); };
  const auto status = [&in] { return unfolded(in.number(2 * largest_int + 1)); };
  const auto error = [&in] { return static_cast<fetch_error>(in.number(last_fetch_error)); };
  const auto time = [&in] {
    return std::chrono::seconds{static_cast<std::chrono::seconds::rep>(in.number(longest_time))};
  };
  result.fetched_at = std::chrono::sys_seconds{
      std::chrono::seconds{static_cast<std::chrono::seconds::rep>(in.number(last_second))}};
  result.lifetime = time();
  result.url = read_url(in);
  result.final_url = has_part() ? other_than(result.url, read_url(in)) : result.url;
  const int usual = usual_status(result.outcome);
  result.status = has_part() ? other_than(usual, status()) : usual;
  result.error = has_part() ? other_than(fetch_error::none, error()) : fetch_error::none;
  if (has_part()) {
    result.error_text = other_than("", in.text(record_limits::error_text));
  }
  result.redirects = has_part() ? other_than(0, number()) : 0;
  result.attempts = has_part() ? other_than(1, number()) : 1;
  if (has_part()) {
    const std::uint64_t count = in.number(record_limits::exchanges);
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
      detail::exchange hop{.url = read_url(in)};
      hop.status = status();
      hop.error = error();
      result.exchanges.push_back(std::move(hop));
    }
    in.expect(result.exchanges.size() != 1 ||
              result.exchanges.front() !=
                  detail::exchange{result.url, result.status, result.error});
  } else {
    result.exchanges.push_back({result.url, result.status, result.error});
  }
  if (has_part()) {
    result.validators.etag = in.text(record_limits::validator);
    result.validators.last_modified = in.text(record_limits::validator);
    in.expect(!result.validators.empty());
  }
  result.failures = has_part() ? other_than(0, number()) : 0;
  if (has_part()) {
    result.server_lifetime = time();
  }
  if (has_part()) {
    result.charset =
        other_than(detail::charset::utf_8, static_cast<detail::charset>(in.number(last_charset)));
  }
  result.truncated = has_part();
  result.not_modified = has_part();
  if (has_part()) {
    result.body = other_than("", in.text(record_limits::body));
  }
  return result;
}

}  // namespace policy_detail

ROBOTS_INLINE std::string encode(const record& from) {
  const std::string_view body = std::string_view{from.body}.substr(0, record_limits::body);
  policy_detail::octet_writer out;
  out.octets(policy_detail::encoded_head(from, body));
  out.octets(body);
  out.fixed(base::fingerprint(out.written()));
  return std::move(out).take();
}

ROBOTS_INLINE decode_result decode(std::string_view text) {
  if (text.size() <= policy_detail::checksum_size) {
    return {.error = decode_error::too_short};
  }
  if (text.front() != record_format) {
    return {.error = decode_error::unknown_version};
  }
  const std::string_view content = text.substr(0, text.size() - policy_detail::checksum_size);
  if (base::whole_word(text, content.size()) != base::fingerprint(content)) {
    return {.error = decode_error::damaged};
  }
  policy_detail::octet_reader in{content.substr(1)};
  decode_result result{.record = policy_detail::read_record(in)};
  if (in.failed() || !in.rest().empty()) {
    return {.error = decode_error::malformed};
  }
  return result;
}

}  // namespace robots
