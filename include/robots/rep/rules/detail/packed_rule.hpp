#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/precedence.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

/// What may follow the compiled part of a pattern that is kept as it was written.
inline constexpr std::array<std::string_view, 4> pattern_tails{"", "$", "*", "*$"};

/// The place of `tail` among them, if it is one.
[[nodiscard]] constexpr std::optional<std::size_t> find_tail(std::string_view tail) noexcept {
  const auto found = std::find(pattern_tails.begin(), pattern_tails.end(), tail);
  if (found == pattern_tails.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - pattern_tails.begin());
}

/// What a `packed_rule` is made of.
struct rule_fields {
  std::size_t offset = 0;  ///< of its text
  std::size_t size = 0;    ///< of the compiled pattern: lines have at most 16,663 octets
  std::size_t tail = 0;    ///< which one of `pattern_tails`
  std::uint32_t line = 0;  ///< below 2^28, since a text has at most so many octets
  rule_kind kind = rule_kind::allow;
  bool star = false;      ///< the compiled pattern holds a `*`
  bool detached = false;  ///< the compiled pattern is no part of the written one
};

/// One rule of a `rule_set`, in twelve octets beside its text.
///
/// The text of most is the pattern as written, of which the compiled pattern is all but the tail.
/// Of a detached one it is the compiled pattern, then, in two octets each, specificity and length
/// of the written one, and that.
class packed_rule {
 public:
  /// How many bits of a hash are kept.
  static constexpr unsigned tag_bits = 14;

  packed_rule() = default;

  constexpr explicit packed_rule(const rule_fields& from) noexcept
      : offset_(static_cast<std::uint32_t>(from.offset)),
        line_and_flags_((from.line & line_mask) | flag(from.kind == rule_kind::allow, allow_bit) |
                        flag(from.star, star_bit) | flag(from.detached, detached_bit)),
        size_(static_cast<std::uint16_t>(from.size)),
        tag_and_tail_(static_cast<std::uint16_t>(from.tail << tag_bits)) {}

  [[nodiscard]] constexpr std::uint32_t line() const noexcept {
    return line_and_flags_ & line_mask;
  }

  [[nodiscard]] constexpr rule_kind kind() const noexcept {
    return has(allow_bit) ? rule_kind::allow : rule_kind::disallow;
  }

  [[nodiscard]] constexpr bool star() const noexcept { return has(star_bit); }

  [[nodiscard]] constexpr bool anchored() const noexcept { return tail() == 1; }

  [[nodiscard]] constexpr compiled_pattern pattern(std::string_view text) const noexcept {
    return {.text = text.substr(offset_, size_), .anchored = anchored()};
  }

  [[nodiscard]] constexpr std::string_view written(std::string_view text) const noexcept {
    return has(detached_bit) ? text.substr(end() + 4, number(text, end() + 2))
                             : text.substr(offset_, size_ + pattern_tails[tail()].size());
  }

  [[nodiscard]] constexpr precedence rank(std::string_view text) const noexcept {
    const std::size_t octets =
        has(detached_bit) ? number(text, end()) : size_ + pattern_tails[tail()].size();
    return {.specificity = static_cast<std::uint32_t>(octets), .line = line(), .kind = kind()};
  }

  /// Some bits of the hash by which the rule is found.
  [[nodiscard]] constexpr std::uint16_t tag() const noexcept { return tag_and_tail_ & tag_mask; }
  constexpr void set_tag(std::uint16_t tag) noexcept {
    tag_and_tail_ = static_cast<std::uint16_t>((tag_and_tail_ & ~tag_mask) | tag);
  }

 private:
  static constexpr unsigned allow_bit = 28;
  static constexpr unsigned star_bit = 29;
  static constexpr unsigned detached_bit = 30;
  static constexpr std::uint32_t line_mask = (1U << allow_bit) - 1;
  static constexpr std::uint16_t tag_mask = (1U << tag_bits) - 1;

  [[nodiscard]] static constexpr std::uint32_t flag(bool value, unsigned bit) noexcept {
    return std::uint32_t{value} << bit;
  }

  [[nodiscard]] constexpr bool has(unsigned bit) const noexcept {
    return (line_and_flags_ >> bit & 1U) != 0;
  }

  [[nodiscard]] constexpr std::size_t tail() const noexcept { return tag_and_tail_ >> tag_bits; }

  [[nodiscard]] constexpr std::size_t end() const noexcept { return std::size_t{offset_} + size_; }

  [[nodiscard]] static constexpr std::size_t number(std::string_view text,
                                                    std::size_t at) noexcept {
    return static_cast<unsigned char>(text[at]) |
           static_cast<std::size_t>(static_cast<unsigned char>(text[at + 1])) << 8U;
  }

  std::uint32_t offset_ = 0;
  std::uint32_t line_and_flags_ = 0;
  std::uint16_t size_ = 0;
  std::uint16_t tag_and_tail_ = 0;
};

static_assert(sizeof(packed_rule) == 12);

}  // namespace robots::rep_detail
