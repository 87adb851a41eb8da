#pragma once

#include <robots/policy/record.hpp>
#include <robots/policy/site_records.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots::detail {

/// The result of `decode` or `decode_site`.
template <class Value>
struct decoded {
  std::optional<Value> value{};  ///< empty if there is an error
  /// The reason if there is no value: `too_short`, `unknown_version`, `damaged` if the checksum
  /// does not match, or `malformed` if `encode` cannot have written the text.
  std::string_view error{};
};

/// The limits of an encoded record. `encode` cuts longer texts and lists, `decode` refuses them.
struct record_limits {
  static constexpr std::size_t url = 65'536;                    ///< octets
  static constexpr std::size_t error_text = 1'024;              ///< octets
  static constexpr std::size_t validator = 1'024;               ///< octets
  static constexpr std::size_t exchanges = 256;                 ///< elements of a list
  static constexpr std::size_t body = std::size_t{256} << 20U;  ///< octets; `parse` reads no more
};

/// The version of the format that `encode` writes, from 1 to 127. Each change of the encoding or of
/// the checksum needs a new version. Stores keep records of different versions apart. A new part
/// behind all others, too, if a version has been released: an older reader refuses its records.
inline constexpr int record_format = 2;

/// The first octet of the records of a site that `RedisStore` and `SqliteStore` have compressed:
/// version 3. These stores return version 2, so the next version of `encode` is 4.
inline constexpr char compressed_records = '\x83';

/// Encodes a record as octets, which are the same on every machine. codec.bodies.hpp describes the
/// format. A record of "there is no robots.txt" takes 20 octets plus the name of the host.
[[nodiscard]] std::string encode(const record& from);

/// Reads a record that `encode` wrote. Accepts any octets. Returns a record only if `encode` turns
/// this record into exactly `text`. The checksum detects damage, not forgery.
[[nodiscard]] decoded<record> decode(std::string_view text);

/// Encodes the records of a site. The first octet differs from that of a single encoded record.
[[nodiscard]] std::string encode(const site_records& from);

/// Reads the records of a site that `encode` wrote. Accepts any octets, as `decode` does.
[[nodiscard]] decoded<site_records> decode_site(std::string_view text);

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/policy/codec.bodies.hpp>
#endif
