#pragma once

#include <robots/rep/detail/ascii.hpp>
#include <robots/rep/directive.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace robots::detail {

/// A key with its colon, compared without regard to case in two words that may overlap.
class plain_key {
 public:
  /// `text` is in lower case and has `max_size` octets at most.
  consteval plain_key(std::string_view text, directive_kind kind)
      : head_(text.substr(0, text.size() < word_size ? text.size() : word_size)),
        tail_(text.substr(text.size() < word_size ? 0 : text.size() - word_size)),
        size_(text.size()),
        kind_(kind) {}

  /// Octets that must be readable where a key is looked for.
  static constexpr std::size_t max_size = 12;

  [[nodiscard]] bool stands_at(const char* text) const noexcept {
    return head_.stands_at(text) && tail_.stands_at(text + tail_at());
  }

  /// Of the key and its colon.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr directive_kind kind() const noexcept { return kind_; }

 private:
  using word = std::uint64_t;
  static constexpr std::size_t word_size = sizeof(word);

  [[nodiscard]] constexpr std::size_t tail_at() const noexcept {
    return size_ < word_size ? 0 : size_ - word_size;
  }

  /// Up to eight octets. Of a letter, the bit in which the cases differ is set before comparing;
  /// no other octet becomes a letter by that.
  class part {
   public:
    consteval explicit part(std::string_view text) {
      std::array<char, word_size> wanted{};
      std::array<unsigned char, word_size> seen{};
      std::array<unsigned char, word_size> folded{};
      for (std::size_t i = 0; i < text.size(); ++i) {
        wanted[i] = text[i];
        seen[i] = 0xFF;
        folded[i] = is_alpha(text[i]) ? 0x20 : 0;
      }
      wanted_ = std::bit_cast<word>(wanted);
      seen_ = std::bit_cast<word>(seen);
      folded_ = std::bit_cast<word>(folded);
    }

    [[nodiscard]] bool stands_at(const char* text) const noexcept {
      word octets;
      std::memcpy(&octets, text, sizeof octets);
      return ((octets & seen_) | folded_) == wanted_;
    }

   private:
    word wanted_ = 0;
    word seen_ = 0;
    word folded_ = 0;
  };

  part head_;
  part tail_;
  std::size_t size_;
  directive_kind kind_;
};

/// Calls `use` with the key among the most frequent ones that stands, with its colon, at the start
/// of `text`, of which `plain_key::max_size` octets must be readable. Returns whether there is one.
[[nodiscard, gnu::always_inline]] inline const plain_key* find_plain_key(const char* text) noexcept {
  static constexpr plain_key disallow{"disallow:", directive_kind::disallow};
  static constexpr plain_key allow{"allow:", directive_kind::allow};
  static constexpr plain_key user_agent{"user-agent:", directive_kind::user_agent};
  static constexpr plain_key sitemap{"sitemap:", directive_kind::sitemap};
  static constexpr plain_key crawl_delay{"crawl-delay:", directive_kind::crawl_delay};
  if (disallow.stands_at(text)) {
    return &disallow;
  }
  if (allow.stands_at(text)) {
    return &allow;
  }
  if (user_agent.stands_at(text)) {
    return &user_agent;
  }
  if (sitemap.stands_at(text)) {
    return &sitemap;
  }
  if (crawl_delay.stands_at(text)) {
    return &crawl_delay;
  }
  return nullptr;
}

}  // namespace robots::detail
