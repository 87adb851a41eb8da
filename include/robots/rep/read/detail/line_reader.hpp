#pragma once

#include <robots/rep/read/detail/idle_line.hpp>
#include <robots/rep/read/detail/marked_line.hpp>
#include <robots/rep/read/detail/plain_line.hpp>
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
  [[nodiscard]] constexpr marked_line next() noexcept {
    const marked_line line = mark_first_line({at_, static_cast<std::size_t>(end_ - at_)});
    pass(at_ + line.text.size());
    return line;
  }

  /// The next line if it is plain and has `most` octets at most, else one of unknown kind, and
  /// `next` will read it. Not for constant expressions.
  [[nodiscard, gnu::always_inline]] plain_line next_plain(std::size_t most) noexcept {
    const plain_line line = read_plain_line(at_, end_, octet_window{begin_, end_}, most);
    if (line.kind != directive_kind::unknown) [[likely]] {
      pass(line.end);
    }
    return line;
  }

  /// The same with a line that is idle.
  [[nodiscard, gnu::always_inline]] idle_line next_idle(std::size_t most) noexcept {
    const idle_line line = read_idle_line(at_, end_, octet_window{begin_, end_}, most);
    if (line.kind != idle_kind::none) [[likely]] {
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
