#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/text/detail/octet_block.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace robots::rep_detail {

[[nodiscard]] constexpr bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }

/// Where the next lines of a text end, and which octets of them are odd: all up to `#`. White
/// space, line ends, comments and what spoils a line are among them, and of what may stand in a
/// value only `!` and `"`.
///
/// RFC 9309, section 2.2: `EOL = *(%x0D / %x0A)`: CR, LF and CR LF end a line and nothing else
/// does.
class line_index {  // NOLINT(*-member-init): `fill` fills the arrays
 public:
  /// Most octets that are looked at, the longest line that is read whole among them.
  static constexpr std::size_t most_octets = 65'472;

  /// Looks at what is between `from` and `end`, or as much of it as there is room for. A line may
  /// begin or go on at `from`, and the text that ends at `end` is not empty. Takes no branch for
  /// each line, so that it does not matter how their lengths vary. `avx2`: see `has_avx2`.
  ROBOTS_NOINLINE constexpr void fill(const char* from, const char* end,
                                      bool avx2 = has_avx2()) noexcept {
    from_ = from;
    lines_ = 0;
    const bool is_wide = avx2 && end - from >= std::ptrdiff_t{word_size};
    std::size_t words = is_wide ? look_with_avx2(end) : 0;
    octet_bits after_return = words != 0 && from[words * word_size - 1] == '\r' ? 1 : 0;
    bool is_last = false;
    while (!is_last && words < most_words && lines_ < most_lines) {
      const char* const at = from + words * word_size;
      const auto left = static_cast<std::size_t>(end - at);
      is_last = left < word_size;
      found_octets found = is_last ? look_at_end(at, end) : look(at);
      const octet_bits text_end =
          is_last && !is_line_end(end[-1]) ? octet_bits{1} << left : octet_bits{0};
      found.line_feeds &= ~(found.returns << 1U | after_return);
      after_return = found.returns >> (word_size - 1);
      odd_[words] = found.odd | text_end;
      next_[words] = static_cast<std::uint16_t>(words + 1);
      add_ends(words * word_size, found.line_feeds | found.returns | text_end);
      ++words;
    }
    odd_[words] = 0;
    stop_ = is_last ? end : from + words * word_size;
  }

  /// Where lines end, counted from `from`; the text ends a line, too.
  [[nodiscard]] constexpr std::span<const std::uint16_t> ends() const noexcept {
    return {ends_.data(), lines_};
  }

  /// Behind what was looked at.
  [[nodiscard]] constexpr const char* stop() const noexcept { return stop_; }

  /// The first odd octet from `at` on, in a line of which the end is known. There must be an odd
  /// octet, or `from`, less than a word before `at`, as there is before the value of a short key.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr const char* find_odd(const char* at) const noexcept {
    const auto place = static_cast<std::size_t>(at - from_);
    const std::size_t shift = place % word_size;
    const std::size_t word = place / word_size;
    const octet_bits next = odd_[word] >> shift | odd_[word + 1] << 1U << (word_size - 1 - shift);
    if (next != 0) [[likely]] {
      return at + std::countr_zero(next);
    }
    return find_far_odd(word + 1);
  }

 private:
  /// A set of octets: bit n for the n-th.
  using octet_bits = std::uint64_t;
  static constexpr std::size_t word_size = 2 * octet_block::size;
  static_assert(word_size == 64);
  static constexpr std::size_t most_words = most_octets / word_size;
  static constexpr std::size_t most_lines = 2048;

  struct found_octets {
    octet_bits odd, line_feeds, returns;
  };

#if defined(__x86_64__)
  /// Looks at whole words, as `fill` does, where that is quicker. Returns how many.
  [[nodiscard, gnu::target("avx2,bmi,popcnt")]] std::size_t look_with_avx2(
      const char* end) noexcept {
    const std::size_t most =
        (std::min)(static_cast<std::size_t>(end - from_) / word_size, most_words);
    octet_bits after_return = 0;
    std::size_t word = 0;
    while (word < most && lines_ < most_lines) {
      const std::size_t offset = word * word_size;
      const avx2_block octets{from_ + offset};
      odd_[word] = octets.at_most('#');
      if (odd_[word++] == 0) {
        after_return = 0;
        const std::size_t first = word - 1;
        for (; word + 2 <= most; word += 2) {
          const char* const at = from_ + word * word_size;
          if (avx2_block{at}.lessen(avx2_block{at + word_size}).has_at_most('#')) {
            break;
          }
        }
        odd_[first + 1] = 0;
        next_[first] = static_cast<std::uint16_t>(word);
        next_[first + 1] = static_cast<std::uint16_t>(word);
        continue;
      }
      const octet_bits returns = octets.equal('\r');
      octet_bits ends = returns | (octets.equal('\n') & ~(returns << 1U | after_return));
      after_return = returns >> (word_size - 1);
      std::uint16_t* place = ends_.data() + lines_;
      lines_ += static_cast<std::size_t>(std::popcount(ends));
      do {  // three at once, for most words have no more
        for (int i = 0; i < 3; ++i, ++place, ends &= ends - 1) {
          *place = first_place(offset, ends);
        }
      } while (ends != 0);
    }
    return word;
  }
