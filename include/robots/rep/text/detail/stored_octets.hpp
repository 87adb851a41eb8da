#pragma once

#include <robots/rep/text/detail/octet_word.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace robots::rep_detail {

/// Stores the lowest `Size` octets of a word for `part_of_word` to read.
template <std::size_t Size>
constexpr void store_word(char* to, octet_word word) noexcept {
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
    std::memcpy(to, &word, Size);
    return;
  }
  for (std::size_t i = 0; i < Size; ++i) {
    to[i] = static_cast<char>(static_cast<unsigned char>(word >> (8 * i)));
  }
}

}  // namespace robots::rep_detail
