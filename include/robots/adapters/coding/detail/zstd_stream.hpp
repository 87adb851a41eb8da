#pragma once

#ifdef ROBOTS_WITH_ZSTD

#include <robots/adapters/coding/detail/coded_stream.hpp>

#include <zstd.h>

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>

namespace robots::adapters_detail {

/// Decodes zstd (RFC 8878). Several frames are one body.
class zstd_stream final : public coded_stream {
 public:
  zstd_stream() : context_(ZSTD_createDCtx()) {
    if (!context_) {
      throw std::bad_alloc();
    }
    constexpr int largest_window = 23;  // 8 MB (RFC 9659, section 3)
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, largest_window);
  }

  [[nodiscard]] step decode(std::string_view coded, char* room, std::size_t size) override {
    ZSTD_inBuffer in{coded.data(), coded.size(), 0};
    ZSTD_outBuffer out{room, size, 0};
    const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
    stream_state state = stream_state::open;
    if (ZSTD_isError(result) != 0) {
      state = stream_state::damaged;
    } else if (result == 0) {
      state = stream_state::ended;
    }
    return {state, in.pos, out.pos};
  }

  void restart() override { ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only); }

  [[nodiscard]] bool begins_another(std::string_view octets) const noexcept override {
    constexpr std::string_view frame = "\x28\xB5\x2F\xFD";
    constexpr std::string_view skippable = "\x2A\x4D\x18";  // after an octet from 0x50 to 0x5F
    const auto begins = [](std::string_view part, std::string_view whole) {
      return part == whole.substr(0, part.size());
    };
    if (octets.empty()) {
      return false;
    }
    octets = octets.substr(0, frame.size());
    // One octet alone is `(` or a letter, which may be text.
    return octets.size() > 1 && (begins(octets, frame) ||
                                 ((static_cast<unsigned char>(octets.front()) & 0xF0U) == 0x50 &&
                                  begins(octets.substr(1), skippable)));
  }
  [[nodiscard]] std::size_t mark_size() const noexcept override { return 4; }
  [[nodiscard]] bool has_check() const noexcept override { return false; }  // it is optional

 private:
  struct destroy {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, destroy> context_;
};

}  // namespace robots::adapters_detail

#endif
