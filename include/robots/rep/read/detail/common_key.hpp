#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// Up to eight octets of a key in lower case, compared in one step without regard to case.
class key_part {
 public:
  consteval explicit key_part(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto place = [i](unsigned char c) { return octet_word{c} << (8 * i); };
      wanted_ |= place(static_cast<unsigned char>(text[i]));
      compared_ |= place(0xFF);
      folded_ |= place(base::is_alpha(text[i]) ? 0x20 : 0);
    }
  }

  /// Whether the part stands at `text`, of which a word must be readable.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr bool stands_at(const char* text) const noexcept {
    const octet_word octets = whole_word({text, sizeof(octet_word)}, 0);
    // Setting the bit in which the cases of a letter differ makes a letter of letters only.
    return ((octets & compared_) | folded_) == wanted_;
  }

 private:
  octet_word wanted_ = 0;
  octet_word compared_ = 0;
  octet_word folded_ = 0;
};

/// A key that stands in a text with its colon right behind it.
struct common_key {
  directive_kind kind = directive_kind::unknown;  ///< unknown: no such key
  std::size_t size = 0;                           ///< without the colon

  /// Octets that must be readable where one is looked for.
  static constexpr std::size_t looked_at = 12;
};

/// The key among the most frequent ones that stands at the start of `text`, of which
/// `common_key::looked_at` octets must be readable.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr common_key find_common_key(const char* text) noexcept {
  constexpr key_part disallow{"disallow"};
  constexpr key_part allow{"allow:"};
  constexpr key_part user_age{"user-age"};
  constexpr key_part r_agent{"r-agent:"};
  constexpr key_part sitemap{"sitemap:"};
  constexpr key_part crawl_de{"crawl-de"};
  constexpr key_part l_delay{"l-delay:"};
  if (disallow.stands_at(text) && text[8] == ':') {
    return {.kind = directive_kind::disallow, .size = 8};
  }
  if (allow.stands_at(text)) {
    return {.kind = directive_kind::allow, .size = 5};
  }
  if (user_age.stands_at(text) && r_agent.stands_at(text + 3)) {
    return {.kind = directive_kind::user_agent, .size = 10};
  }
  if (sitemap.stands_at(text)) {
    return {.kind = directive_kind::sitemap, .size = 7};
  }
  if (crawl_de.stands_at(text) && l_delay.stands_at(text + 4)) {
    return {.kind = directive_kind::crawl_delay, .size = 11};
  }
  return {};
}

}  // namespace robots::rep_detail
