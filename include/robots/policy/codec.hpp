#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/policy/record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// Why a text is not a record.
enum class decode_error : std::uint8_t {
  none,             ///< it is a record
  too_short,        ///< it ends before its checksum
  unknown_version,  ///< it has a format that this version of the library does not know
  damaged,          ///< the checksum is that of another text
  malformed,        ///< `encode` does not write such a text
};

/// The name of an error, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(decode_error error) noexcept {
  return base::enum_text<decode_error::malformed>(
      error, {"none", "too_short", "unknown_version", "damaged", "malformed"});
}

/// The result of `decode`.
struct decode_result {
  std::optional<robots::record> record{};   ///< none if there is an error
  decode_error error = decode_error::none;  ///< why there is no record
};

/// The longest texts and lists of an encoded record. A longer text or list is cut when it is
/// encoded, and refused when it is decoded.
struct record_limits {
  static constexpr std::size_t url = 65'536;                    ///< octets
  static constexpr std::size_t error_text = 1'024;              ///< octets
  static constexpr std::size_t validator = 1'024;               ///< octets
  static constexpr std::size_t exchanges = 256;                 ///< the first of them
  static constexpr std::size_t body = std::size_t{256} << 20U;  ///< octets; `parse` reads no more
};

/// The version of the format that `encode` writes, from 1 to 127: another one whenever a checksum
/// would be another. Stores keep the versions apart.
inline constexpr int record_format = 2;

/// A record as octets, the same on every machine; the format is described in codec.ipp. A record of
/// "there is no robots.txt" takes 20 octets and those of the host's name. Linear.
[[nodiscard]] std::string encode(const record& from);

/// Reads a record that `encode` wrote. Takes any octets: it returns a record only if `encode` of
/// that gives `text` again. The checksum shows damage, not forgery. Linear; allocates a small
/// multiple of the text.
[[nodiscard]] decode_result decode(std::string_view text);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/codec.ipp>
#endif
