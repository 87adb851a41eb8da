#pragma once

#include <robots/base/decimal.hpp>
#include <robots/http/ip_address.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace robots::detail {

/// The addresses of one family that begin with certain bits, such as `10.0.0.0/8` or `fc00::/7`.
class ip_prefix {
 public:
  /// Takes the first `length` bits of `address`, or all bits if `address` has fewer bits. Ignores
  /// the other bits.
  constexpr ip_prefix(const ip_address& address, std::size_t length) noexcept
      : first_(masked(address, length)), length_((std::min)(length, address.octets().size() * 8)) {}

  /// Returns the first address with this prefix. The other bits of the address are 0.
  [[nodiscard]] constexpr const ip_address& first() const noexcept { return first_; }
  /// Returns the length in bits, from 0 to 32 or from 0 to 128.
  [[nodiscard]] constexpr std::size_t length() const noexcept { return length_; }

  /// Returns true if `address` has the same family and begins with these bits. Takes constant time.
  [[nodiscard]] constexpr bool contains(const ip_address& address) const noexcept {
    if (address.is_v4() != first_.is_v4()) {
      return false;
    }
    const std::span<const std::uint8_t> prefix = first_.octets();
    const std::span<const std::uint8_t> octets = address.octets();
    const std::size_t whole = length_ / 8;
    if (!std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(whole),
                    octets.begin())) {
      return false;
    }
    const std::size_t rest = length_ % 8;
    return rest == 0 || (prefix[whole] ^ octets[whole]) >> (8 - rest) == 0;
  }

 private:
  [[nodiscard]] static constexpr ip_address masked(const ip_address& address,
                                                   std::size_t length) noexcept {
    std::array<std::uint8_t, 16> octets{};
    for (std::size_t i = 0; i < address.octets().size() && 8 * i < length; ++i) {
      const std::size_t unused_bits = 8 - std::min<std::size_t>(8, length - 8 * i);
      octets[i] = static_cast<std::uint8_t>(address.octets()[i] >> unused_bits << unused_bits);
    }
    return address.is_v4() ? ip_address(std::array{octets[0], octets[1], octets[2], octets[3]})
                           : ip_address(octets);
  }

  ip_address first_;
  std::size_t length_;
};

/// Reads a prefix such as `10.0.0.0/8` or `fc00::/7` (RFC 4632, section 3.1; RFC 4291, section
/// 2.3), or a single address, with or without brackets. Ignores the bits after the prefix. Returns
/// an empty optional for any other text. Takes linear time.
[[nodiscard]] constexpr std::optional<ip_prefix> parse_ip_prefix(std::string_view text) noexcept {
  const std::size_t slash = text.find('/');
  const std::optional<ip_address> first = parse_ip_address(text.substr(0, slash));
  if (!first) {
    return std::nullopt;
  }
  const std::size_t most = first->octets().size() * 8;
  if (slash == std::string_view::npos) {
    return ip_prefix(*first, most);
  }
  const std::string_view digits = text.substr(slash + 1);
  const std::optional<std::uint64_t> length = base::parse_decimal(digits);
  if (!length || *length > most || (digits.size() > 1 && digits.front() == '0')) {
    return std::nullopt;
  }
  return ip_prefix(*first, static_cast<std::size_t>(*length));
}

}  // namespace robots::detail
