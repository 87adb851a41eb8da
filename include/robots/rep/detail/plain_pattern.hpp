#pragma once

#include <robots/rep/detail/octet_block.hpp>
#include <robots/rep/detail/octet_window.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// The octets of a block that do not stand for themselves in every normal form, and of two `*` side
/// by side the first.
struct odd_octets {
  template <class Octets>
  [[nodiscard, gnu::always_inline]] octet_set operator()(const Octets& octets) const noexcept {
    const octet_set stars = octets.equal('*');
    return (stars & stars >> 1U) | octets.equal('%') | octets.equal('$') | octets.at_most(' ') |
           ~octets.at_most('~');
  }
};

/// Whether a pattern, which lies in `text` and is not empty, is surely its own compiled form in
/// every dialect, save for its end. Not for constant expressions.
[[nodiscard, gnu::always_inline]] inline bool is_plain_pattern(
    std::string_view pattern, const octet_window& text) noexcept {
  std::size_t left = pattern.size() - (pattern.back() == '$' ? 1 : 0);
  const char* at = pattern.data();
  // One octet less each time, so that no pair is missed.
  for (; left > octet_block::size; left -= octet_block::size - 1, at += octet_block::size - 1) {
    if (odd_octets{}(octet_block::load(at)) != 0) {
      return false;
    }
  }
  return left == 0 ||
         (text.look(at, odd_octets{}) & ((std::uint64_t{1} << left) - 1)) == 0;
}

}  // namespace robots::detail
