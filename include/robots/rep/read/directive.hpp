#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/base/saturating_add.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The kinds of lines in a robots.txt. Only the first three kinds can change a verdict; the others
/// are extensions (RFC 9309, section 2.2.4).
enum class directive_kind : std::uint8_t {
  user_agent,
  allow,
  disallow,
  crawl_delay,
  sitemap,
  host,
  request_rate,
  visit_time,
  clean_param,
  noindex,
  content_signal,
  content_usage,
  license,
  unknown,
};

/// Returns the usual spelling of the key for `kind`, or `unknown`.
[[nodiscard]] constexpr std::string_view to_string(directive_kind kind) noexcept {
  return base::enum_text<directive_kind::unknown>(
      kind, {"User-agent", "Allow", "Disallow", "Crawl-delay", "Sitemap", "Host", "Request-rate",
             "Visit-time", "Clean-param", "Noindex", "Content-Signal", "Content-Usage", "License",
             "unknown"});
}

namespace rep_detail {

/// Returns true if a line of this kind is a rule (RFC 9309, section 2.2.2).
[[nodiscard]] constexpr bool is_rule(directive_kind kind) noexcept {
  return kind == directive_kind::allow || kind == directive_kind::disallow;
}

/// Returns true if a text begins as a pattern does. RFC 9309, section 2.2:
/// `path-pattern = "/" *UTF8-char-noctl`. A pattern of real files can also begin with `*`.
[[nodiscard]] constexpr bool begins_as_pattern(std::string_view value) noexcept {
  return value.starts_with('/') || value.starts_with('*');
}

/// Returns true for an extension that applies only to some crawlers, such as Crawl-delay. An
/// extension applies to the crawlers in the nearest run of User-agent lines above. The run ends at
/// an extension. By default, the group of these lines does not end there. Sitemap, Host and
/// Clean-param lines apply to the whole file.
[[nodiscard]] constexpr bool is_for_crawler(directive_kind kind) noexcept {
  using enum directive_kind;
  return kind == crawl_delay || kind == request_rate || kind == visit_time || kind == noindex ||
         kind == content_signal || kind == content_usage || kind == license;
}

/// Reads the value of a Crawl-delay line: a decimal number of seconds, 0 or more. Rounds fractions
/// of a millisecond up, so that no crawler comes too early.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> parse_delay(
    std::string_view value) noexcept {
  const std::size_t point = (std::min)(value.find('.'), value.size());
  const std::string_view whole = value.substr(0, point);
  const std::string_view fraction = value.substr((std::min)(point + 1, value.size()));
  constexpr auto longest = static_cast<std::uint64_t>(longest_delay / std::chrono::seconds{1});
  const auto seconds = base::parse_decimal(whole, longest + 1);
  if ((!seconds && !whole.empty()) || (!base::parse_decimal(fraction) && !fraction.empty()) ||
      (whole.empty() && fraction.empty())) {
    return std::nullopt;
  }
  if (seconds > longest) {
    return std::chrono::seconds{longest};
  }
  constexpr std::size_t places = 3;
  auto milliseconds = static_cast<std::int64_t>(seconds.value_or(0));
  for (std::size_t i = 0; i < places; ++i) {
    milliseconds = milliseconds * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  const bool rest = fraction.find_first_not_of('0', places) != std::string_view::npos;
  return std::chrono::milliseconds{milliseconds + (rest ? 1 : 0)};
}

/// Returns the text before the first blank, and the text after that blank.
[[nodiscard]] constexpr std::pair<std::string_view, std::string_view> split_at_blank(
    std::string_view value) noexcept {
  const auto blank = std::find_if(value.begin(), value.end(), base::is_blank);
  const auto size = static_cast<std::size_t>(blank - value.begin());
  return {value.substr(0, size), base::trim(value.substr(size), base::is_blank)};
}

/// Splits a value into a path and the statement about that path. An empty path means every path. A
/// path begins with `/` and ends before the first blank (draft-ietf-aipref-attach-05, section 3.2).
[[nodiscard]] constexpr std::pair<std::string_view, std::string_view> split_scope(
    std::string_view value) noexcept {
  return value.starts_with('/') ? split_at_blank(value) : std::pair{std::string_view{}, value};
}

}  // namespace rep_detail

/// A line of a robots.txt with a key and a value, without comment and surrounding white space.
struct directive {
  directive_kind kind = directive_kind::unknown;  ///< the meaning of the key
  std::string_view key{};                         ///< the key, as written
  std::string_view value{};                       ///< the value, as written
  std::uint32_t line = 0;                         ///< the line number, 1-based
  std::uint32_t column = 0;                       ///< the column of the value, 1-based, in octets
  bool starts_group = false;                      ///< true for a User-agent line that opens a group
  /// True for a User-agent line that starts a run: the line starts a group, or follows a line such
  /// as Crawl-delay.
  bool starts_run = false;
  bool in_group = false;  ///< true from the first User-agent line on
};

/// Reads the lines of one kind among `lines`, in file order. Skips unreadable lines. For example,
/// `read_lines<request_rate>(lines)` reads the Request-rate lines. `Line` is `clean_param`,
/// `content_signal`, `content_usage`, `license_line`, `request_rate` or `visit_time`. Takes linear
/// time.
template <class Line>
[[nodiscard]] constexpr std::vector<Line> read_lines(std::span<const directive> lines) {
  std::vector<Line> result;
  for (const directive& line : lines) {
    if (line.kind != Line::kind) {
      continue;
    }
    if (std::optional value{Line::parse(line.value)}) {
      if constexpr (requires { value->line; }) {
        value->line = line.line;
      }
      result.push_back(*std::move(value));
    }
  }
  return result;
}

}  // namespace robots
