#pragma once

#include <robots/rep/text/detail/octet_block.hpp>
#include <robots/rep/text/detail/octet_window.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// The octets of a block that may not stand for themselves in every normal form: `%`, `$`, what is
/// not printable, `*`, which stands for itself only alone, and a few others that spare a
/// comparison with each.
struct odd_octets {
  template <class Octets>
  [[nodiscard, gnu::always_inline]] octet_set operator()(const Octets& octets) const noexcept {
    return octets.at_most('*') | ~octets.at_most('~');
  }
};

/// The odd octets but for single `*`.
struct very_odd_octets {
  template <class Octets>
  [[nodiscard, gnu::always_inline]] octet_set operator()(const Octets& octets) const noexcept {
    const octet_set stars = octets.equal('*');
    return (stars & stars >> 1U) | octets.equal('%') | octets.equal('$') | octets.at_most(' ') |
           ~octets.at_most('~');
  }
};

/// Whether a pattern, which lies in `text` and is not empty, is surely its own compiled form in
/// every dialect, save for its end. Not for constant expressions.
[[nodiscard, gnu::always_inline]] inline bool is_plain_pattern(std::string_view pattern,
                                                               const octet_window& text) noexcept {
  std::size_t left = pattern.size() - (pattern.back() == '$' ? 1 : 0);
  const char* at = pattern.data();
  // One octet less each time, so that no pair is missed.
  for (; left > octet_block::size; left -= octet_block::size - 1, at += octet_block::size - 1) {
    if (very_odd_octets{}(octet_block::load(at)) != 0) {
      return false;
    }
  }
  if (left == 0) {
    return true;
  }
  const std::uint64_t mask = (std::uint64_t{1} << left) - 1;
  return (text.look(at, odd_octets{}) & mask) == 0 ||
         (text.look(at, very_odd_octets{}) & mask) == 0;
}

}  // namespace robots::detail
