#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/directive.hpp>

#include <array>
#include <string_view>

namespace robots::rep_detail {

/// One spelling of a key, in lower case.
struct key_spelling {
  std::string_view text;
  directive_kind kind;
  bool is_right;   ///< true for the spelling of the protocol
  bool is_prefix;  ///< true if google/robotstxt accepts all keys that begin with `text`
};

/// All spellings of keys. The wrong spellings marked `prefix` come from google/robotstxt. The wrong
/// spellings marked `whole` come from crawler-commons.
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

/// The meaning of a key. `misspelled` is true for a wrong spelling.
struct recognised_key {
  directive_kind kind = directive_kind::unknown;
  bool misspelled = false;
};

/// Reads a key in upper or lower case (RFC 9309, section 2.2). `strict` forbids wrong spellings.
/// Without `strict`, `prefixes` selects the wrong spellings of google/robotstxt, such as
/// `Disallowed`. If neither is set, accepts all `spellings`, but only as whole keys.
[[nodiscard]] constexpr recognised_key recognise_key(std::string_view key, bool prefixes,
                                                     bool strict) noexcept {
  for (const auto& [text, kind, is_right, is_prefix] : spellings) {
    if (key.empty() || base::to_lower(key.front()) != text.front()) {
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