#else
  [[nodiscard]] static std::size_t look_with_avx2(const char*) noexcept { return 0; }
#endif

  /// The first odd octet in `word` and those behind it. Not inlined, for few values are that long.
  [[nodiscard]] ROBOTS_NOINLINE constexpr const char* find_far_odd(
      std::size_t word) const noexcept {
    while (odd_[word] == 0) {
      word = next_[word];
    }
    return from_ + word * word_size + static_cast<std::size_t>(std::countr_zero(odd_[word]));
  }

  /// Looks at a word from `at` on.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE static constexpr found_octets look(const char* at) noexcept {
    if (std::is_constant_evaluated()) {
      return look_at_each(at, at + word_size);
    }
    return join(sets_of(octet_block::load(at)), sets_of(octet_block::load(at + octet_block::size)));
  }

  /// Looks at less than a word.
  [[nodiscard]] constexpr found_octets look_at_end(const char* at, const char* end) const noexcept {
    if (std::is_constant_evaluated()) {
      return look_at_each(at, end);
    }
    constexpr std::size_t block = octet_block::size;
    const auto left = static_cast<std::size_t>(end - at);
    if (end - from_ < std::ptrdiff_t{block}) {
      return sets_of(padded({at, left}));
    }
    const auto last = [end](std::size_t passed) {  // octets of the last block
      const found_octets found = sets_of(octet_block::load(end - block));
      return found_octets{.odd = found.odd >> passed,
                          .line_feeds = found.line_feeds >> passed,
                          .returns = found.returns >> passed};
    };
    return left <= block ? last(block - left)
                         : join(sets_of(octet_block::load(at)), last(2 * block - left));
  }

  [[nodiscard]] static constexpr found_octets look_at_each(const char* at,
                                                           const char* end) noexcept {
    found_octets found{};
    for (octet_bits bit = 1; at != end; ++at, bit <<= 1U) {
      found.odd |= static_cast<unsigned char>(*at) <= '#' ? bit : 0;
      found.line_feeds |= *at == '\n' ? bit : 0;
      found.returns |= *at == '\r' ? bit : 0;
    }
    return found;
  }

  [[nodiscard]] ROBOTS_ALWAYS_INLINE static found_octets sets_of(octet_block octets) noexcept {
    return {.odd = octets.at_most('#'),
            .line_feeds = octets.equal('\n'),
            .returns = octets.equal('\r')};
  }

  [[nodiscard]] ROBOTS_ALWAYS_INLINE static found_octets join(found_octets low,
                                                              found_octets high) noexcept {
    return {.odd = low.odd | high.odd << octet_block::size,
            .line_feeds = low.line_feeds | high.line_feeds << octet_block::size,
            .returns = low.returns | high.returns << octet_block::size};
  }

  /// The place of the first of `ends`, anywhere if there is none.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE static constexpr std::uint16_t first_place(
      std::size_t offset, octet_bits ends) noexcept {
    constexpr octet_bits any = octet_bits{1} << (word_size - 1);  // spares a test for zero
    return static_cast<std::uint16_t>(offset +
                                      static_cast<std::size_t>(std::countr_zero(ends | any)));
  }

  ROBOTS_ALWAYS_INLINE constexpr void add_ends(std::size_t offset, octet_bits ends) noexcept {
    const auto add = [&] {
      ends_[lines_] = first_place(offset, ends);
      lines_ += ends != 0 ? 1U : 0U;
      ends &= ends - 1;
    };
    add();
    add();
    add();
    add();
    while (ends != 0) [[unlikely]] {
      add();
    }
  }

  const char* from_ = nullptr;
  const char* stop_ = nullptr;
  std::size_t lines_ = 0;
  // One word more than is looked at, and room for all lines of a word more than `most_lines`. Of a
  // run of words without odd octets, only the first two may be written, with the word behind the
  // run in `next_`.
  std::array<octet_bits, most_words + 1> odd_;
  std::array<std::uint16_t, most_words + 1> next_;
  std::array<std::uint16_t, most_lines + word_size + 1> ends_;
};

}  // namespace robots::rep_detail
