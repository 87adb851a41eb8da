#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// A rule of a `rule_set`, in twelve octets. The `rule_set` stores the written pattern in another
/// part of its memory.
///
/// For most rules, the compiled pattern is the written pattern without `*` and `$` at the end. If
/// the two patterns differ in any other way, the written pattern is called a source. The source is
/// compiled each time the rule is compared with a target. The rule's specificity and the length of
/// the written pattern are stored before a source, in two octets each.
class packed_rule {
 public:
  static constexpr unsigned tag_bits = 14;        ///< bits of the tag; see `hash_bucket`
  static constexpr std::size_t numbers_size = 4;  ///< octets of the two numbers before a source
  static constexpr std::size_t stored_size = 12;
  /// An upper bound for the size of a compiled pattern, since a line has at most 16,663 octets.
  static constexpr std::size_t most_compiled = 50'000;

  packed_rule() = default;

  /// `size` is the number of octets of the written pattern. `size` is below 2^16, since a line has
  /// at most 16,663 octets. `line` is below 2^28, since a text has at most 2^28 octets.
  constexpr packed_rule(rule_kind kind, std::uint32_t line, std::size_t size) noexcept
      : offset_(0),
        line_and_flags_((line & line_mask) | flag(kind == rule_kind::allow, allow_bit)),
        size_tag_and_tail_(static_cast<std::uint32_t>(size)) {}

  constexpr packed_rule(std::string_view octets, std::size_t place) noexcept
      : offset_(static_cast<std::uint32_t>(part_of_word<4>(octets, place))),
        line_and_flags_(static_cast<std::uint32_t>(part_of_word<4>(octets, place + 4))),
        size_tag_and_tail_(static_cast<std::uint32_t>(part_of_word<4>(octets, place + 8))) {}

  constexpr void store(char* to, std::size_t offset, std::uint32_t tag) const noexcept {
    store_word<4>(to, offset);
    store_word<4>(to + 4, line_and_flags_);
    store_word<4>(to + 8, size_tag_and_tail_ | tag << size_bits);
  }

  /// Sets the size and the tail. The compiled pattern must be `source.body` without a final `*`.
  constexpr void set_compiled(const pattern_source& source) noexcept {
    const bool open = source.body.ends_with('*');
    set_pattern(source.body.size() - (open ? 1 : 0),
                (open ? open_tail : 0) | (source.anchored ? anchor_tail : 0));
  }

  constexpr void set_source(const pattern_source& source) noexcept {
    set_pattern(source.body.size(), source.anchored ? anchor_tail : 0);
    line_and_flags_ |= flag(true, source_bit) | flag(source.leading_slash, slash_bit);
  }

  constexpr void set_star(bool star) noexcept { line_and_flags_ |= flag(star, star_bit); }

  [[nodiscard]] constexpr std::uint32_t line() const noexcept {
    return line_and_flags_ & line_mask;
  }

  [[nodiscard]] constexpr rule_kind kind() const noexcept {
    return has(allow_bit) ? rule_kind::allow : rule_kind::disallow;
  }

  [[nodiscard]] constexpr bool star() const noexcept { return has(star_bit); }

  [[nodiscard]] constexpr bool is_source() const noexcept { return has(source_bit); }

  /// Returns true if the pattern is stored compiled and has no wildcard, as most patterns.
  [[nodiscard]] constexpr bool is_literal() const noexcept {
    return (line_and_flags_ & (flag(true, source_bit) | flag(true, star_bit))) == 0;
  }

  /// Returns the compiled pattern. `is_source()` must be false.
  [[nodiscard]] constexpr compiled_pattern pattern(std::string_view text) const noexcept {
    return {.text = {text.data() + offset_, size()}, .anchored = anchored()};
  }

  [[nodiscard]] constexpr pattern_source source(std::string_view text) const noexcept {
    return {.body = text.substr(offset_, size()),
            .anchored = anchored(),
            .leading_slash = has(slash_bit)};
  }

  [[nodiscard]] constexpr std::string_view written(std::string_view text) const noexcept {
    return text.substr(offset_, is_source() ? number(text, offset_ - 2) : written_size());
  }

  [[nodiscard]] constexpr std::uint32_t specificity(std::string_view text) const noexcept {
    return static_cast<std::uint32_t>(is_source() ? number(text, offset_ - 4) : written_size());
  }

  [[nodiscard]] constexpr rule_rank rank(std::string_view text, tie_break tie) const noexcept {
    return rank_of(specificity(text), kind(), line(), tie);
  }

  template <class Use>
  constexpr auto with_pattern(std::string_view text, const normal_form& form, Use use) const {
    return is_source() ? with_compiled(source(text), form, use) : use(pattern(text));
  }

  [[nodiscard]] static constexpr std::uint32_t tag_at(std::string_view octets,
                                                      std::size_t place) noexcept {
    return static_cast<std::uint32_t>(part_of_word<4>(octets, place + 8)) >> size_bits & tag_mask;
  }

 private:
  // Not inlined, since few rules need this large buffer.
  template <class Use>
  ROBOTS_NOINLINE static constexpr auto with_compiled(const pattern_source& source,
                                                      const normal_form& form, Use use) {
    std::array<char, most_compiled> octets;  // NOLINT(*-member-init): filled below
    std::size_t size = 0;
    write_compiled(source, form, [&](char c) { octets[size++] = c; });
    return use(finish({octets.data(), size}, source.anchored));
  }

  static constexpr unsigned allow_bit = 28;
  static constexpr unsigned star_bit = 29;
  static constexpr unsigned source_bit = 30;
  static constexpr unsigned slash_bit = 31;
  static constexpr std::uint32_t line_mask = (1U << allow_bit) - 1;
  static constexpr unsigned size_bits = 16;
  static constexpr unsigned tail_at = size_bits + tag_bits;
  static constexpr std::uint32_t tag_mask = (1U << tag_bits) - 1;

  // If the written pattern ends with `*`, `$` or `*$`, the compiled pattern lacks this end. These
  // bits say which end it was.
  static constexpr unsigned anchor_tail = 1;
  static constexpr unsigned open_tail = 2;

  constexpr void set_pattern(std::size_t size, unsigned tail) noexcept {
    size_tag_and_tail_ = static_cast<std::uint32_t>(size) | tail << tail_at;
  }

  [[nodiscard]] static constexpr std::uint32_t flag(bool value, unsigned bit) noexcept {
    return std::uint32_t{value} << bit;
  }

  [[nodiscard]] constexpr bool has(unsigned bit) const noexcept {
    return (line_and_flags_ >> bit & 1U) != 0;
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return size_tag_and_tail_ & ((1U << size_bits) - 1);
  }

  [[nodiscard]] constexpr unsigned tail() const noexcept { return size_tag_and_tail_ >> tail_at; }

  [[nodiscard]] constexpr bool anchored() const noexcept { return tail() == anchor_tail; }

  [[nodiscard]] constexpr std::size_t written_size() const noexcept {
    return size() + (tail() & anchor_tail) + tail() / open_tail;
  }

  [[nodiscard]] static constexpr std::size_t number(std::string_view text,
                                                    std::size_t place) noexcept {
    return static_cast<std::size_t>(part_of_word<2>(text, place));
  }

  std::uint32_t offset_;
  std::uint32_t line_and_flags_;
  std::uint32_t size_tag_and_tail_;
};

}  // namespace robots::rep_detail
