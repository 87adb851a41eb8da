#pragma once

#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// The state of a hash after some whole words of a text; the remaining octets complete the hash. So
/// the states on the way to the hash of a long text serve all of its prefixes.
///
/// It is not secure: an attacker can find texts with equal hashes. Such texts take time that is
/// linear in their number, but never cause a wrong answer.
class hash_state {
 public:
  /// Returns the state after one more word.
  [[nodiscard]] constexpr hash_state with(octet_word word) const noexcept {
    const std::uint64_t product = (state_ ^ word) * factor;
    return hash_state{product ^ product >> 32U};
  }

  /// Returns the hash with the first `count` octets of `word`, 0 to 7. Its first bits are the most
  /// random ones.
  [[nodiscard]] constexpr std::uint64_t finish(octet_word word, std::size_t count) const noexcept {
    return (state_ ^ (word & octet_mask(count))) * factor;
  }

  /// The state before the first word.
  [[nodiscard]] static constexpr hash_state start() noexcept {
    return hash_state{0x2545'F491'4F6C'DD1DU};
  }

  hash_state() = default;

 private:
  constexpr explicit hash_state(std::uint64_t state) noexcept : state_(state) {}

  static constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15U;

  std::uint64_t state_;
};

/// The number of octets of a literal that index a rule with a leading wildcard.
inline constexpr std::size_t gram_size = 4;

/// Calls `use` with the hash of each part of `text` that has `gram_size` octets.
template <class Use>
constexpr void for_each_gram(std::string_view text, Use use) {
  for (std::size_t offset = 0; offset + gram_size <= text.size(); ++offset) {
    use(hash_state::start().finish(part_of_word<gram_size>(text, offset), gram_size));
  }
}

/// Computes hashes of prefixes of one text, shorter ones first.
class prefix_hasher {
 public:
  constexpr explicit prefix_hasher(std::string_view text) noexcept
      : text_(text), word_(word_at(text, 0)) {}

  /// Returns the hash of the first `size` octets. `size` must not exceed the text, and must not be
  /// less than in the last call.
  [[nodiscard]] constexpr std::uint64_t of(std::size_t size) noexcept {
    while (size - at_ >= sizeof word_) {
      state_ = state_.with(word_);
      at_ += sizeof word_;
      word_ = word_at(text_, at_);
    }
    return state_.finish(word_, size - at_);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  octet_word word_;
  hash_state state_ = hash_state::start();
};

/// Returns the hash of a whole text.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) noexcept {
  return prefix_hasher{text}.of(text.size());
}

}  // namespace robots::rep_detail
