// Brotli for test servers, where the encoder is to be had.
#pragma once

#include <string>
#include <string_view>

namespace robots::test {

/// Returns true if `brotli()` can be called.
[[nodiscard]] bool has_brotli() noexcept;

/// `text` in brotli. Throws std::logic_error when there is no encoder.
[[nodiscard]] std::string brotli(std::string_view text);

}  // namespace robots::test
