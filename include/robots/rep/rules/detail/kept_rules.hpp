#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

// While a file is read, the rules for the crawler are only collected. The block of a `rule_table`
// is written when all of them are known. Most crawlers have few rules in a file. So the first rules
// stand in the collector itself, on the stack, and need no allocation:
//
//   few_    rule rule rule - - - -               up to 32 rules
//   many_   rule rule rule rule rule - - -       all rules, as soon as there are more
//
// `first_` is the first rule in the array that is in use.

enum class found_by : std::uint8_t { trial, prefix, gram };

/// A rule for the crawler. `rule_collector` sets the members up to `size`, and `rule_packer` the
/// others. The members have no initial values, since nobody reads most of `few_`.
struct kept_rule {
  const char* text;           ///< the pattern, as written in the file
  packed_rule rule;           ///< the stored form, without offset and tag
  std::uint16_t size;         ///< octets of the text; above 0
  found_by way;               ///< how queries find the rule
  std::uint32_t specificity;  ///< see `specificity`
  std::uint32_t place;        ///< how many rules are before this one in its bucket
  std::uint64_t hash;         ///< the hash of the prefix or gram; not used for `trial`

  /// Makes a rule with all members that `rule_collector` sets. `value` must live as long.
  [[nodiscard]] static constexpr kept_rule of(rule_kind kind, std::uint32_t line,
                                              std::string_view value) noexcept {
    return {.text = value.data(),
            .rule = packed_rule{kind, line, value.size()},
            .size = static_cast<std::uint16_t>(value.size()),
            .way = found_by::trial,
            .specificity = 0,
            .place = 0,
            .hash = 0};
  }

  [[nodiscard]] constexpr std::string_view value() const noexcept { return {text, size}; }

  [[nodiscard]] constexpr rule_rank rank(tie_break tie) const noexcept {
    return rank_of(specificity, rule.kind(), rule.line(), tie);
  }
};

class kept_rules {
 public:
  constexpr kept_rules() noexcept {}  // NOLINT(*-member-init,*-equals-default): `add` fills `few_`
  kept_rules(const kept_rules&) = delete;
  kept_rules& operator=(const kept_rules&) = delete;
  constexpr ~kept_rules() = default;

  /// Appends a rule. References to rules become invalid.
  ROBOTS_ALWAYS_INLINE constexpr void add(const kept_rule& rule) {
    if (size_ == room_) [[unlikely]] {
      make_room();
    }
    first_[size_++] = rule;
  }

  constexpr void clear() noexcept { size_ = 0; }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr kept_rule* begin() noexcept { return first_; }
  [[nodiscard]] constexpr kept_rule* end() noexcept { return first_ + size_; }
  [[nodiscard]] constexpr kept_rule& operator[](std::size_t index) noexcept {
    return first_[index];
  }

 private:
  static constexpr std::size_t few = 32;

  ROBOTS_NOINLINE constexpr void make_room() {
    std::vector<kept_rule> more(4 * room_, *first_);
    std::copy(begin(), end(), more.begin());
    many_.swap(more);
    first_ = many_.data();
    room_ = many_.size();
  }

  std::array<kept_rule, few> few_;
  std::vector<kept_rule> many_;
  kept_rule* first_ = few_.data();
  std::size_t room_ = few;
  std::size_t size_ = 0;
};

}  // namespace robots::rep_detail
