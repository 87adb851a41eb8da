#pragma once

#ifdef ROBOTS_WITH_BROTLI

#include <robots/adapters/coding/detail/coded_stream.hpp>

#include <brotli/decode.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

namespace robots::adapters_detail {

/// Decodes brotli (RFC 7932), which has a last block but no check value.
class brotli_stream final : public coded_stream {
 public:
  brotli_stream() { restart(); }

  [[nodiscard]] step decode(std::string_view coded, char* room, std::size_t size) override {
    std::size_t left = coded.size();
    const auto* next = reinterpret_cast<const std::uint8_t*>(coded.data());
    std::size_t free = size;
    auto* out = reinterpret_cast<std::uint8_t*>(room);
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state_.get(), &left, &next, &free, &out, nullptr);
    stream_state state = stream_state::open;
    if (result == BROTLI_DECODER_RESULT_ERROR) {
      state = stream_state::damaged;
    } else if (result == BROTLI_DECODER_RESULT_SUCCESS) {
      state = stream_state::ended;
    }
    return {state, coded.size() - left, size - free};
  }

  void restart() override {
    state_.reset(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
    if (!state_) {
      throw std::bad_alloc();
    }
  }

  [[nodiscard]] bool begins_another(std::string_view /*octets*/) const noexcept override {
    return false;
  }
  [[nodiscard]] std::size_t mark_size() const noexcept override { return 1; }
  [[nodiscard]] bool has_check() const noexcept override { return false; }

 private:
  struct destroy {
    void operator()(BrotliDecoderState* state) const noexcept {
      BrotliDecoderDestroyInstance(state);
    }
  };
  std::unique_ptr<BrotliDecoderState, destroy> state_;
};

}  // namespace robots::adapters_detail

#endif
