#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/detail/ip_literal.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace robots::detail {

/// An IPv4 or IPv6 address, as octets in network order, without port or zone.
class ip_address {
 public:
  /// Makes an IPv4 address.
  explicit constexpr ip_address(const std::array<std::uint8_t, 4>& octets) noexcept : v4_(true) {
    std::copy(octets.begin(), octets.end(), octets_.begin());
  }
  /// Makes an IPv6 address.
  explicit constexpr ip_address(const std::array<std::uint8_t, 16>& octets) noexcept
      : octets_(octets) {}

  /// Returns true for an IPv4 address. An IPv4 address mapped to IPv6 is an IPv6 address.
  [[nodiscard]] constexpr bool is_v4() const noexcept { return v4_; }

  /// Returns the 4 or 16 octets. The span is valid as long as the address.
  [[nodiscard]] constexpr std::span<const std::uint8_t> octets() const noexcept {
    return {octets_.data(), v4_ ? 4 : octets_.size()};
  }

  /// An IPv4 address and an IPv6 address always differ.
  [[nodiscard]] friend constexpr bool operator==(const ip_address&,
                                                 const ip_address&) noexcept = default;

 private:
  std::array<std::uint8_t, 16> octets_{};
  bool v4_ = false;
};

/// Reads an address: `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]` (RFC 3986, section 3.2.2; RFC
/// 4291, section 2.2).
///
/// Returns an empty optional for any other text, such as an address with a zone (`fe80::1%eth0`) or
/// a port. Also refuses the forms of IPv4 that only some programs read (`127.1`, `0x7f.0.0.1`,
/// `2130706433`, `010.0.0.1`). Reads at most 46 octets.
[[nodiscard]] constexpr std::optional<ip_address> parse_ip_address(std::string_view text) noexcept {
  if (text.starts_with('[')) {
    if (!text.ends_with(']') || text.size() < 2) {
      return std::nullopt;
    }
    text = text.substr(1, text.size() - 2);
  } else if (const auto v4 = http_detail::read_ipv4(text)) {
    return ip_address(*v4);
  }
  const auto v6 = http_detail::read_ipv6(text);
  return v6 ? std::optional(ip_address(*v6)) : std::nullopt;
}

}  // namespace robots::detail

namespace robots::http_detail {

[[nodiscard]] inline std::string ipv4_text(std::span<const std::uint8_t> octets) {
  std::string text;
  for (const std::uint8_t octet : octets) {
    if (!text.empty()) {
      text += '.';
    }
    text += std::to_string(octet);
  }
  return text;
}

/// Writes an IPv6 address in the form of RFC 5952, without leading zeros, and with `::` for the
/// first of the longest runs of zero groups.
[[nodiscard]] inline std::string ipv6_text(std::span<const std::uint8_t> octets) {
  const auto group = [octets](std::size_t i) {
    return static_cast<unsigned>(octets[2 * i]) << 8U | octets[2 * i + 1];
  };
  constexpr std::size_t groups = 8;
  std::size_t gap = groups;
  std::size_t gap_length = 1;
  for (std::size_t begin = 0; begin < groups; ++begin) {
    std::size_t end = begin;
    while (end < groups && group(end) == 0) {
      ++end;
    }
    if (end - begin > gap_length) {
      gap = begin;
      gap_length = end - begin;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < groups; ++i) {
    if (i == gap) {
      text += "::";
      i += gap_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') {
      text += ':';
    }
    std::array<char, 4> digits{};
    text.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), group(i), 16).ptr);
  }
  return text;
}

}  // namespace robots::http_detail

namespace robots::detail {

/// Writes an address in the form of RFC 5952, without brackets. The IPv4 address in an IPv4-mapped
/// address is written with dots. `parse_ip_address` reads this form.
[[nodiscard]] inline std::string to_string(const ip_address& address) {
  const std::span<const std::uint8_t> octets = address.octets();
  if (address.is_v4()) {
    return http_detail::ipv4_text(octets);
  }
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::equal(mapped.begin(), mapped.end(), octets.begin())
             ? "::ffff:" + http_detail::ipv4_text(octets.subspan(mapped.size()))
             : http_detail::ipv6_text(octets);
}

/// Returns true if the last label of a host is a number, decimal or hexadecimal. The host is in
/// lower case. Resolvers read such a host as an IPv4 address, but not all resolvers read it in the
/// same way (WHATWG URL, section 3.5). Takes linear time.
[[nodiscard]] constexpr bool ends_in_number(std::string_view host) noexcept {
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.starts_with("0x")) {
    return std::all_of(last.begin() + 2, last.end(),
                       [](char c) { return base::hex_value(c) >= 0; });
  }
  return last.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace robots::detail
