// Whether a header section says clearly how long its body is.
#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::adapters_detail {

/// The Content-Length fields of one header section. Whoever sends different lengths, or what is no
/// length, may have sent part of a body for the whole (RFC 9112, section 6.3): libcurl takes the
/// last of them, and goes without where the number is too large for it.
class content_length {
 public:
  /// Takes the value of one field. False when it is no number, or not the one that came before.
  [[nodiscard]] constexpr bool take(std::string_view value) noexcept {
    while (true) {
      const std::size_t comma = value.find(',');
      const auto one = number(base::trim(value.substr(0, comma), is_space));
      if (!one || (said_ && *said_ != *one)) {
        return false;
      }
      said_ = one;
      if (comma == std::string_view::npos) {
        return true;
      }
      value.remove_prefix(comma + 1);
    }
  }

 private:
  [[nodiscard]] static constexpr bool is_space(char c) noexcept {
    return base::is_blank(c) || c == '\r' || c == '\n';
  }

  [[nodiscard]] static constexpr std::optional<std::uint64_t> number(std::string_view digits) {
    constexpr std::size_t most_digits = 18;  // fewer than overflow the 63 bits of libcurl
    return digits.size() > most_digits ? std::nullopt : base::parse_decimal(digits);
  }

  std::optional<std::uint64_t> said_;
};

}  // namespace robots::adapters_detail
