#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

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

}  // namespace robots
