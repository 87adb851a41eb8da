#pragma once

#include <robots/http/ip_address.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::detail {

/// The addresses of one family that begin with certain bits, such as `10.0.0.0/8` or `fc00::/7`.
class ip_prefix {
 public:
  /// Takes the first `length` bits of `address.octets()`. For `10.0.0.0/8`, `length` is 96 + 8.
  constexpr ip_prefix(const ip_address& address, std::size_t length) noexcept
      : first_(masked(address, length)), length_(length) {}

  [[nodiscard]] constexpr const ip_address& first() const noexcept { return first_; }

  /// Returns the number after the slash of the prefix: at most 32 for IPv4, at most 128 for IPv6.
  [[nodiscard]] constexpr std::size_t length() const noexcept {
    return first_.is_v4() ? length_ - mapped_bits : length_;
  }

  /// An IPv6 prefix of fewer than 96 bits, such as `::/0`, contains no IPv4 address.
  [[nodiscard]] constexpr bool contains(const ip_address& address) const noexcept {
    return masked(address, length_) == first_ && (length_ >= mapped_bits || !address.is_v4());
  }

  /// The number of bits before the IPv4 address in an IPv4-mapped IPv6 address.
  static constexpr std::size_t mapped_bits = 96;

 private:
  [[nodiscard]] static constexpr ip_address masked(const ip_address& address,
                                                   std::size_t length) noexcept {
    http_detail::ipv6_octets octets{};
    for (std::size_t i = 0; i < octets.size() && 8 * i < length; ++i) {
      const std::size_t unused = 8 - (std::min)(std::size_t{8}, length - 8 * i);
      octets[i] = static_cast<std::uint8_t>(address.octets()[i] >> unused << unused);
    }
    return ip_address(octets);
  }

  ip_address first_;
  std::size_t length_;
};

/// Reads a prefix such as `10.0.0.0/8` or `fc00::/7` (RFC 4632, section 3.1; RFC 4291, section
/// 2.3), or a single address, with or without brackets. Ignores the bits after the prefix.
[[nodiscard]] constexpr std::optional<ip_prefix> parse_ip_prefix(std::string_view text) noexcept {
  const std::size_t slash = text.find('/');
  const std::optional<ip_address> first = parse_ip_address(text.substr(0, slash));
  if (!first) {
    return std::nullopt;
  }
  const std::size_t all = first->octets().size() * 8;
  if (slash == std::string_view::npos) {
    return ip_prefix(*first, all);
  }
  const std::size_t unwritten =
      text.find(':') == std::string_view::npos ? ip_prefix::mapped_bits : 0;
  const std::optional<std::size_t> length =
      http_detail::read_number(text.substr(slash + 1), all - unwritten);
  return length ? std::optional(ip_prefix(*first, unwritten + *length)) : std::nullopt;
}

}  // namespace robots::detail
