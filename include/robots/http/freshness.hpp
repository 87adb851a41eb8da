#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/header.hpp>
#include <robots/http/validators.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::http_detail {

/// The forms of an `HTTP-date`, each without the name of the day at its start. Each `D`, `M`, `Y`,
/// `H`, `N` or `S` stands for one character of the day, month, year, hour, minute or second. Other
/// letters match in upper or lower case.
inline constexpr std::array<std::string_view, 3> date_forms{
    ", DD MMM YYYY HH:NN:SS gmt", ", DD-MMM-YY HH:NN:SS gmt", " MMM DD HH:NN:SS YYYY"};

inline constexpr std::array<std::string_view, 7> day_names{
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
inline constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Reads `text`, which has the form `form`. `now` decides the century of a two-digit year.
[[nodiscard]] constexpr std::optional<std::chrono::sys_seconds> parse_moment(
    std::string_view text, std::string_view form, wall_time now) noexcept {
  const auto field = [&](char letter) {
    const std::size_t begin = form.find(letter);
    return text.substr(begin, form.rfind(letter) + 1 - begin);
  };
  bool is_valid = true;
  const auto number = [&](std::string_view digits) {
    const std::optional<std::uint64_t> value = base::parse_decimal(digits);
    is_valid = is_valid && value;
    return static_cast<int>(value.value_or(0));
  };
  // Only the form without a comma allows a blank in place of the first digit of the day.
  const std::string_view day_text = field('D');
  const bool is_padded = form.front() == ' ' && day_text.front() == ' ';
  const int day = number(is_padded ? day_text.substr(1) : day_text);
  const auto month = std::find_if(
      month_names.begin(), month_names.end(),
      [&](std::string_view name) { return base::equal_ignoring_case(name, field('M')); });
  const int year = number(field('Y'));
  const int hour = number(field('H'));
  const int minute = number(field('N'));
  const int second = number(field('S'));  // 60 is a leap second
  // A year of two digits is at most 50 years after `now` (RFC 9110, section 5.6.7).
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  const int first = static_cast<int>(today.year()) - 49;
  const int full_year = field('Y').size() == 2 ? first + (year - first % 100 + 100) % 100 : year;
  const std::chrono::year_month_day date{
      std::chrono::year{full_year},
      std::chrono::month{static_cast<unsigned>(month - month_names.begin() + 1)},
      std::chrono::day{static_cast<unsigned>(day)}};
  if (!is_valid || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
}

/// The maximum number of seconds that a header can state (RFC 9111, section 1.2.2).
inline constexpr std::chrono::seconds max_delta_seconds{std::int64_t{1} << 31};

/// Reads `delta-seconds = 1*DIGIT`. Returns an empty optional for any other text.
[[nodiscard]] constexpr std::optional<std::chrono::seconds> parse_delta_seconds(
    std::string_view text) noexcept {
  const auto value = base::parse_decimal(text, std::uint64_t{1} << 31U);
  return value ? std::optional{std::chrono::seconds{*value}} : std::nullopt;
}

/// Returns the length of `text` up to the first comma outside a quoted string.
[[nodiscard]] constexpr std::size_t length_before_comma(std::string_view text) noexcept {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != ','); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (quoted && text[i] == '\\') {
      ++i;
    }
  }
  return i < text.size() ? i : text.size();
}

/// Reads all `Cache-Control` headers as one list (RFC 9110, section 5.3). Returns the lifetime: 0
/// for `no-store` or `no-cache`, else the first `max-age`. Ignores directives in quotes.
[[nodiscard]] inline std::optional<std::chrono::seconds> cache_control_lifetime(
    const std::vector<http_header>& headers) noexcept {
  std::optional<std::chrono::seconds> max_age;
  for (const http_header& header : headers) {
    const bool counts = base::equal_ignoring_case(header.name, "Cache-Control");
    std::string_view rest = counts ? std::string_view{header.value} : std::string_view{};
    while (!rest.empty()) {
      const std::size_t length = length_before_comma(rest);
      const std::string_view directive = rest.substr(0, length);
      rest.remove_prefix(length < rest.size() ? length + 1 : length);
      const std::size_t equals = directive.find('=');
      const std::string_view name = base::trim(directive.substr(0, equals), base::is_blank);
      if (base::equal_ignoring_case(name, "no-store") ||
          base::equal_ignoring_case(name, "no-cache")) {
        return std::chrono::seconds{0};
      }
      if (base::equal_ignoring_case(name, "max-age") && !max_age) {
        std::string_view value = directive.substr((std::min)(equals, directive.size() - 1) + 1);
        value = base::trim(value, base::is_blank);
        if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
          value = value.substr(1, value.size() - 2);
        }
        // A text that is not a number is read as 0 (RFC 9111, section 4.2.1).
        max_age = parse_delta_seconds(value).value_or(std::chrono::seconds{0});
      }
    }
  }
  return max_age;
}

