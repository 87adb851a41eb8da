// Content in gzip and deflate, decoded piece by piece as it arrives.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// The formats in which content is packed (RFC 9110, section 8.4.1).
enum class packing {
  gzip,     ///< members of gzip, one behind another (RFC 1952, section 2.2)
  deflate,  ///< the zlib format (RFC 1950), or raw deflate (RFC 1951), as some servers have it
};

enum class inflated {
  good,    ///< all of it was decoded, as far as it can be by itself
  full,    ///< there is more text than was wanted
  broken,  ///< it is not in its format
};

/// Decodes one content. Its memory does not depend on what it is fed (zlib's window is 32 KiB), its
/// time is linear in what goes in and comes out. Stays in its place, as zlib wants it.
class inflater {
 public:
  /// `first` is the first octet of the content. Raw deflate would begin like the zlib format (RFC
  /// 1950, section 2.2: the method, 8) only with bits set in the padding of a stored block.
  ///
  /// Throws std::bad_alloc, and std::runtime_error when the zlib is not one we were built for.
  inflater(packing format, char first) : format_(format) {
    constexpr unsigned method_bits = 0x0F;
    constexpr unsigned zlib_method = 8;
    const bool zlib = (static_cast<unsigned char>(first) & method_bits) == zlib_method;
    constexpr int gzip_window = 16 + MAX_WBITS;
    const int window = format == packing::gzip ? gzip_window : zlib ? MAX_WBITS : -MAX_WBITS;
    const int code = inflateInit2(&stream_, window);
    if (code == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    if (code != Z_OK) {
      throw std::runtime_error("zlib cannot start");
    }
  }

  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;
  ~inflater() { inflateEnd(&stream_); }

  /// Decodes the next octets of the content to the end of `text`, which it lets grow to `most`
  /// octets. Once the answer was not `good`, there is nothing more to feed. Throws std::bad_alloc.
  [[nodiscard]] inflated feed(std::string_view octets, std::string& text, std::size_t most) {
    constexpr std::size_t most_at_once = std::size_t{1} << 30U;  // zlib counts in unsigned
    inflated result = inflated::good;
    while (!octets.empty() && result == inflated::good) {
      const std::string_view piece = octets.substr(0, most_at_once);
      octets.remove_prefix(piece.size());
      // zlib does not write to what it reads, whatever its types say.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(piece.size());
      result = decode(text, most);
    }
    return result;
  }

  /// Whether the content came to its end, and its length and checksum were right.
  [[nodiscard]] bool whole() const noexcept { return ended_; }

 private:
  [[nodiscard]] inflated decode(std::string& text, std::size_t most) {
    std::array<char, std::size_t{16} * 1024> buffer;  // NOLINT(*-member-init): zlib writes first
    while (!ended_ || begins_again()) {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      const int code = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = buffer.size() - stream_.avail_out;
      const std::size_t room = most - std::min(most, text.size());
      text.append(buffer.data(), std::min(made, room));
      if (made > room) {
        return inflated::full;
      }
      switch (code) {
        case Z_STREAM_END:
          ended_ = true;
          break;
        case Z_OK:
          break;
        case Z_BUF_ERROR:  // no more can be decoded of what there is
          return inflated::good;
        case Z_MEM_ERROR:
          throw std::bad_alloc();
        default:
          return inflated::broken;
      }
    }
    return stream_.avail_in == 0 ? inflated::good : inflated::broken;
  }

  /// Begins the next member of gzip, if there is one. Zeros behind the end are padding, and after
  /// them nothing begins.
  [[nodiscard]] bool begins_again() noexcept {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
      padded_ = true;
    }
    if (stream_.avail_in == 0 || padded_ || format_ != packing::gzip) {
      return false;
    }
    ended_ = inflateReset(&stream_) != Z_OK;
    return !ended_;
  }

  packing format_;
  z_stream stream_{};
  bool ended_ = false;
  bool padded_ = false;
};

}  // namespace robots::adapters_detail
