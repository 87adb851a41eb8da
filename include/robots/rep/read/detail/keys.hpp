#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/directive.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// One spelling of a key, in lower case.
struct key_spelling {
  std::string_view text;
  directive_kind kind;
  bool is_right;   ///< true for the spelling of the protocol
  bool is_prefix;  ///< true if google/robotstxt accepts all keys that begin with `text`
};

/// The spellings of keys that the parser accepts. The wrong spellings with `is_prefix` come from
/// google/robotstxt. The other wrong spellings come from crawler-commons.
inline constexpr auto spellings = [] {
  using enum directive_kind;
  constexpr bool right = true;
  constexpr bool wrong = false;
  constexpr bool prefix = true;
  constexpr bool whole = false;
  return std::to_array<key_spelling>({
      {"user-agent", user_agent, right, prefix},
      {"disallow", disallow, right, prefix},
      {"allow", allow, right, prefix},
      {"sitemap", sitemap, right, prefix},
      {"crawl-delay", crawl_delay, right, whole},
      {"host", host, right, whole},
      {"request-rate", request_rate, right, whole},
      {"visit-time", visit_time, right, whole},
      {"clean-param", clean_param, right, whole},
      {"noindex", noindex, right, whole},
      {"content-signal", content_signal, right, whole},
      {"content-usage", content_usage, right, whole},
      {"license", license, right, whole},
      {"useragent", user_agent, wrong, prefix},
      {"user agent", user_agent, wrong, prefix},
      {"dissallow", disallow, wrong, prefix},
      {"dissalow", disallow, wrong, prefix},
      {"disalow", disallow, wrong, prefix},
      {"diasllow", disallow, wrong, prefix},
      {"disallaw", disallow, wrong, prefix},
      {"site-map", sitemap, wrong, prefix},
      {"useg-agent", user_agent, wrong, whole},
      {"ser-agent", user_agent, wrong, whole},
      {"users-agent", user_agent, wrong, whole},
      {"user-agnet", user_agent, wrong, whole},
      {"user-agents", user_agent, wrong, whole},
      {"desallow", disallow, wrong, whole},
      {"dssalow", disallow, wrong, whole},
      {"dsallow", disallow, wrong, whole},
      {"diallow", disallow, wrong, whole},
      {"disallows", disallow, wrong, whole},
      {"disllow", disallow, wrong, whole},
      {"crawldelay", crawl_delay, wrong, whole},
      {"crawl delay", crawl_delay, wrong, whole},
      {"clawl-delay", crawl_delay, wrong, whole},
      {"craw-delay", crawl_delay, wrong, whole},
      {"crawl-deley", crawl_delay, wrong, whole},
      {"sitemaps", sitemap, wrong, whole},
  });
}();

/// The second letters of the spellings with each first letter, as sets of bits: bit 0 is `a`. Most
/// words of a text that is not a robots.txt begin with two other letters, and need no comparison.
inline constexpr auto second_letters = [] {
  std::array<std::uint32_t, 26> letters{};
  for (const key_spelling& spelling : spellings) {
    letters[static_cast<std::size_t>(spelling.text[0] - 'a')] |= 1U << (spelling.text[1] - 'a');
  }
  return letters;
}();

[[nodiscard]] constexpr bool may_be_key(std::string_view key) noexcept {
  return key.size() > 1 && base::is_alpha(key[0]) && base::is_alpha(key[1]) &&
         (second_letters[static_cast<std::size_t>(base::to_lower(key[0]) - 'a')] >>
              (base::to_lower(key[1]) - 'a') &
          1U) != 0;
}

struct recognised_key {
  directive_kind kind = directive_kind::unknown;
  bool misspelled = false;
};

/// Reads a key in upper or lower case (RFC 9309, section 2.2). `strict` forbids wrong spellings. If
/// only `prefixes` is true, accepts the wrong spellings that google/robotstxt accepts, such as
/// `Disallowed`. If `strict` and `prefixes` are false, accepts keys that equal one of `spellings`.
[[nodiscard]] constexpr recognised_key recognise_key(std::string_view key, bool prefixes,
                                                     bool strict) noexcept {
  if (!may_be_key(key)) {
    return {};
  }
  for (const auto& [text, kind, is_right, is_prefix] : spellings) {
    if (base::to_lower(key.front()) != text.front()) {
      continue;
    }
    const bool is_meant =
        prefixes && is_prefix && !strict
            ? base::starts_with_ignoring_case(key, text)
            : (is_right || !(prefixes || strict)) && base::equal_ignoring_case(key, text);
    if (is_meant) {
      return {.kind = kind, .misspelled = !is_right || key.size() != text.size()};
    }
  }
  return {};
}

}  // namespace robots::rep_detail
