#pragma once

#include <robots/rep/detail/compiled_pattern.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/verdict.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::detail {

/// What may follow the compiled part of a pattern that is kept as it was written.
inline constexpr std::array<std::string_view, 4> pattern_tails{"", "$", "*", "*$"};

/// The place of `tail` among them, if it is one.
[[nodiscard]] constexpr std::optional<std::size_t> find_tail(std::string_view tail) noexcept {
  const auto found = std::ranges::find(pattern_tails, tail);
  if (found == pattern_tails.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - pattern_tails.begin());
}

/// What decides between two rules that match (RFC 9309, section 2.2.2).
struct precedence {
  std::uint32_t specificity = 0;
  std::uint32_t line = 0;
  rule_kind kind = rule_kind::allow;

  /// The rule with more octets decides, at equal length the kind that `tie` prefers, else the
  /// earlier one.
  [[nodiscard]] constexpr bool decides_over(const precedence& other, tie_break tie) const noexcept {
    if (specificity != other.specificity) {
      return specificity > other.specificity;
    }
    if (kind != other.kind) {
      return (kind == rule_kind::allow) == (tie == tie_break::allow);
    }
    return line < other.line;
  }
};

/// One rule of a `rule_set`, in twelve octets beside its text.
///
/// The text of most is the pattern as written, of which the compiled pattern is all but the tail.
/// Of a `detached` one it is the compiled pattern, then, in two octets each, specificity and length
/// of the written one, and that.
struct packed_rule {
  static constexpr unsigned line_bits = 28;  // a text has at most 2^28 octets
  static constexpr unsigned tag_bits = 14;

  std::uint32_t offset = 0;  ///< of its text
  std::uint32_t line : line_bits = 0;
  std::uint32_t allow : 1 = 0;
  std::uint32_t star : 1 = 0;        ///< the compiled pattern holds a `*`
  std::uint32_t detached : 1 = 0;    ///< the compiled pattern is no part of the written one
  std::uint16_t size = 0;            ///< of the compiled pattern: lines have at most 16,663 octets
  std::uint16_t tail : 2 = 0;        ///< which one of `pattern_tails`
  std::uint16_t tag : tag_bits = 0;  ///< some bits of the hash by which it is found

  [[nodiscard]] constexpr rule_kind kind() const noexcept {
    return allow != 0 ? rule_kind::allow : rule_kind::disallow;
  }

  [[nodiscard]] constexpr bool anchored() const noexcept { return tail == 1; }

  [[nodiscard]] constexpr compiled_pattern pattern(std::string_view text) const noexcept {
    return {.text = text.substr(offset, size), .anchored = anchored()};
  }

  [[nodiscard]] constexpr std::string_view written(std::string_view text) const noexcept {
    const std::size_t end = std::size_t{offset} + size;
    return detached != 0 ? text.substr(end + 4, number(text, end + 2))
                         : text.substr(offset, size + pattern_tails[tail].size());
  }

  [[nodiscard]] constexpr precedence rank(std::string_view text) const noexcept {
    const std::size_t octets = detached != 0 ? number(text, std::size_t{offset} + size)
                                             : size + pattern_tails[tail].size();
    return {.specificity = static_cast<std::uint32_t>(octets), .line = line, .kind = kind()};
  }

 private:
  [[nodiscard]] static constexpr std::size_t number(std::string_view text,
                                                    std::size_t at) noexcept {
    return static_cast<unsigned char>(text[at]) |
           static_cast<std::size_t>(static_cast<unsigned char>(text[at + 1])) << 8U;
  }
};

static_assert(sizeof(packed_rule) == 12);

}  // namespace robots::detail
