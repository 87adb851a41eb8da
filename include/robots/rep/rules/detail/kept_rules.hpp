#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// How a query finds a rule.
enum class found_by : std::uint8_t { trial, prefix, gram };

/// A rule that applies to the crawler.
struct kept_rule {
  const char* text;    ///< as written in the file
  packed_rule rule;    ///< without offset and tag
  std::uint16_t size;  ///< of the text; above 0
  found_by way;        ///< set together with `hash`, when all rules are known
  std::uint64_t hash;  ///< or its rank, if it is tried one by one

  [[nodiscard]] constexpr std::string_view value() const noexcept { return {text, size}; }
};

/// Rules, collected one by one. The first ones need no allocation.
class kept_rules {
 public:
  constexpr kept_rules() noexcept {}  // NOLINT: rules are written before they are read

  ROBOTS_ALWAYS_INLINE constexpr void add(const kept_rule& rule) {
    if (size_ < few_.size()) {
      few_[size_] = rule;
    } else {
      if (size_ == few_.size() || size_ == many_.size()) [[unlikely]] {
        make_room();
      }
      many_[size_] = rule;
    }
    ++size_;
  }

  constexpr void clear() noexcept { size_ = 0; }

  [[nodiscard]] constexpr std::span<kept_rule> all() noexcept {
    return {size_ <= few_.size() ? few_.data() : many_.data(), size_};
  }

 private:
  ROBOTS_NOINLINE constexpr void make_room() {
    many_.resize((std::max)(4 * few_.size(), 2 * size_));
    if (size_ == few_.size()) {
      for (std::size_t i = 0; i < size_; ++i) {
        many_[i] = few_[i];
      }
    }
  }

  std::array<kept_rule, 64> few_;
  std::vector<kept_rule> many_;  // all rules, if there are more than a few
  std::size_t size_ = 0;
};

}  // namespace robots::rep_detail
