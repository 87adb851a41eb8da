#pragma once

#include <robots/rep/text/detail/text_span.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace robots::rep_detail {

/// Copies `from` to `to`, where there must be room for it.
constexpr void copy_octets(char* to, std::string_view from) noexcept {
  if (std::is_constant_evaluated()) {
    std::copy(from.begin(), from.end(), to);
  } else if (!from.empty()) {  // else there may be no memory on either side
    std::memcpy(to, from.data(), from.size());
  }
}

/// Writes texts one behind another. Quicker than to insert each at the end of a vector.
///
/// Memory is filled with a given octet: clang 19 with libstdc++ 12 takes nothing else in constant
/// expressions.
class text_writer {
 public:
  /// Makes room for `expected` octets; more are taken too.
  constexpr explicit text_writer(std::size_t expected) : text_(expected, char{}) {}

  /// Writes `octets` and tells where.
  constexpr text_span write(std::string_view octets) {
    const text_span span{.offset = static_cast<std::uint32_t>(used_),
                         .size = static_cast<std::uint32_t>(octets.size())};
    if (text_.size() - used_ < octets.size()) {
      text_.resize(2 * text_.size() + octets.size(), char{});
    }
    copy_octets(text_.data() + used_, octets);
    used_ += octets.size();
    return span;
  }

  /// Writes a number below 65,536 in two octets, the lower one first.
  constexpr void write_number(std::size_t number) {
    const char octets[]{static_cast<char>(number & 0xFFU), static_cast<char>(number >> 8U & 0xFFU)};
    static_cast<void>(write({octets, 2}));
  }

  /// What was written, without room for more.
  [[nodiscard]] constexpr std::vector<char> finish() && {
    if (used_ == text_.size()) {
      return std::move(text_);
    }
    return {text_.data(), text_.data() + used_};
  }

 private:
  std::vector<char> text_;
  std::size_t used_ = 0;
};

}  // namespace robots::rep_detail
