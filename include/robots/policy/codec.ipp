#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/base/octet_word.hpp>
#include <robots/http/charset.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/site_records.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace robots::policy_detail {

// An encoded record begins with one octet, the version (2). Two numbers follow: the outcome and a
// bit mask. Then come the values, in the order of `record_stream::pass`. The last eight octets are
// the checksum, the lowest first. The checksum is `base::fingerprint` of all other octets.
// `record_stream::part` omits a value that equals `usual`. The mask has a bit for each call of
// `part`: 1 for the first, 2 for the second, 4 for the third. A bit is set if its value is present.
//
// A number has seven bits in each octet, the lowest bits first. The top bit is set in all octets
// except the last. A text is its length as a number, then its octets. Times are in seconds since
// 1970. Durations are in seconds. Enumerators are numbers from 0, in the order of their
// declaration. A status s is the number 2 * s if s >= 0, else -2 * s - 1. A URL is the number 4 * k
// + f, then k octets. If f is 0, the octets are the whole URL. If f is 1, the octets are the HOST
// in `http://HOST/robots.txt`. If f is 2, the octets are the HOST in `https://HOST/robots.txt`.
//
// Each record has exactly one encoding. A text that `encode` would write differently is refused.

using detail::record_limits;
static_assert(detail::record_format < 0x80, "one octet");

inline void append_number(std::string& to, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) {
    to += static_cast<char>(0x80U | (value & 0x7FU));
  }
  to += static_cast<char>(value);
}

inline void append_text(std::string& to, std::string_view value) {
  append_number(to, value.size());
  to += value;
}

/// Reads numbers and texts. If a part is missing or too large, this part and all later parts read
/// as 0 or empty. Then `failed()` is true.
class octet_reader {
 public:
  explicit octet_reader(std::string_view text) noexcept : rest_{text} {}

