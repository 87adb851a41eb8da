#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// The lines of a text, one after another, with their numbers.
///
/// RFC 9309, section 2.2: `EOL = *(%x0D / %x0A)`: CR, LF and CR LF end a line and nothing else
/// does.
class line_reader {
 public:
  constexpr explicit line_reader(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] constexpr bool done() const noexcept { return at_ >= text_.size(); }

  /// 1-based number of the line last read.
  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return number_; }

  /// The next line, without its end.
  [[nodiscard]] constexpr std::string_view next() noexcept {
    // The end of the LF line is kept, so that a text of CR lines is still read in linear time.
    if (line_feed_ < at_ || number_ == 0) {
      line_feed_ = std::min(text_.find('\n', at_), text_.size());
    }
    const std::string_view line = text_.substr(at_, line_feed_ - at_);
    const std::size_t length = std::min(line.find('\r'), line.size());
    const bool carriage_return = length < line.size();
    at_ += length + 1;
    if (carriage_return && at_ == line_feed_) {
      ++at_;
    }
    ++number_;
    return line.substr(0, length);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_feed_ = 0;
  std::uint32_t number_ = 0;
};

}  // namespace robots::detail
