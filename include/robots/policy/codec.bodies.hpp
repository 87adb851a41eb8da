#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/base/octet_word.hpp>
#include <robots/http/charset.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/policy/source_view.hpp>

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

/// Reads or writes the parts of a record. Writes from a `const` record, whose texts are within
/// their limits. Reads into a `record` or a `source_view`.
class record_stream {
 public:
  explicit record_stream(std::string& out) noexcept : out_{&out} {}
  record_stream(octet_reader& in, std::uint32_t parts) noexcept : in_{&in}, parts_{parts} {}

  template <class Record>
  void pass(Record& passed) {
    pass_answer(passed);
    part_or(
        in_ == nullptr && !has_usual_exchanges(passed), [&] { pass_exchanges(passed.exchanges); },
        [&] { set_usual_exchanges(passed); });
    part(passed.validators, detail::validators{}, [&] {
      text(passed.validators.etag, record_limits::validator);
      text(passed.validators.last_modified, record_limits::validator);
    });
    part(passed.failures, 0, [&] { number(passed.failures, largest_int); });
    part(passed.server_lifetime, std::nullopt, [&] {
      std::chrono::seconds stated = passed.server_lifetime.value_or(std::chrono::seconds{0});
      seconds(stated, longest_time);
      set(passed.server_lifetime, stated);
    });
    part(passed.charset, detail::charset::utf_8, [&] { number(passed.charset, last_charset); });
    part(passed.truncated, false, [&] { set(passed.truncated, true); });
    part(passed.not_modified, false, [&] { set(passed.not_modified, true); });
    if constexpr (requires { passed.body; }) {
      part(passed.body, "", [&] { text(passed.body, record_limits::body); });
    } else {
      bit_ *= 2;  // a head has no body
    }
    // A part that is added behind all others needs no new version: older records do not have it.
    part(passed.failing_for, std::nullopt, [&] {
      std::chrono::seconds failing = passed.failing_for.value_or(std::chrono::seconds{0});
      seconds(failing, last_second);
      set(passed.failing_for, failing);
    });
  }

  /// Passes the first parts of a record, which a `source_view` has, too.
  template <class Record>
  void pass_answer(Record& passed) {
    auto second = passed.fetched_at.time_since_epoch();
    seconds(second, last_second);
    set(passed.fetched_at, std::chrono::sys_seconds{second});
    seconds(passed.lifetime, longest_time);
    url(passed.url);
    part(passed.final_url, passed.url, [&] { url(passed.final_url); });
    part(passed.status, usual_status(outcome_), [&] { status(passed.status); });
    part(passed.error, fetch_error::none, [&] { number(passed.error, last_fetch_error); });
    part(passed.error_text, "", [&] { text(passed.error_text, record_limits::error_text); });
    part(passed.redirects, 0, [&] { number(passed.redirects, largest_int); });
    part(passed.attempts, 1, [&] { number(passed.attempts, largest_int); });
  }

  /// The bit of the validators in the mask.
  static constexpr std::uint32_t validators_bit = 128;

  [[nodiscard]] std::uint32_t parts() const noexcept { return parts_; }

  /// Reads or writes the outcome, which precedes the mask.
  void set_outcome(outcome kind) noexcept { outcome_ = kind; }

 private:
  template <class Value, class New>
  static void set(Value& value, const New& now) {
    value = now;
  }
  template <class Value, class New>
  static void set(const Value& /*written*/, const New& /*now*/) noexcept {}

  template <class Record>
  [[nodiscard]] static bool has_usual_exchanges(const Record& passed) {
    return passed.exchanges.size() == 1 && passed.exchanges.front().url == passed.url &&
           passed.exchanges.front().status == passed.status &&
           passed.exchanges.front().error == passed.error;
  }

  template <class Record>
  static void set_usual_exchanges(Record& passed) {
    if constexpr (!std::is_const_v<Record>) {
      passed.exchanges.clear();
      passed.exchanges.push_back({passed.url, passed.status, passed.error});
    }
  }

  template <class Exchanges>
  void pass_exchanges(Exchanges& exchanges) {
    std::size_t count = exchanges.size();
    number(count, record_limits::exchanges);
    for (std::size_t i = 0; i < count && (in_ == nullptr || !in_->failed()); ++i) {
      if constexpr (!std::is_const_v<Exchanges>) {
        if (i == exchanges.size()) {
          exchanges.emplace_back();
        }
      }
      auto& hop = exchanges[i];
      url(hop.url);
      status(hop.status);
      number(hop.error, last_fetch_error);
    }
  }

  template <class Number>
  void number(Number& value, std::uint64_t most) {
    using plain = std::remove_const_t<Number>;
    if (in_ != nullptr) {
      set(value, static_cast<plain>(in_->number(most)));
      return;
    }
    plain written = value;
    if constexpr (std::is_signed_v<plain>) {
      written = (std::max)(written, plain{0});
    }
    append_number(*out_, (std::min)(static_cast<std::uint64_t>(written), most));
  }

  template <class Seconds>
  void seconds(Seconds& value, std::uint64_t most) {
    std::chrono::seconds::rep count = value.count();
    number(count, most);
    set(value, std::chrono::seconds{count});
  }

  template <class Int>
  void status(Int& value) {
    const std::int64_t wide = value;
    auto bits = static_cast<std::uint64_t>(wide < 0 ? -2 * wide - 1 : 2 * wide);
    number(bits, 2 * largest_int + 1);
    const auto half = static_cast<int>(bits / 2);
    set(value, bits % 2 == 0 ? half : -half - 1);
  }

