#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/utf8.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace robots::base {

/// Appends a text as a JSON string (RFC 8259, section 7), in printable ASCII. Control characters
/// and characters outside ASCII become `\uNNNN`. An octet that is not UTF-8 becomes the text
/// `\xNN`, and a backslash becomes the text `\x5C`, as in `printable`, so that each octet of the
/// text can be recovered. An octet becomes at most six octets.
inline void append_json(std::string& line, std::string_view text) {
  const auto append_unit = [&line](unsigned unit) {
    const auto [a, b] = hex_digits(static_cast<unsigned char>(unit >> 8U));
    const auto [c, d] = hex_digits(static_cast<unsigned char>(unit & 0xFFU));
    line.append({'\\', 'u', a, b, c, d});
  };
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  line += '"';
  while (!text.empty()) {
    // Nearly all texts consist of plain octets, which are appended together.
    const auto plain_end = std::find_if_not(text.begin(), text.end(), is_plain);
    line.append(text.begin(), plain_end);
    text.remove_prefix(static_cast<std::size_t>(plain_end - text.begin()));
    if (text.empty()) {
      break;
    }
    const char first = text.front();
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0 || first == '\\') {
      const auto [high, low] = hex_digits(static_cast<unsigned char>(first));
      line.append({'\\', '\\', 'x', high, low});
    } else if (first == '"') {
      line.append("\\\"");
    } else {
      const char32_t character = utf8_character(text.substr(0, length));
      if (character < 0x10000) {
        append_unit(character);
      } else {
        append_unit(0xD7C0 + (character >> 10U));  // RFC 2781, section 2.1
        append_unit(0xDC00 + (character & 0x3FFU));
      }
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  line += '"';
}

class json_writer {
 public:
  json_writer() = default;
  explicit json_writer(std::size_t longest) : longest_{longest} {}

  json_writer& text(std::string_view name, std::string_view value) {
    append_json(member(name), value);
    return *this;
  }

  /// Adds a text from the web. If it is cut, the member `NAME_bytes` has the full length.
  json_writer& long_text(std::string_view name, std::string_view value) {
    text(name, value.substr(0, longest_));
    return value.size() > longest_ ? number(std::string{name} + "_bytes", value.size()) : *this;
  }

  template <std::integral Number>
  json_writer& number(std::string_view name, Number value) {
    return add(name, std::to_string(value));
  }

  json_writer& flag(std::string_view name, bool value) {
    return add(name, value ? "true" : "false");
  }

  json_writer& seconds(std::string_view name, std::chrono::nanoseconds value) {
    append_seconds(member(name), value);
    return *this;
  }

  json_writer& null(std::string_view name) { return add(name, "null"); }

  /// Begins an array. Add a text by `item`. Add an object by `open`, its members and `close`.
  json_writer& open_list(std::string_view name) { return add(name, "["); }
  json_writer& close_list() { return end(']'); }
  json_writer& item(std::string_view value) {
    separate();
    append_json(line_, value);
    return *this;
  }
  json_writer& open() {
    separate();
    line_ += '{';
    return *this;
  }
  /// Begins an object that is the value of a member.
  json_writer& open(std::string_view name) { return add(name, "{"); }
  json_writer& close() { return end('}'); }

  [[nodiscard]] std::size_t size() const noexcept { return line_.size(); }
  [[nodiscard]] std::string finish() && { return std::move(close().line_); }

 private:
  json_writer& add(std::string_view name, std::string_view json) {
    member(name) += json;
    return *this;
  }

  /// Adds the name of a member. Returns the line, to which the caller adds the value.
  [[nodiscard]] std::string& member(std::string_view name) {
    separate();
    append_json(line_, name);
    return line_ += ':';
  }

  json_writer& end(char bracket) {
    line_ += bracket;
    return *this;
  }

  void separate() {
    if (line_.back() != '{' && line_.back() != '[') {
      line_ += ',';
    }
  }

  std::size_t longest_ = std::string::npos;
  std::string line_ = "{";
};

}  // namespace robots::base
