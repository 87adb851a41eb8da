// Compressed bodies for test servers.
#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots::test {

/// Compresses `times` copies of `piece` in the zlib format with this number of window bits. Uses
/// little more memory than the result.
[[nodiscard]] inline std::string deflated(int window_bits, std::string_view piece,
                                          std::size_t times = 1) {
  constexpr int memory_level = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot start");
  }
  std::string result;
  std::array<char, 16384> buffer{};
  const auto run = [&](int flush) {
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, flush);
      result.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  for (std::size_t i = 0; i < times; ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    run(Z_NO_FLUSH);
  }
  run(Z_FINISH);
  deflateEnd(&stream);
  return result;
}

/// Compresses a text into one member of gzip.
[[nodiscard]] inline std::string gzip(std::string_view piece, std::size_t times = 1) {
  return deflated(16 + MAX_WBITS, piece, times);
}

/// Compresses a text in the zlib format.
[[nodiscard]] inline std::string zlib_format(std::string_view piece, std::size_t times = 1) {
  return deflated(MAX_WBITS, piece, times);
}

/// Compresses a text as raw deflate.
[[nodiscard]] inline std::string raw_deflate(std::string_view piece, std::size_t times = 1) {
  return deflated(-MAX_WBITS, piece, times);
}

}  // namespace robots::test