  [[nodiscard]] std::uint64_t number(std::uint64_t most) noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto octet = static_cast<unsigned char>(rest_.front());
      const std::uint64_t bits = octet & 0x7FU;
      if (bits << shift >> shift != bits) {
        break;
      }
      rest_.remove_prefix(1);
      value |= bits << shift;
      if (octet < 0x80U) {
        return value <= most ? value : fail();
      }
    }
    return fail();
  }

  [[nodiscard]] std::string_view text(std::uint64_t most) noexcept { return octets(number(most)); }

  [[nodiscard]] std::string_view octets(std::uint64_t length) noexcept {
    if (length > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view value = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(value.size());
    return value;
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  std::uint64_t fail() noexcept {
    failed_ = true;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

inline constexpr std::uint32_t all_record_parts = 32'767;

// Enumerators are stored as numbers, so a new enumerator must come last.
inline constexpr auto last_fetch_error = static_cast<std::uint64_t>(fetch_error::local);
inline constexpr auto last_charset = static_cast<std::uint64_t>(detail::charset::windows_1252);

inline constexpr std::uint64_t last_second = (std::uint64_t{1} << 33U) - 1;  // year 2242
inline constexpr auto longest_time =
    static_cast<std::uint64_t>((std::numeric_limits<std::chrono::seconds::rep>::max)());
inline constexpr auto largest_int =
    static_cast<std::uint64_t>((std::numeric_limits<std::int32_t>::max)());

[[nodiscard]] constexpr int usual_status(outcome kind) noexcept {
  if (kind == outcome::success) {
    return 200;
  }
  return kind == outcome::not_found ? 404 : 0;
}

inline constexpr std::array<std::string_view, 3> url_starts{"", "http://", "https://"};
inline constexpr std::string_view url_end = "/robots.txt";

/// Reads or writes the parts of a record. Writing cuts a text that is over its limit.
class record_stream {
 public:
  explicit record_stream(std::string& out) noexcept : out_{&out} {}
  record_stream(octet_reader& in, std::uint32_t parts) noexcept : in_{&in}, parts_{parts} {}

  void pass(record& passed) {
    auto second = passed.fetched_at.time_since_epoch();
    seconds(second, last_second);
    passed.fetched_at = std::chrono::sys_seconds{second};
    seconds(passed.lifetime, longest_time);
    url(passed.url);
    part(passed.final_url, passed.url, [&] { url(passed.final_url); });
    part(passed.status, usual_status(passed.outcome), [&] { status(passed.status); });
    part(passed.error, fetch_error::none, [&] { number(passed.error, last_fetch_error); });
    part(passed.error_text, "", [&] { text(passed.error_text, record_limits::error_text); });
    part(passed.redirects, 0, [&] { number(passed.redirects, largest_int); });
    part(passed.attempts, 1, [&] { number(passed.attempts, largest_int); });
    const decltype(passed.exchanges) usual_exchanges{{passed.url, passed.status, passed.error}};
    part(passed.exchanges, usual_exchanges, [&] {
      std::size_t count = passed.exchanges.size();
      number(count, record_limits::exchanges);
      for (std::size_t i = 0; i < count && (in_ == nullptr || !in_->failed()); ++i) {
        auto& hop =
            i < passed.exchanges.size() ? passed.exchanges[i] : passed.exchanges.emplace_back();
        url(hop.url);
        status(hop.status);
        number(hop.error, last_fetch_error);
      }
    });
    part(passed.validators, detail::validators{}, [&] {
      text(passed.validators.etag, record_limits::validator);
      text(passed.validators.last_modified, record_limits::validator);
    });
    part(passed.failures, 0, [&] { number(passed.failures, largest_int); });
    part(passed.server_lifetime, std::nullopt, [&] {
      std::chrono::seconds stated = passed.server_lifetime.value_or(std::chrono::seconds{0});
      seconds(stated, longest_time);
      passed.server_lifetime = stated;
    });
    part(passed.charset, detail::charset::utf_8, [&] { number(passed.charset, last_charset); });
    part(passed.truncated, false, [&] { passed.truncated = true; });
    part(passed.not_modified, false, [&] { passed.not_modified = true; });
    part(passed.body, "", [&] { text(passed.body, record_limits::body); });
    // A part that is added behind all others needs no new version: older records do not have it.
    part(passed.failing_for, std::nullopt, [&] {
      std::chrono::seconds failing = passed.failing_for.value_or(std::chrono::seconds{0});
      seconds(failing, last_second);
      passed.failing_for = failing;
    });
  }

  [[nodiscard]] std::uint32_t parts() const noexcept { return parts_; }

 private:
  template <class Number>
  void number(Number& value, std::uint64_t most) {
    if (in_ != nullptr) {
      value = static_cast<Number>(in_->number(most));
      return;
    }
    if constexpr (std::is_signed_v<Number>) {
      value = (std::max)(value, Number{0});
    }
    append_number(*out_, (std::min)(static_cast<std::uint64_t>(value), most));
  }

  void seconds(std::chrono::seconds& value, std::uint64_t most) {
    std::chrono::seconds::rep count = value.count();
    number(count, most);
    value = std::chrono::seconds{count};
  }

  void status(int& value) {
    const std::int64_t wide = value;
    auto bits = static_cast<std::uint64_t>(wide < 0 ? -2 * wide - 1 : 2 * wide);
    number(bits, 2 * largest_int + 1);
    const auto half = static_cast<int>(bits / 2);
    value = bits % 2 == 0 ? half : -half - 1;
  }

  void text(std::string& value, std::size_t most) {
    if (in_ != nullptr) {
      value = in_->text(most);
    } else {
      append_text(*out_, std::string_view{value}.substr(0, most));
    }
  }

  void url(std::string& value) {
    std::size_t own_form = url_starts.size() - 1;
    while (own_form > 0 &&
           !(value.size() >= url_starts.at(own_form).size() + url_end.size() &&
             value.starts_with(url_starts.at(own_form)) && value.ends_with(url_end))) {
      --own_form;
    }
    const std::string_view start = url_starts.at(own_form);
    const std::size_t left_out = own_form == 0 ? 0 : start.size() + url_end.size();
    std::size_t size_and_form = 4 * (value.size() - left_out) + own_form;
    number(size_and_form, 4 * record_limits::url + 3);
    if (in_ == nullptr) {
      out_->append(value, start.size(), size_and_form / 4);
      return;
    }
    value = in_->octets(size_and_form / 4);
    if (const std::size_t form = size_and_form % 4; form != 0 && form < url_starts.size()) {
      value.insert(0, url_starts.at(form)).append(url_end);
    }
  }

  template <class Value, class Usual, class Pass>
  void part(Value& value, const Usual& usual, const Pass& pass) {
    const bool is_present = in_ != nullptr ? (parts_ & bit_) != 0 : value != usual;
    if (is_present) {
      parts_ |= bit_;
      pass();
    } else {
      value = usual;
    }
    bit_ *= 2;
  }

  std::string* out_ = nullptr;
  octet_reader* in_ = nullptr;
  std::uint32_t parts_ = 0;
  std::uint32_t bit_ = 1;
};

// The encoding of `site_records` is this octet, the `site_form`, and each encoded record as a text.
inline constexpr char site_version = static_cast<char>(0x80 + detail::record_format);
static_assert(site_version != detail::compressed_records);

/// The content of `site_records` besides `latest`. The placeholder `unused` gives `turned_hostile`
/// the value 3, so that one damaged bit cannot turn `alone` (0) into `turned_hostile`.
enum class site_form : std::uint8_t { alone, last_good, unused, turned_hostile };

[[nodiscard]] inline std::string without_checksum(record limited) {
  // First, cuts each value that is over its limit. Then `pass` leaves out each part that has its
  // usual value.
  const auto cut = [](std::string& url) { url.resize((std::min)(url.size(), record_limits::url)); };
  cut(limited.url);
  cut(limited.final_url);
  limited.exchanges.resize((std::min)(limited.exchanges.size(), record_limits::exchanges));
  for (auto& hop : limited.exchanges) {
    cut(hop.url);
  }
  limited.redirects = (std::max)(limited.redirects, 0);
  limited.failures = (std::max)(limited.failures, 0);
  std::string parts;
  record_stream stream{parts};
  stream.pass(limited);
  std::string out;
  append_number(out, detail::record_format);
  append_number(out, static_cast<std::uint64_t>(limited.outcome));
  append_number(out, stream.parts());
  return out += parts;
}

/// Reads the output of `without_checksum`, without the octet for the version.
[[nodiscard]] inline record read_record(octet_reader& in) {
  record result;
  result.outcome = static_cast<outcome>(in.number(outcome_count - 1));
  record_stream{in, static_cast<std::uint32_t>(in.number(all_record_parts))}.pass(result);
  return result;
}

}  // namespace robots::policy_detail

namespace robots::detail {

ROBOTS_INLINE std::string encode(const record& from) {
  std::string text = policy_detail::without_checksum(from);
  std::uint64_t sum = base::fingerprint(text);
  for (int octet = 0; octet < 8; ++octet, sum >>= 8U) {
    text += static_cast<char>(sum & 0xFFU);
  }
  return text;
}

ROBOTS_INLINE decoded<record> decode(std::string_view text) {
  constexpr std::size_t checksum_size = 8;
  if (text.size() <= checksum_size) {
    return {.error = "too_short"};
  }
  if (text.front() != record_format) {
    return {.error = "unknown_version"};
  }
  const std::string_view content = text.substr(0, text.size() - checksum_size);
  if (base::whole_word(text, content.size()) != base::fingerprint(content)) {
    return {.error = "damaged"};
  }
  policy_detail::octet_reader in{content.substr(1)};
  decoded<record> result{.value = policy_detail::read_record(in)};
  if (policy_detail::without_checksum(*result.value) != content) {
    return {.error = "malformed"};
  }
  return result;
}

ROBOTS_INLINE std::string encode(const site_records& from) {
  using policy_detail::site_form;
  site_form form = site_form::alone;
  if (from.last_good) {
    form = site_form::last_good;
  } else if (from.turned_hostile) {
    form = site_form::turned_hostile;
  }
  std::string text{policy_detail::site_version};
  policy_detail::append_number(text, static_cast<std::uint64_t>(form));
  policy_detail::append_text(text, encode(from.latest));
  if (from.last_good) {
    policy_detail::append_text(text, encode(*from.last_good));
  }
  return text;
}

ROBOTS_INLINE decoded<site_records> decode_site(std::string_view text) {
  using policy_detail::site_form;
  if (text.empty()) {
    return {.error = "too_short"};
  }
  if (text.front() != policy_detail::site_version) {
    // A store returns a compressed value that it cannot decode as it is.
    return {.error = text.front() == compressed_records ? "damaged" : "unknown_version"};
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
