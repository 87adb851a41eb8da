#pragma once

#include <robots/base/octet_word.hpp>
#include <robots/base/random_sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::base {

// Not secure against forgery, but the same on every machine and forever, so that it may be stored.

/// One number for two in this order: another one for each other `first`, and for each other
/// `second`.
[[nodiscard]] constexpr std::uint64_t combined(std::uint64_t first, std::uint64_t second) noexcept {
  const std::uint64_t both = (first ^ random_sequence{second}()) * random_sequence::step;
  return both ^ both >> 32U;
}

/// A number for the octets of `text`, eight at a time, and for their count: certainly another one
/// for a text of the same length that differs within one of these eights only.
[[nodiscard]] constexpr std::uint64_t fingerprint(std::string_view text) noexcept {
  std::uint64_t all = combined(0, text.size());
  for (std::size_t start = 0; start < text.size(); start += sizeof(octet_word)) {
    all = combined(all, word_at(text, start));
  }
  return all;
}

}  // namespace robots::base
