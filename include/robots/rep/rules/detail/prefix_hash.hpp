#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

inline constexpr std::uint64_t hash_start = 0x2545'F491'4F6C'DD1DU;
inline constexpr std::uint64_t hash_factor = 0x9E37'79B9'7F4A'7C15U;

/// Returns the state of a hash after one more whole word of a text.
[[nodiscard]] constexpr std::uint64_t next_hash_state(std::uint64_t state,
                                                      octet_word word) noexcept {
  const std::uint64_t product = (state ^ word) * hash_factor;
  return product ^ product >> 32U;
}

/// Returns the hash of a text. `state` is the state of the hash after all whole words (of 8 octets)
/// of the text. The first `count` octets of `word` are the rest of the text. `count` is 0 to 7. The
/// highest bits of the hash are the most random.
///
/// An attacker can find texts with equal hashes. Such texts cost time, but no answer is wrong.
[[nodiscard]] constexpr std::uint64_t finish_hash(std::uint64_t state, octet_word word,
                                                  std::size_t count) noexcept {
  return (state ^ (word & octet_mask(count))) * hash_factor;
}

/// The size of a gram in octets. A gram is a piece of a pattern, and contains no wildcard. A rule
/// without a useful prefix, such as `/*.html`, is found by the hash of a gram.
inline constexpr std::size_t gram_size = 4;

template <class Use>
constexpr void for_each_gram(std::string_view text, Use use) {
  for (std::size_t offset = 0; offset + gram_size <= text.size(); ++offset) {
    use(finish_hash(hash_start, part_of_word<gram_size>(text, offset), gram_size));
  }
}

/// Computes hashes of prefixes of one text, shorter prefixes first.
class prefix_hasher {
 public:
  ROBOTS_ALWAYS_INLINE constexpr explicit prefix_hasher(std::string_view text) noexcept
      : text_(text), word_(word_at(text, 0)) {}

  /// Returns the hash of the first `size` octets. `size` must not be less than the `size` of the
  /// previous call.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr std::uint64_t of(std::size_t size) noexcept {
    while (size - at_ >= sizeof word_) {
      state_ = next_hash_state(state_, word_);
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
