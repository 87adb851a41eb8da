#pragma once

#include <robots/rep/text/detail/octet_block.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace robots::rep_detail {

/// The last octets of a text, seen as a block that begins with them.
class last_octets {
 public:
  /// The octets from `skipped` on, less than a block.
  last_octets(octet_block block, std::size_t skipped) noexcept : block_(block), skipped_(skipped) {}

  [[nodiscard, gnu::always_inline]] octet_set equal(char c) const noexcept {
    return block_.equal(c) >> skipped_;
  }
  [[nodiscard, gnu::always_inline]] octet_set at_most(char c) const noexcept {
    return block_.at_most(c) >> skipped_;
  }

 private:
  octet_block block_;
  std::size_t skipped_;
};

/// Looks at a text block by block without reading what lies outside it. Not for constant
/// expressions.
class octet_window {
 public:
  constexpr octet_window(const char* begin, const char* end) noexcept
      : end_(end), holds_block_(octets(begin, end) >= octet_block::size) {}

  /// Returns what `use` makes of the block from `at` on, where `at` is not the end. It has the
  /// members of `octet_block`. Octets behind the end of the text are not ASCII, or in no set.
  template <class Use>
  [[nodiscard, gnu::always_inline]] auto look(const char* at, Use use) const noexcept {
    const std::size_t left = octets(at, end_);
    if (left >= octet_block::size) [[likely]] {
      return use(octet_block::load(at));
    }
    if (holds_block_) {
      const octet_block last = octet_block::load(end_ - octet_block::size);
      return use(last_octets{last, octet_block::size - left});
    }
    std::array<char, octet_block::size> copy;  // NOLINT(*-member-init): filled below
    copy.fill('\xFF');
    std::memcpy(copy.data(), at, left);
    return use(octet_block::load(copy.data()));
  }

  /// The first octet from `at` on that `test` finds in a block, or the end.
  template <class Test>
  [[nodiscard, gnu::always_inline]] const char* find(const char* at, Test test) const noexcept {
    while (at != end_) {
      if (const octet_set found = look(at, test); found != 0) [[likely]] {
        return at + std::countr_zero(found);
      }
      if (is_last(at)) {
        break;
      }
      at += octet_block::size;
    }
    return end_;
  }

  /// Whether the block from `at` on reaches the end.
  [[nodiscard]] bool is_last(const char* at) const noexcept {
    return octets(at, end_) <= octet_block::size;
  }

 private:
  [[nodiscard]] static constexpr std::size_t octets(const char* from, const char* to) noexcept {
    return static_cast<std::size_t>(to - from);
  }

  const char* end_;
  bool holds_block_;
};

}  // namespace robots::rep_detail
