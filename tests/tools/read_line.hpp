// Reads the lines of an input that may be hostile.
#pragma once

#include <cstddef>
#include <ios>
#include <istream>
#include <limits>
#include <optional>
#include <string>

namespace robots::check {

/// A line without its end.
struct input_line {
  std::string text;          ///< empty if the line is too long
  bool is_too_long = false;  ///< `text` is empty then
};

/// Reads lines of at most `longest` octets, and skips longer ones. A line ends with LF, with CR LF
/// or at the end of the input.
class line_reader {
 public:
  line_reader(std::istream& input, std::size_t longest)
      : input_{input}, longest_{longest}, buffer_(longest + 2, '\0') {}

  /// Returns the next line, or an empty optional at the end of the input or after an error.
  [[nodiscard]] std::optional<input_line> next() {
    input_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    const auto count = static_cast<std::size_t>(input_.gcount());
    if (count == 0 || input_.bad()) {
      return std::nullopt;
    }
    if (input_.fail()) {
      input_.clear();
      input_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      return input_line{.text = {}, .is_too_long = true};
    }
    std::size_t size = count - (input_.eof() ? 0 : 1);
    size -= size > 0 && buffer_[size - 1] == '\r' ? 1 : 0;
    if (size > longest_) {
      return input_line{.text = {}, .is_too_long = true};
    }
    return input_line{.text = buffer_.substr(0, size)};
  }

 private:
  std::istream& input_;
  std::size_t longest_;
  std::string buffer_;  // has room for a CR, and for the NUL that getline appends
};

}  // namespace robots::check
