#pragma once

#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// The state of a hash before the first word of a text.
inline constexpr std::uint64_t hash_start = 0x2545'F491'4F6C'DD1DU;
inline constexpr std::uint64_t hash_factor = 0x9E37'79B9'7F4A'7C15U;

/// Returns the hash of a text. `state` is the state after its whole words, and the first `count`
/// octets of `word`, 0 to 7, are the rest. The highest bits of the hash are more random than the
/// other bits.
///
/// The hash is not secure, so an attacker can find texts with equal hashes. These texts cost time
/// linear in their number, but never cause a wrong answer.
[[nodiscard]] constexpr std::uint64_t finish_hash(std::uint64_t state, octet_word word,
                                                  std::size_t count) noexcept {
  return (state ^ (word & octet_mask(count))) * hash_factor;
}

/// The size of a gram in octets. The hash of a gram, which is a part of a literal, indexes a rule
/// that begins with a wildcard.
inline constexpr std::size_t gram_size = 4;

/// Calls `use` with the hash of each gram of `text`.
template <class Use>
constexpr void for_each_gram(std::string_view text, Use use) {
  for (std::size_t offset = 0; offset + gram_size <= text.size(); ++offset) {
    use(finish_hash(hash_start, part_of_word<gram_size>(text, offset), gram_size));
  }
}

/// Computes hashes of prefixes of one text, shorter prefixes first. The hash of a longer prefix
/// continues from the state of a shorter prefix.
class prefix_hasher {
 public:
  constexpr explicit prefix_hasher(std::string_view text) noexcept
      : text_(text), word_(word_at(text, 0)) {}

  /// Returns the hash of the first `size` octets. `size` must not exceed the size of the text, and
  /// must not be less than in the last call.
  [[nodiscard]] constexpr std::uint64_t of(std::size_t size) noexcept {
    while (size - at_ >= sizeof word_) {
      state_ = (state_ ^ word_) * hash_factor;
      state_ ^= state_ >> 32U;
      at_ += sizeof word_;
      word_ = word_at(text_, at_);
    }
    return finish_hash(state_, word_, size - at_);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  octet_word word_;
  std::uint64_t state_ = hash_start;
};

[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) noexcept {
  return prefix_hasher{text}.of(text.size());
}

}  // namespace robots::rep_detail
