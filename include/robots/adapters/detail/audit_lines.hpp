#pragma once

#include <robots/adapters/audit_options.hpp>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// The lines of a file, one after another.
class audit_lines {
 public:
  /// Throws `audit_error` when it cannot be opened.
  explicit audit_lines(const std::string& file) : name_{file}, stream_{file, std::ios::binary} {
    if (!stream_ || stream_.peek() == std::ifstream::traits_type::eof()) {
      if (!stream_.eof()) {
        throw audit_error{file + " cannot be read"};
      }
    }
  }

  /// The next line, without its end, until the next call; nothing behind the last one. Throws
  /// `audit_error` when it cannot be read.
  [[nodiscard]] std::optional<std::string_view> next() {
    if (!std::getline(stream_, line_)) {
      if (stream_.bad()) {
        throw audit_error{name_ + " cannot be read to its end"};
      }
      return std::nullopt;
    }
    ++number_;
    offset_ = next_offset_;
    next_offset_ += line_.size() + 1;
    return line_;
  }

  /// Which line it is, from 1 on.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Where it begins in the file.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Whether it had an end.
  [[nodiscard]] bool is_whole() const noexcept { return !stream_.eof(); }

 private:
  std::string name_;
  std::ifstream stream_;
  std::string line_;
  std::uint64_t number_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
};

}  // namespace robots::adapters_detail
