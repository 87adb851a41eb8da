#pragma once

#include <robots/rep/rules/detail/packed_rule.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// How a query finds a rule.
enum class found_by : std::uint8_t { trial, prefix, gram };

/// A rule that concerns the crawler.
struct kept_rule {
  const char* text;    ///< as it stands in the file
  packed_rule rule;    ///< without offset and tag
  std::uint16_t size;  ///< of the text, not 0
  found_by by;         ///< set with `hash`, once all rules are known
  std::uint64_t hash;

  [[nodiscard]] constexpr std::string_view value() const noexcept { return {text, size}; }
};

/// Rules gathered one by one. The first ones need no memory of their own.
class kept_rules {
 public:
  constexpr kept_rules() noexcept {}  // NOLINT: rules are written before they are read

  [[gnu::always_inline]] constexpr void add(const kept_rule& rule) {
    if (size_ < few_.size()) {
      few_[size_] = rule;
    } else {
      add_to_heap(rule);
    }
    ++size_;
  }

  constexpr void clear() noexcept {
    size_ = 0;
    many_.clear();
  }

  [[nodiscard]] constexpr std::span<kept_rule> all() noexcept {
    return size_ <= few_.size() ? std::span{few_.data(), size_} : std::span{many_};
  }

 private:
  [[gnu::noinline]] constexpr void add_to_heap(const kept_rule& rule) {
    if (many_.empty()) {
      many_.reserve(4 * few_.size());
      many_.assign(few_.begin(), few_.end());
    }
    many_.push_back(rule);
  }

  std::array<kept_rule, 64> few_;
  std::vector<kept_rule> many_;
  std::size_t size_ = 0;
};

}  // namespace robots::rep_detail