  template <class Text>
  void text(Text& value, std::size_t most) {
    if (in_ != nullptr) {
      set(value, in_->text(most));
    } else {
      append_text(*out_, std::string_view{value}.substr(0, most));
    }
  }

  void url(const std::string& value) {
    std::size_t form = url_starts.size() - 1;
    while (form > 0 && !(value.size() >= url_starts.at(form).size() + url_end.size() &&
                         value.starts_with(url_starts.at(form)) && value.ends_with(url_end))) {
      --form;
    }
    const std::string_view start = url_starts.at(form);
    const std::size_t left_out = form == 0 ? 0 : start.size() + url_end.size();
    const std::size_t size = value.size() - left_out;
    append_number(*out_, 4 * size + form);
    out_->append(value, start.size(), size);
  }

  void url(detail::url_view& value) noexcept {
    const std::uint64_t size_and_form = in_->number(4 * record_limits::url + 3);
    value = {.middle = in_->octets(size_and_form / 4)};
    const auto form = static_cast<std::size_t>(size_and_form % 4);
    if (form != 0 && form < url_starts.size()) {
      value.start = url_starts.at(form);
      value.end = url_end;
    }
  }

  void url(std::string& value) {
    detail::url_view read;
    url(read);
    value.clear();
    value.reserve(read.start.size() + read.middle.size() + read.end.size());
    value.append(read.start).append(read.middle).append(read.end);
  }

  /// Passes a part that is present if `differs`, or if the mask says so. Else calls `leave_out`.
  template <class Pass, class LeaveOut>
  void part_or(bool differs, const Pass& pass, const LeaveOut& leave_out) {
    const bool is_present = in_ != nullptr ? (parts_ & bit_) != 0 : differs;
    if (is_present) {
      parts_ |= bit_;
      pass();
    } else {
      leave_out();
    }
    bit_ *= 2;
  }

  template <class Value, class Usual, class Pass>
  void part(Value& value, const Usual& usual, const Pass& pass) {
    part_or(in_ == nullptr && value != usual, pass, [&] { set(value, usual); });
  }

  std::string* out_ = nullptr;
  octet_reader* in_ = nullptr;
  outcome outcome_ = outcome::success;
  std::uint32_t parts_ = 0;
  std::uint32_t bit_ = 1;
};

// The encoding of `site_records` is this octet, the `site_form`, and each encoded record as a text.
inline constexpr char site_version = static_cast<char>(0x80 + detail::record_format);
static_assert(site_version != detail::compressed_records);

/// The content of `site_records` besides `latest`. The placeholder `unused` gives `turned_hostile`
/// the value 3, so that one damaged bit cannot turn `alone` (0) into `turned_hostile`.
enum class site_form : std::uint8_t { alone, last_good, unused, turned_hostile };

/// Returns true if the encoding leaves out octets or elements of `from`, or changes a number.
[[nodiscard]] inline bool is_over_limits(const record_head& from) {
  const auto is_long = [](const std::string& url) { return url.size() > record_limits::url; };
  return is_long(from.url) || is_long(from.final_url) || from.redirects < 0 || from.failures < 0 ||
         from.exchanges.size() > record_limits::exchanges ||
         std::any_of(
             from.exchanges.begin(), from.exchanges.end(),
             [&](const detail::exchange& hop) { return is_long(hop.url); });
}

/// Cuts each value that is over its limit. Then `record_stream` leaves out each part that has its
/// usual value.
inline void cut_to_limits(record_head& limited) {
  const auto cut = [](std::string& url) { url.resize((std::min)(url.size(), record_limits::url)); };
  cut(limited.url);
  cut(limited.final_url);
  limited.exchanges.resize((std::min)(limited.exchanges.size(), record_limits::exchanges));
  for (auto& hop : limited.exchanges) {
    cut(hop.url);
  }
  limited.redirects = (std::max)(limited.redirects, 0);
  limited.failures = (std::max)(limited.failures, 0);
}

/// Encodes a `record`, or a `record_head` as a record without a body.
template <class Record>
[[nodiscard]] std::string without_checksum(const Record& from) {
  if (is_over_limits(from)) {
    Record limited = from;
    cut_to_limits(limited);
    return without_checksum(limited);
  }
  std::string parts;
  record_stream stream{parts};
  stream.set_outcome(from.outcome);
  stream.pass(from);
  std::string out;
  constexpr std::size_t longest_numbers = 1 + 2 + 3;  // the version, the outcome and the mask
  out.reserve(longest_numbers + parts.size());
  append_number(out, detail::record_format);
  append_number(out, static_cast<std::uint64_t>(from.outcome));
  append_number(out, stream.parts());
  return out += parts;
}

/// Reads the output of `without_checksum`, without the octet for the version.
[[nodiscard]] inline record read_record(octet_reader& in) {
  record result;
  result.outcome = static_cast<outcome>(in.number(outcome_count - 1));
  record_stream stream{in, static_cast<std::uint32_t>(in.number(all_record_parts))};
  stream.set_outcome(result.outcome);
  stream.pass(result);
  return result;
}

/// Like `read_record`, but reads only the parts of a `source_view`.
[[nodiscard]] inline detail::source_view read_source(octet_reader& in) noexcept {
  const auto kind = static_cast<outcome>(in.number(outcome_count - 1));
  const auto parts = static_cast<std::uint32_t>(in.number(all_record_parts));
  record_stream stream{in, parts};
  stream.set_outcome(kind);
  detail::source_view result;
  stream.pass_answer(result);
  result.has_validators = (parts & record_stream::validators_bit) != 0;
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
