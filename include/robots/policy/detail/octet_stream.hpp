#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace robots::policy_detail {

/// Writes the parts of an encoded record.
class octet_writer {
 public:
  /// Reserves room for `expected` octets.
  explicit octet_writer(std::size_t expected = 0) { text_.reserve(expected); }

  /// Writes a number with seven bits in each octet, the lowest bits first. The top bit is set in
  /// all octets except the last.
  void number(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) {
      text_ += static_cast<char>(0x80U | (value & 0x7FU));
    }
    text_ += static_cast<char>(value);
  }

  /// Writes the length of a text, then the text.
  void text(std::string_view value) {
    number(value.size());
    text_ += value;
  }

  void octets(std::string_view value) { text_ += value; }

  [[nodiscard]] const std::string& written() const noexcept { return text_; }
  [[nodiscard]] std::string take() && noexcept { return std::move(text_); }

 private:
  std::string text_;
};

/// Reads the output of an `octet_writer`. If a part is missing, too large or spelled differently,
/// this part and all later parts read as 0 or empty, and `failed()` is true.
class octet_reader {
 public:
  explicit octet_reader(std::string_view text) noexcept : rest_{text} {}

  /// Reads a number of at most `most`.
  [[nodiscard]] std::uint64_t number(std::uint64_t most) noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto octet = static_cast<unsigned char>(rest_.front());
      const std::uint64_t bits = octet & 0x7FU;
      if (bits << shift >> shift != bits) {
        break;
      }
      rest_.remove_prefix(1);
      value |= bits << shift;
      if (octet < 0x80U) {
        const bool is_shortest = octet != 0 || shift == 0;
        return value <= most && is_shortest ? value : fail();
      }
    }
    return fail();
  }

  /// Reads a text of at most `most` octets.
  [[nodiscard]] std::string_view text(std::uint64_t most) noexcept { return octets(number(most)); }

  [[nodiscard]] std::string_view octets(std::uint64_t length) noexcept {
    if (length > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view value = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(value.size());
    return value;
  }

  /// Fails unless `holds` is true.
  void expect(bool holds) noexcept {
    if (!holds) {
      fail();
    }
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  std::uint64_t fail() noexcept {
    failed_ = true;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace robots::policy_detail
