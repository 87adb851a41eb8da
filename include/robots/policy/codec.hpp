#pragma once

#include <robots/policy/record.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots::detail {

/// The result of `decode` or `decode_site`.
template <class Value>
struct decoded {
  std::optional<Value> value{};  ///< empty if there is an error
  /// The reason if there is no value: `too_short`, `unknown_version` (this version of the library
  /// does not know the format), `damaged` (the checksum does not match), or `malformed` (`encode`
  /// never writes such a text).
  std::string_view error{};
};

/// The maximum numbers of octets and elements in an encoded record. `encode` cuts longer texts and
/// lists, and `decode` refuses them.
struct record_limits {
  static constexpr std::size_t url = 65'536;                    ///< octets
  static constexpr std::size_t error_text = 1'024;              ///< octets
  static constexpr std::size_t validator = 1'024;               ///< octets
  static constexpr std::size_t exchanges = 256;                 ///< elements of a list
  static constexpr std::size_t body = std::size_t{256} << 20U;  ///< octets; `parse` reads no more
};

/// The version of the format that `encode` writes, from 1 to 127. It grows when the format or the
/// checksum changes. Stores keep records of different versions apart.
inline constexpr int record_format = 2;

/// Encodes a record as octets, which are the same on every machine. codec.ipp describes the format.
/// A record of "there is no robots.txt" takes 20 octets plus the name of the host. Takes linear
/// time.
[[nodiscard]] std::string encode(const record& from);

/// Reads a record that `encode` wrote. Accepts any octets. Returns a record only if `encode` of
/// this record gives `text` again. The checksum detects damage, not forgery. Takes linear time, and
/// allocates a small multiple of the size of the text.
[[nodiscard]] decoded<record> decode(std::string_view text);

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/policy/codec.ipp>
#endif
