#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/rep/read/detail/keys.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

[[nodiscard]] constexpr bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }

/// Returns true for white space or NUL, which some editors leave at line ends.
[[nodiscard]] constexpr bool is_padding(char c) noexcept { return base::is_blank(c) || c == '\0'; }

/// The first octets of lines that can be User-agent lines, in any spelling: letters, padding, and
/// the first octets of `invisible_characters`.
inline constexpr auto begins_user_agent = [] {
  std::array<bool, 256> octets{};
  for (std::size_t octet = 0; octet < octets.size(); ++octet) {
    octets[octet] = is_padding(static_cast<char>(octet));
  }
  for (const std::size_t lead : {0xC2U, 0xE1U, 0xE2U, 0xE3U, 0xEFU}) {
    octets[lead] = true;
  }
  for (const key_spelling& spelling : spellings) {
    if (spelling.kind == directive_kind::user_agent) {
      octets[static_cast<unsigned char>(spelling.text[0])] = true;
      octets[static_cast<unsigned char>(spelling.text[0] - 'a' + 'A')] = true;
    }
  }
  return octets;
}();

struct key_and_value {
  std::string_view key{};
  std::string_view value{};
  bool colon = false;
  bool found = false;  ///< true if the line has a key, and a value, even an empty one
};

/// Splits `line`, which must have no comment, and no padding at its ends. RFC 9309, section 2.2:
/// `key *WS ":" *WS value`. Without a colon, two words are read as a key and a value.
[[nodiscard]] constexpr key_and_value split_line(std::string_view line) noexcept {
  if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    const std::string_view key = base::trim(line.substr(0, colon), is_padding);
    const std::string_view value = base::trim(line.substr(colon + 1), is_padding);
    return {.key = key, .value = value, .colon = true, .found = !key.empty()};
  }
  const auto blank = std::find_if(line.begin(), line.end(), base::is_ws);
  if (blank == line.end()) {
    return {};
  }
  const auto key_size = static_cast<std::size_t>(blank - line.begin());
  const std::string_view rest = base::trim(line.substr(key_size), base::is_ws);
  if (std::any_of(rest.begin(), rest.end(), base::is_ws)) {
    return {};
  }
  return {.key = base::trim(line.substr(0, key_size), is_padding),
          .value = base::trim(rest, is_padding),
          .found = true};
}

/// A line in the most common form: a frequent key, a colon, a value without white space, and
/// perhaps a comment.
struct common_line {
  directive_kind kind = directive_kind::unknown;  ///< `unknown` if the line has another form
  std::string_view key{};
  std::string_view value{};
  const char* end = nullptr;  ///< the end of the line, in any form
};

/// Returns the first line end from `from` on, or `text_end`. RFC 9309, section 2.2, has `EOL =
/// *(%x0D / %x0A)`. So only the characters CR and LF end a line.
[[nodiscard]] constexpr const char* find_line_end(const char* from, const char* text_end) noexcept {
  constexpr std::ptrdiff_t block = 64;  // comments are longer than values
  from = find_at_most(from, text_end, '\r', block);
  while (from != text_end && !is_line_end(*from)) {
    from = find_at_most(from + 1, text_end, '\r', block);
  }
  return from;
}

/// Returns the first octet from `from` on that is not white space, or `text_end`. Passes over up to
/// eight spaces without a branch, for the depth of an indent cannot be predicted.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr const char* skip_indent(
    const char* from, const char* text_end) noexcept {
  constexpr std::ptrdiff_t word = sizeof(octet_word);
  while (from != text_end && base::is_ws(*from)) {
    if (*from == ' ' && text_end - from >= word) {
      const octet_word others = whole_word({from, sizeof(octet_word)}, 0) ^ repeat_octet(' ');
      from += std::countr_zero(others) / 8;
    } else {
      ++from;
    }
  }
  return from;
}

