// Brotli for test servers, if the encoder is installed.
#pragma once

#include <string>
#include <string_view>

namespace robots::test {

/// Returns true if `brotli()` can be called.
[[nodiscard]] bool has_brotli() noexcept;

/// Compresses `text` with brotli. Throws std::logic_error if there is no encoder.
[[nodiscard]] std::string brotli(std::string_view text);

}  // namespace robots::test
