#pragma once

#include <robots/base/config.hpp>
#include <robots/base/octet_word.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// Says quickly that a host is not in a set of hosts. A hit of a cache asks this question, so it
/// takes about twenty instructions, one load of shared memory, and no lock:
///
///     host --> its size, its first and its middle eight octets --> two bits of one word
///                        at least one of them is 0: the host is not in the set  <--+
///                        both of them are 1: perhaps, so ask the set itself     <--+
///
/// The first and middle octets of a host have the name of the site. The last ones are the same for
/// many hosts. Hosts that differ only in octets that nobody reads cost questions to the set, and
/// nothing else. So does a host that leaves the set, since a bit is never cleared. Any thread may
/// call any member.
class host_filter {
 public:
  /// Adds a host, in the form of `site::host`.
  void add(std::string_view host) noexcept {
    constexpr std::uint64_t one = 1;
    const std::uint64_t hash = hash_of(host);
    words_[word_of(hash)].fetch_or(one << first_bit_of(hash) | one << second_bit_of(hash));
  }

  /// While `has_all` is true, every host may be in the set.
  void include_all(bool has_all) noexcept { has_all_ = has_all; }

  /// Returns false if the host is not in the set.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE bool may_have(std::string_view host) const noexcept {
    // Read first: all hosts were added before `has_all_` became false.
    const bool has_all = has_all_.load(std::memory_order_acquire);
    const std::uint64_t hash = hash_of(host);
    const std::uint64_t word = words_[word_of(hash)].load(std::memory_order_relaxed);
    const bool has_both_bits = (word >> first_bit_of(hash) & word >> second_bit_of(hash) & 1U) != 0;
    return has_both_bits || has_all;
  }

 private:
  // 64 KiB. With 10,000 hosts in the set, about one of 500 other hosts seems to be in it.
  static constexpr std::size_t word_bits = 13;
  static constexpr std::size_t words = std::size_t{1} << word_bits;

  /// Returns a number whose upper 25 bits depend on all octets that it reads.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE static std::uint64_t hash_of(std::string_view host) noexcept {
    constexpr std::size_t octets = sizeof(base::octet_word);
    std::uint64_t read = host.size();
    if (host.size() < octets) {
      read += base::last_word(host, 0);
    } else {
      read += base::whole_word(host, 0);
      read ^= std::rotl(base::whole_word(host, (host.size() - octets) / 2), 32);
    }
    constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
    return read * odd;
  }

  [[nodiscard]] static constexpr std::size_t word_of(std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(hash >> (64 - word_bits));
  }
  [[nodiscard]] static constexpr std::uint64_t first_bit_of(std::uint64_t hash) noexcept {
    return (hash >> 45U) % 64;
  }
  /// Can be the same as the first bit.
  [[nodiscard]] static constexpr std::uint64_t second_bit_of(std::uint64_t hash) noexcept {
    return (hash >> 39U) % 64;
  }

  std::array<std::atomic<std::uint64_t>, words> words_{};
  std::atomic<bool> has_all_ = false;
};

}  // namespace robots::detail
