#pragma once

#include <robots/policy/codec.hpp>

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <string_view>

// A store that compresses keeps other octets than the cache publishes:
//
//     publish: value --stored_value--> octets in Redis or SQLite --original_value--> value: load
//
//     +------+----------------------+-------------------------------+
//     | 0x83 | size of the value,   | the value as a zlib stream    |
//     |      | 4 octets, the lowest | (RFC 1950), up to the end. If |
//     |      | first                | the size is 0, as it is       |
//     +------+----------------------+-------------------------------+
//
// A value that does not become smaller is kept as it is. No record begins with 0x83, so a process
// that compresses reads the values of the others, and they read its values. The octets come from
// outside. So the size is checked before any memory is taken, and octets that `stored_value` cannot
// have made are returned as they are: then the cache reports a damaged record.

namespace robots::adapters_detail {

/// A shorter value is not compressed, since it would save little.
inline constexpr std::size_t least_compressed_size = 256;

/// The octets before the zlib stream.
inline constexpr std::size_t stored_head_size = 5;

/// Returns the octets before a zlib stream of `size` octets, or before a value as it is (0).
[[nodiscard]] inline std::string stored_head(std::size_t size) {
  std::string head{detail::compressed_records};
  for (std::size_t octet = 1; octet < stored_head_size; ++octet, size >>= 8U) {
    head += static_cast<char>(size & 0xFFU);
  }
  return head;
}

/// Returns true if a zlib stream of `coded` octets can decode to `size` octets. No stream decodes
/// to more than 1,032 times its size.
[[nodiscard]] constexpr bool may_decode_to(std::size_t size, std::size_t coded) noexcept {
  constexpr std::size_t best_ratio = 1'032;
  return size / best_ratio <= coded;
}

/// Returns `value` compressed, with its head. If that is not smaller, returns an empty string.
[[nodiscard]] inline std::string compressed_value(std::string_view value) {
  constexpr std::size_t largest = (std::numeric_limits<std::uint32_t>::max)();
  if (value.size() < least_compressed_size || value.size() > largest) {
    return {};
  }
  std::string text = stored_head(value.size());
  text.resize(value.size() - 1);
  auto room = static_cast<uLongf>(text.size() - stored_head_size);
  const int code = ::compress2(reinterpret_cast<Bytef*>(text.data() + stored_head_size), &room,
                               reinterpret_cast<const Bytef*>(value.data()),
                               static_cast<uLong>(value.size()), Z_DEFAULT_COMPRESSION);
  text.resize(code == Z_OK ? stored_head_size + room : 0);
  return text;
}

/// Returns the octets to store for `value`. They are shorter than `value` or, unless `value` begins
/// like a compressed one, the same.
[[nodiscard]] inline std::string stored_value(std::string_view value, bool compresses) {
  std::string stored = compresses ? compressed_value(value) : std::string{};
  if (!stored.empty()) {
    return stored;
  }
  if (value.starts_with(detail::compressed_records)) {
    return stored_head(0).append(value);
  }
  return std::string{value};
}

/// Returns the value for which `stored_value` has returned `stored`. Returns `stored` itself if
/// there is none, or if the value has more than `most` octets. Throws only `std::bad_alloc`.
[[nodiscard]] inline std::string original_value(std::string stored, std::size_t most) {
  if (!stored.starts_with(detail::compressed_records) || stored.size() < stored_head_size) {
    return stored;
  }
  const std::string_view coded = std::string_view{stored}.substr(stored_head_size);
  std::size_t size = 0;
  for (std::size_t octet = stored_head_size - 1; octet > 0; --octet) {
    size = size << 8U | static_cast<unsigned char>(stored[octet]);
  }
  if (size == 0) {
    return stored.substr(stored_head_size);
  }
  if (size > most || !may_decode_to(size, coded.size())) {
    return stored;
  }
  std::string value(size, '\0');
  auto decoded_size = static_cast<uLongf>(value.size());
  auto used_size = static_cast<uLong>(coded.size());
  const int code = ::uncompress2(reinterpret_cast<Bytef*>(value.data()), &decoded_size,
                                 reinterpret_cast<const Bytef*>(coded.data()), &used_size);
  if (code == Z_MEM_ERROR) {
    throw std::bad_alloc{};
  }
  return code == Z_OK && decoded_size == size && used_size == coded.size() ? value : stored;
}

}  // namespace robots::adapters_detail
