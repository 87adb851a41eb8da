#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/base/decimal.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace robots::adapters_detail {

/// Reads the lines of a file of an audit trail, one at a time.
class audit_lines {
 public:
  /// The most octets in a line; an `AuditTrail` writes no longer ones.
  static constexpr std::size_t longest = std::size_t{32} << 20U;

  /// Begins at `offset`. Throws `audit_error` unless `file` is a regular file that can be opened. A
  /// pipe cannot be read several times, as a trail is.
  explicit audit_lines(const std::string& file, std::uint64_t offset = 0)
      : name_{file}, next_offset_{offset} {
    std::error_code failure;
    const auto status = std::filesystem::status(file, failure);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      throw audit_error{file + " is not a regular file: copy the trail into one"};
    }
    stream_.open(file, std::ios::binary);
    stream_.seekg(static_cast<std::streamoff>(offset));
    if (!stream_) {
      throw audit_error{file + " cannot be read"};
    }
  }

  /// Returns the next line without its end, valid until the next call, or an empty optional after
  /// the last line. Throws `audit_error` if it cannot be read or is longer than `longest`.
  [[nodiscard]] std::optional<std::string_view> next() {
    line_.clear();
    is_whole_ = false;
    while (!is_whole_ && (!rest_.empty() || fill())) {
      const std::size_t end = rest_.find('\n');
      is_whole_ = end != std::string_view::npos;
      line_.append(rest_, 0, end);
      rest_.remove_prefix(is_whole_ ? end + 1 : rest_.size());
      if (line_.size() > longest) {
        throw audit_error{name_ + ", line " + std::to_string(number_ + 1) + ": it has more than " +
                          std::to_string(longest) + " octets, which no entry of a trail has"};
      }
    }
    if (!is_whole_ && line_.empty()) {
      return std::nullopt;
    }
    ++number_;
    offset_ = next_offset_;
    next_offset_ += line_.size() + 1;
    return line_;
  }

  /// Returns the number of the line, counted from the start of reading.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Returns the octets of the file before the line.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Returns true if the line ends with a line end.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

 private:
  /// Reads more. Returns false at the end of the file.
  [[nodiscard]] bool fill() {
    buffer_.resize(65'536);
    stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (stream_.bad()) {
      throw audit_error{name_ + " cannot be read to its end"};
    }
    rest_ = std::string_view{buffer_}.substr(0, static_cast<std::size_t>(stream_.gcount()));
    return !rest_.empty();
  }

  std::string name_;
  std::ifstream stream_;
  std::string buffer_;
  std::string_view rest_;  // of the buffer: the part that was not returned yet
  std::string line_;
  std::uint64_t number_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
  bool is_whole_ = false;
};

/// Returns the seconds since 1970 of a time such as `2026-01-01T12:00:00.000Z`, or an empty
/// optional for another text.
[[nodiscard]] inline std::optional<std::int64_t> audit_second(std::string_view date) {
  const auto number = [&](std::size_t start, std::size_t size) {
    return start + size <= date.size() ? base::parse_decimal(date.substr(start, size), 9'999)
                                       : std::nullopt;
  };
  const auto year = number(0, 4);
  const auto month = number(5, 2);
  const auto day = number(8, 2);
  const auto hour = number(11, 2);
  const auto minute = number(14, 2);
  const auto second = number(17, 2);
  if (!year || !month || !day || !hour || !minute || !second) {
    return std::nullopt;
  }
  const std::chrono::year_month_day whole{std::chrono::year{static_cast<int>(*year)},
                                          std::chrono::month{static_cast<unsigned>(*month)},
                                          std::chrono::day{static_cast<unsigned>(*day)}};
  if (!whole.ok()) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days{whole}.time_since_epoch().count();
  return days * 86'400 + static_cast<std::int64_t>(*hour * 3'600 + *minute * 60 + *second);
}

}  // namespace robots::adapters_detail
