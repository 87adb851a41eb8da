#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/ip_address.hpp>

#include <algorithm>
#include <charconv>

namespace robots {

namespace http_detail {

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

/// RFC 5952: no leading zeros, and the first of the longest runs of zero groups as `::`.
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

}  // namespace http_detail

ROBOTS_INLINE std::string to_string(const ip_address& address) {
  const std::span<const std::uint8_t> octets = address.octets();
  if (address.is_v4()) {
    return http_detail::ipv4_text(octets);
  }
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::equal(mapped.begin(), mapped.end(), octets.begin())
             ? "::ffff:" + http_detail::ipv4_text(octets.subspan(mapped.size()))
             : http_detail::ipv6_text(octets);
}

}  // namespace robots
