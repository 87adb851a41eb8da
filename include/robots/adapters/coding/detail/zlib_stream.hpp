#pragma once

#include <robots/adapters/coding/detail/coded_stream.hpp>
#include <robots/http/content_coding.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <string_view>

namespace robots::adapters_detail {

/// The three formats that zlib decodes.
enum class zlib_format {
  gzip,  ///< RFC 1952, with a check value and a length
  zlib,  ///< RFC 1950, with a check value
  raw,   ///< RFC 1951 alone, which some servers send as `deflate`
};

/// Decodes gzip, zlib or raw deflate.
class zlib_stream final : public coded_stream {
 public:
  explicit zlib_stream(zlib_format format) : format_(format) {
    constexpr int gzip_only = 16;
    int bits = MAX_WBITS;
    if (format == zlib_format::gzip) {
      bits += gzip_only;
    } else if (format == zlib_format::raw) {
      bits = -bits;
    }
    if (inflateInit2(&stream_, bits) != Z_OK) {
      throw std::bad_alloc();
    }
  }

  ~zlib_stream() override { inflateEnd(&stream_); }

  [[nodiscard]] step decode(std::string_view coded, char* room, std::size_t size) override {
    const uInt given = fitting(coded.size());
    const uInt free = fitting(size);
    // zlib does not change its input, but its oldest interface has no const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(room);
    stream_.avail_out = free;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    stream_state state = stream_state::damaged;
    if (code == Z_STREAM_END) {
      state = stream_state::ended;
    } else if (code == Z_OK || code == Z_BUF_ERROR) {  // Z_BUF_ERROR only means no progress
      state = stream_state::open;
    }
    return {state, given - stream_.avail_in, free - stream_.avail_out};
  }

  void restart() override { inflateReset(&stream_); }

  [[nodiscard]] bool begins_another(std::string_view octets) const noexcept override {
    if (format_ == zlib_format::raw || octets.empty()) {
      return false;
    }
    if (format_ == zlib_format::gzip) {
      return octets.front() == '\x1F' && (octets.size() == 1 || octets[1] == '\x8B');
    }
    constexpr char printable_flags = '^';  // "x^" can be text
    return octets.front() == 'x' && octets.size() > 1 && octets[1] != printable_flags &&
           detail::begins_zlib(octets);
  }

  [[nodiscard]] std::size_t mark_size() const noexcept override { return 2; }

  [[nodiscard]] bool has_check() const noexcept override { return format_ != zlib_format::raw; }

 private:
  [[nodiscard]] static uInt fitting(std::size_t size) noexcept {
    return static_cast<uInt>((std::min<std::size_t>)(size, (std::numeric_limits<uInt>::max)()));
  }

  zlib_format format_;
  z_stream stream_{};
};

}  // namespace robots::adapters_detail