/// Returns true for `entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE` (RFC 9110, section 8.8.3). Returns
/// false for a tag of more than 1,024 octets, so that the cache stores no huge tag.
[[nodiscard]] inline bool is_entity_tag(std::string_view text) noexcept {
  const std::string_view tag = opaque_tag(text);
  return text.size() <= 1'024 && tag.size() >= 2 && tag.starts_with('"') && tag.ends_with('"') &&
         std::none_of(tag.begin() + 1, tag.end() - 1, [](char c) {
           const auto octet = static_cast<unsigned char>(c);
           return octet <= 0x20 || octet == 0x7F || c == '"';
         });
}

}  // namespace robots::http_detail

namespace robots::detail {

/// Reads an `HTTP-date` in whole seconds (RFC 9110, section 5.6.7):
///
///     IMF-fixdate  = Sun, 06 Nov 1994 08:49:37 GMT
///     rfc850-date  = Sunday, 06-Nov-94 08:49:37 GMT
///     asctime-date = Sun Nov  6 08:49:37 1994
///
/// `now` decides the century of the second form. Names may be in any case, and the name of the day
/// need not match the date. Returns an empty optional for any other text. Takes linear time.
[[nodiscard]] constexpr std::optional<std::chrono::sys_seconds> parse_http_date(
    std::string_view text, wall_time now) noexcept {
  const std::string_view name = text.substr(0, text.find_first_of(", "));
  const std::string_view rest = text.substr(name.size());
  for (const std::string_view form : http_detail::date_forms) {
    const bool has_form =
        std::equal(rest.begin(), rest.end(), form.begin(), form.end(), [](char c, char wanted) {
          return (wanted >= 'A' && wanted <= 'Z') || base::to_lower(c) == wanted;
        });
    const std::size_t length =
        form.find('-') != std::string_view::npos ? std::string_view::npos : 3;
    const auto is_name = [&](std::string_view day) {
      return base::equal_ignoring_case(name, day.substr(0, length));
    };
    if (has_form &&
        std::any_of(http_detail::day_names.begin(), http_detail::day_names.end(), is_name)) {
      return http_detail::parse_moment(rest, form, now);
    }
  }
  return std::nullopt;
}

/// Returns the time from the `Date` in `headers` to `end`, at least 0 and at most
/// `max_delta_seconds`. `now` replaces a missing or invalid `Date`.
[[nodiscard]] inline std::chrono::seconds seconds_until(std::chrono::sys_seconds end,
                                                        const std::vector<http_header>& headers,
                                                        wall_time now) noexcept {
  const std::chrono::sys_seconds sent =
      parse_http_date(find_header(headers, "Date").value_or(""), now)
          .value_or(std::chrono::floor<std::chrono::seconds>(now));
  return std::clamp(end - sent, std::chrono::seconds{0}, http_detail::max_delta_seconds);
}

/// Returns the freshness lifetime of a response (RFC 9111, section 4.2). It is 0 for `no-store` and
/// `no-cache`. Otherwise it is `max-age` minus `Age`. Without `max-age`, it is `Expires` minus
/// `Date` minus `Age`. An `Expires` that is not a date means 0. `now` replaces a missing or invalid
/// `Date`. Ignores `s-maxage`, which is for shared caches.
///
/// The result is at most 2^31 seconds, or empty if the headers state no lifetime.
[[nodiscard]] inline std::optional<std::chrono::seconds> freshness_lifetime(
    const std::vector<http_header>& headers, wall_time now) noexcept {
  using std::chrono::seconds;
  std::optional<seconds> lifetime = http_detail::cache_control_lifetime(headers);
  if (!lifetime) {
    const std::optional<std::string_view> expires = find_header(headers, "Expires");
    if (!expires) {
      return std::nullopt;
    }
    const std::optional<std::chrono::sys_seconds> end = parse_http_date(*expires, now);
    lifetime = end ? seconds_until(*end, headers, now) : seconds{0};
  }
  const seconds age = http_detail::parse_delta_seconds(find_header(headers, "Age").value_or(""))
                          .value_or(seconds{0});
  return (std::max)(*lifetime - age, seconds{0});
}

/// Returns the validators in the headers of a response. Ignores malformed entity tags and dates.
[[nodiscard]] inline validators validators_of(const std::vector<http_header>& headers) {
  validators found;
  const std::string_view etag = find_header(headers, "ETag").value_or("");
  if (http_detail::is_entity_tag(etag)) {
    found.etag = etag;
  }
  const std::string_view date = find_header(headers, "Last-Modified").value_or("");
  if (parse_http_date(date, wall_time{})) {
    found.last_modified = date;
  }
  return found;
}

/// Adds `If-None-Match` and `If-Modified-Since`, which ask for the content only if it has changed
/// (RFC 9110, section 13.1). Adds both, since some servers know only `If-Modified-Since`.
inline void append_conditions(std::vector<http_header>& headers, const validators& known) {
  if (!known.etag.empty()) {
    headers.push_back({"If-None-Match", known.etag});
  }
  if (!known.last_modified.empty()) {
    headers.push_back({"If-Modified-Since", known.last_modified});
  }
}

}  // namespace robots::detail
