#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/utf8.hpp>
#include <robots/http/message.hpp>
#include <robots/rep/read/foreign_content.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace robots::detail {

/// Returns true for the name of a registered content coding that changes octets (RFC 9110, section
/// 8.4.1). Servers also send other words in `Content-Encoding`, such as `UTF-8` or `aws-chunked`.
[[nodiscard]] constexpr bool is_content_coding(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 7> names{"gzip", "x-gzip",   "deflate",   "br",
                                                  "zstd", "compress", "x-compress"};
  return std::any_of(names.begin(), names.end(), [name](std::string_view known) {
    return base::equal_ignoring_case(known, name);
  });
}

/// Splits values of `Content-Encoding` at their commas. Drops empty names.
[[nodiscard]] inline std::vector<std::string_view> coding_names(std::string_view value) {
  std::vector<std::string_view> names;
  while (!value.empty()) {
    const std::size_t comma = (std::min)(value.find(','), value.size());
    const std::string_view name = base::trim(value.substr(0, comma), base::is_space);
    if (!name.empty()) {
      names.push_back(name);
    }
    value.remove_prefix((std::min)(comma + 1, value.size()));
  }
  return names;
}

/// Returns true if `octets` begin like a member of gzip (RFC 1952, section 2.3.1).
[[nodiscard]] constexpr bool begins_gzip(std::string_view octets) noexcept {
  return octets.starts_with("\x1F\x8B");
}

/// Returns true if `octets` begin like a frame of zstd (RFC 8878, section 3.1.1).
[[nodiscard]] constexpr bool begins_zstd(std::string_view octets) noexcept {
  return octets.starts_with("\x28\xB5\x2F\xFD");
}

/// Returns true if `octets` begin with a header of zlib without a dictionary (RFC 1950, section
/// 2.2). Some texts also begin so, such as `x^`.
[[nodiscard]] constexpr bool begins_zlib(std::string_view octets) noexcept {
  if (octets.size() < 2) {
    return false;
  }
  const unsigned first = static_cast<unsigned char>(octets[0]);
  const unsigned second = static_cast<unsigned char>(octets[1]);
  return (first & 0x0FU) == 8 && first >> 4U <= 7 && (second & 0x20U) == 0 &&
         (first * 256 + second) % 31 == 0;
}

/// The number of octets of a body that decide whether it is text.
inline constexpr std::size_t coding_sample = 256;

/// Returns true if `octets`, the start of a body, can be text in an unknown charset. In UTF-16,
/// most octets can be controls, so its byte order mark is enough.
[[nodiscard]] constexpr bool can_be_text(std::string_view octets) noexcept {
  return octets.starts_with("\xFF\xFE") || octets.starts_with("\xFE\xFF") ||
         (!begins_gzip(octets) && !begins_zstd(octets) && !rep_detail::is_mostly_controls(octets));
}

/// Returns true if `octets`, the start of a body, have a control character, not counting NUL.
[[nodiscard]] constexpr bool has_control(std::string_view octets) noexcept {
  return std::any_of(octets.begin(), octets.end(),
                     [](char c) { return c != '\0' && rep_detail::is_control(c); });
}

/// Returns true if `octets`, the start of a body, are valid UTF-8. The last character may be cut.
[[nodiscard]] constexpr bool begins_utf8(std::string_view octets) noexcept {
  constexpr std::size_t longest = 4;
  while (const std::size_t length = base::utf8_sequence_length(octets)) {
    octets.remove_prefix(length);
  }
  return octets.size() < longest &&
         std::all_of(
             octets.begin(), octets.end(),
             [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// Returns true if a header says that the body is coded, and `body` still is. Brotli and raw
/// deflate have no mark at their start, so their octets decide: they are no valid UTF-8, and have
/// control characters.
[[nodiscard]] inline bool is_still_coded(const std::vector<http_header>& headers,
                                         std::string_view body) {
  const auto names_coding = [](const http_header& header) {
    if (!base::equal_ignoring_case(header.name, "Content-Encoding")) {
      return false;
    }
    const std::vector<std::string_view> names = coding_names(header.value);
    return std::any_of(names.begin(), names.end(), is_content_coding);
  };
  const std::string_view start = body.substr(0, coding_sample);
  const bool is_text = can_be_text(start) && !(begins_zlib(start) && !begins_utf8(start)) &&
                       (!has_control(start) || begins_utf8(start));
  return !is_text && std::any_of(headers.begin(), headers.end(), names_coding);
}

}  // namespace robots::detail
