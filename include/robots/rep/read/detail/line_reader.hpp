#pragma once

#include <robots/rep/read/detail/common_line.hpp>
#include <robots/rep/read/detail/raw_line.hpp>
#include <robots/rep/read/detail/skippable_line.hpp>
#include <robots/rep/text/detail/octet_window.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// The lines of a text, one after another, with their numbers.
///
/// RFC 9309, section 2.2: `EOL = *(%x0D / %x0A)`: CR, LF and CR LF end a line and nothing else
/// does.
class line_reader {
 public:
  constexpr explicit line_reader(std::string_view text) noexcept
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  [[nodiscard]] constexpr bool done() const noexcept { return at_ == end_; }

  /// Where the next line begins.
  [[nodiscard]] constexpr const char* position() const noexcept { return at_; }

  /// 1-based number of the line last read.
  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return number_; }

  /// The next line, without its end.
  [[nodiscard]] constexpr raw_line next() noexcept {
    const raw_line line = first_raw_line({at_, static_cast<std::size_t>(end_ - at_)});
    pass(at_ + line.text.size());
    return line;
  }

  /// The next line if it is a common one and has `most` octets at most, else one of unknown kind,
  /// and `next` will read it. Not for constant expressions.
  [[nodiscard, gnu::always_inline]] common_line next_common(std::size_t most) noexcept {
    const common_line line = read_common_line(at_, end_, octet_window{begin_, end_}, most);
    if (line.kind != directive_kind::unknown) [[likely]] {
      pass(line.end);
    }
    return line;
  }

  /// The same with a line that can be skipped.
  [[nodiscard, gnu::always_inline]] skippable_line next_skippable(std::size_t most) noexcept {
    const skippable_line line = read_skippable_line(at_, end_, octet_window{begin_, end_}, most);
    if (line.kind != skippable_kind::none) [[likely]] {
      pass(line.end);
    }
    return line;
  }

 private:
  /// Goes behind the end of a line.
  constexpr void pass(const char* stop) noexcept {
    ++number_;
    at_ = stop;
    if (at_ == end_) {
      return;
    }
    const bool carriage_return = *at_ == '\r';
    ++at_;
    if (carriage_return && at_ != end_ && *at_ == '\n') {
      ++at_;
    }
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::uint32_t number_ = 0;
};

}  // namespace robots::rep_detail
