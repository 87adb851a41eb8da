#include "brotli.hpp"

#ifdef ROBOTS_TEST_BROTLI
#include <brotli/encode.h>
#endif

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots::test {

#ifdef ROBOTS_TEST_BROTLI

bool has_brotli() noexcept { return true; }

std::string brotli(std::string_view text) {
  constexpr int quality = 5;
  std::size_t size = BrotliEncoderMaxCompressedSize(text.size());
  std::string result(size, '\0');
  if (BrotliEncoderCompress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, text.size(),
                            reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                            reinterpret_cast<std::uint8_t*>(result.data())) != BROTLI_TRUE) {
    throw std::runtime_error("brotli failed");
  }
  result.resize(size);
  return result;
}

#else

bool has_brotli() noexcept { return false; }

std::string brotli(std::string_view) {
  throw std::logic_error("built without brotli: call has_brotli first");
}

#endif

}  // namespace robots::test