/// A part of a key, up to eight octets long. One comparison recognises the part in upper and lower
/// case.
class key_part {
 public:
  consteval explicit key_part(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      wanted_ |= octet_word{static_cast<unsigned char>(text[i])} << (8 * i);
      compared_ |= octet_word{0xFF} << (8 * i);
      folded_ |= octet_word{base::is_alpha(text[i]) ? 0x20U : 0U} << (8 * i);
    }
  }

  /// Returns true if `octets` begin with this part. Before the comparison, sets bit 0x20 of each
  /// octet at a position where this part has a letter. The bit changes an upper-case letter to
  /// lower case, and never turns another octet into a letter.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr bool begins(octet_word octets) const noexcept {
    return ((octets & compared_) | folded_) == wanted_;
  }

 private:
  octet_word wanted_ = 0;
  octet_word compared_ = 0;
  octet_word folded_ = 0;
};

struct common_key {
  directive_kind kind = directive_kind::unknown;
  std::size_t size = 0;
};

/// Returns the key at the start of `text` if the key is frequent and a colon follows directly.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr common_key find_common_key(
    std::string_view text) noexcept {
  constexpr key_part disallow{"disallow"};
  constexpr key_part allow{"allow:"};
  constexpr key_part user_age{"user-age"};
  constexpr key_part r_agent{"r-agent:"};
  constexpr key_part sitemap{"sitemap:"};
  constexpr key_part crawl_de{"crawl-de"};
  constexpr key_part l_delay{"l-delay:"};
  const octet_word first = word_at(text, 0);
  if (disallow.begins(first) && text.size() > 8 && text[8] == ':') {
    return {.kind = directive_kind::disallow, .size = 8};
  }
  if (allow.begins(first)) {
    return {.kind = directive_kind::allow, .size = 5};
  }
  if (user_age.begins(first) && text.size() > 10 && r_agent.begins(whole_word(text, 3))) {
    return {.kind = directive_kind::user_agent, .size = 10};
  }
  if (sitemap.begins(first)) {
    return {.kind = directive_kind::sitemap, .size = 7};
  }
  if (crawl_de.begins(first) && text.size() > 11 && l_delay.begins(whole_word(text, 4))) {
    return {.kind = directive_kind::crawl_delay, .size = 11};
  }
  return {};
}

/// Reads the line whose key starts at `from`, if the line has the common form. The key and the
/// value of a common line depend neither on the dialect nor on the options.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr common_line read_common_line(
    const char* from, const char* text_end) noexcept {
  const common_key key = find_common_key({from, static_cast<std::size_t>(text_end - from)});
  if (key.kind == directive_kind::unknown) {
    return {.end = find_line_end(from, text_end)};
  }
  const char* const behind_colon = from + key.size + 1;
  const char next = behind_colon != text_end ? *behind_colon : '\n';
  const char* const value = behind_colon + (next == ' ' ? 1 : 0);
  // The value ends at the first octet that is at most 0x23 (`#`), such as a space. In a common
  // line, only white space and a comment follow. The search begins behind `next`, whatever `next`
  // is. From `value`, the search would wait for `next`, and so would all lines behind this line.
  const char* value_end = behind_colon;
  if (next == ' ' || static_cast<unsigned char>(next) > '#') [[likely]] {
    value_end = find_at_most(behind_colon + 1, text_end, '#');
  }
  const char* line_end = value_end;
  if (value_end != text_end && !is_line_end(*value_end)) [[unlikely]] {
    line_end = find_line_end(value_end, text_end);
    const char* const rest = std::find_if_not(value_end, line_end, base::is_ws);
    if (rest != line_end && *rest != '#') {
      return {.end = line_end};
    }
  }
  const auto size = static_cast<std::size_t>(value_end - value);
  return {.kind = key.kind,
          .key = {from, key.size},
          .value = {size != 0 ? value : behind_colon, size},
          .end = line_end};
}

}  // namespace robots::rep_detail
