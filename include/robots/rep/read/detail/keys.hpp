#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/detail/split_line.hpp>
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
};

inline constexpr std::array protocol_keys = std::to_array<key_spelling>({
    {"user-agent", directive_kind::user_agent},
    {"disallow", directive_kind::disallow},
    {"allow", directive_kind::allow},
    {"sitemap", directive_kind::sitemap},
    {"crawl-delay", directive_kind::crawl_delay},
    {"host", directive_kind::host},
    {"request-rate", directive_kind::request_rate},
    {"visit-time", directive_kind::visit_time},
    {"clean-param", directive_kind::clean_param},
    {"noindex", directive_kind::noindex},
    {"content-signal", directive_kind::content_signal},
    {"content-usage", directive_kind::content_usage},
});

/// How many of the keys, and of the wrong spellings, google/robotstxt takes as prefixes too.
inline constexpr std::size_t prefix_keys = 4;
inline constexpr std::size_t prefix_misspellings = 8;

/// Wrong spellings: those that google/robotstxt takes, each also as a prefix, and behind them what
/// crawler-commons takes beyond those.
inline constexpr std::array misspellings = std::to_array<key_spelling>({
    {"useragent", directive_kind::user_agent},    {"user agent", directive_kind::user_agent},
    {"dissallow", directive_kind::disallow},      {"dissalow", directive_kind::disallow},
    {"disalow", directive_kind::disallow},        {"diasllow", directive_kind::disallow},
    {"disallaw", directive_kind::disallow},       {"site-map", directive_kind::sitemap},
    {"useg-agent", directive_kind::user_agent},   {"ser-agent", directive_kind::user_agent},
    {"users-agent", directive_kind::user_agent},  {"user-agnet", directive_kind::user_agent},
    {"user-agents", directive_kind::user_agent},  {"desallow", directive_kind::disallow},
    {"dssalow", directive_kind::disallow},        {"dsallow", directive_kind::disallow},
    {"diallow", directive_kind::disallow},        {"disallows", directive_kind::disallow},
    {"disllow", directive_kind::disallow},        {"crawldelay", directive_kind::crawl_delay},
    {"crawl delay", directive_kind::crawl_delay}, {"clawl-delay", directive_kind::crawl_delay},
    {"craw-delay", directive_kind::crawl_delay},  {"crawl-deley", directive_kind::crawl_delay},
    {"sitemaps", directive_kind::sitemap},
});
static_assert(misspellings[prefix_misspellings - 1].text == "site-map");

/// What a key means, and whether it is spelled as the protocol spells it.
struct recognised_key {
  directive_kind kind = directive_kind::unknown;
  bool misspelled = false;
};

/// What the first of `count` spellings that `accepts` says yes to means.
template <std::size_t Size, class Accepts>
[[nodiscard]] constexpr directive_kind find_key(const std::array<key_spelling, Size>& spellings,
                                                Accepts accepts,
                                                std::size_t count = Size) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (accepts(spellings[i].text)) {
      return spellings[i].kind;
    }
  }
  return directive_kind::unknown;
}

/// Calls `use` with the beginning of each spelling, in lower case and in upper case, and with it.
template <class Use>
constexpr void for_each_beginning(Use use) {
  const auto use_both = [use](const key_spelling& spelling) {
    const std::size_t letter = static_cast<unsigned char>(spelling.text.front());
    use(letter, spelling);
    use(letter - std::size_t{'a' - 'A'}, spelling);
  };
  for (const key_spelling& spelling : protocol_keys) {
    use_both(spelling);
  }
  for (const key_spelling& spelling : misspellings) {
    use_both(spelling);
  }
}

/// The sizes of the spellings that begin with an octet, as a set of bits: most lines that are not
/// in the usual form hold prose, markup or styles, which are not compared with any.
inline constexpr auto spelling_sizes = [] {
  std::array<std::uint32_t, 256> sizes{};
  for_each_beginning([&](std::size_t letter, const key_spelling& spelling) {
    sizes[letter] |= std::uint32_t{1} << spelling.text.size();
  });
  return sizes;
}();

/// Which octets a User-agent line may begin with.
inline constexpr auto begins_agent = [] {
  std::array<bool, 256> begins{};
  for (std::size_t octet = 0; octet < begins.size(); ++octet) {
    begins[octet] = is_padding(static_cast<char>(octet));
  }
  for_each_beginning([&](std::size_t letter, const key_spelling& spelling) {
    begins[letter] = begins[letter] || spelling.kind == directive_kind::user_agent;
  });
  return begins;
}();

/// Whether `key`, or the beginning of it if `prefixes`, may be a spelling.
[[nodiscard]] constexpr bool may_be_key(std::string_view key, bool prefixes) noexcept {
  if (key.empty()) {
    return false;
  }
  const std::uint32_t sizes = spelling_sizes[static_cast<unsigned char>(key.front())];
  return prefixes ? sizes != 0 : key.size() < 32 && (sizes >> key.size() & 1U) != 0;
}

/// Reads a key without regard to case (RFC 9309, section 2.2), leniently unless `strict`.
[[nodiscard]] constexpr recognised_key recognise_key(std::string_view key, bool prefixes,
                                                     bool strict) noexcept {
  if (!may_be_key(key, prefixes)) {
    return {};
  }
  const auto same = [key](std::string_view text) { return base::equal_ignoring_case(key, text); };
  if (const auto kind = find_key(protocol_keys, same); kind != directive_kind::unknown) {
    return {.kind = kind};
  }
  if (strict) {
    return {};
  }
  const auto begins = [key](std::string_view text) {
    return base::starts_with_ignoring_case(key, text);
  };
  directive_kind kind =
      prefixes ? find_key(protocol_keys, begins, prefix_keys) : find_key(misspellings, same);
  if (prefixes && kind == directive_kind::unknown) {
    kind = find_key(misspellings, begins, prefix_misspellings);
  }
  return {.kind = kind, .misspelled = kind != directive_kind::unknown};
}

}  // namespace robots::rep_detail
