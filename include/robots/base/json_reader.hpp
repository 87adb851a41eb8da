#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::base {

enum class json_type : std::uint8_t { null, boolean, number, string, array, object };

/// A value of a JSON text (RFC 8259). A value owns everything in it.
struct json_value {
  json_type type = json_type::null;
  /// The characters of a string, decoded. The digits of a number, as written. `true` or `false`.
  std::string text{};
  std::vector<json_value> items{};   ///< the elements of an array, or the values of an object
  std::vector<std::string> names{};  ///< the names of an object's members, in file order

  /// Returns the last member `name` of an object, or null. If a name is repeated, most JSON readers
  /// use its last value.
  [[nodiscard]] const json_value* find(std::string_view name) const noexcept {
    const json_value* last = nullptr;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) {
        last = &items[i];
      }
    }
    return last;
  }

  bool operator==(const json_value&) const = default;
};

/// What `read_json` refuses beyond texts that are no JSON.
struct json_limits {
  std::size_t most_nested = 32;  ///< the deepest nesting of arrays and objects
  /// The number of values, each element and member included. A value takes 88 octets of memory.
  std::size_t most_values = static_cast<std::size_t>(-1);
  bool permits_blanks = true;  ///< false to refuse blanks and line ends outside of strings
};

/// Reads a JSON text: see `read_json`.
class json_reader {
 public:
  json_reader(std::string_view text, const json_limits& limits) noexcept
      : rest_(text),
        levels_left_(limits.most_nested),
        values_left_(limits.most_values),
        permits_blanks_(limits.permits_blanks) {}

  [[nodiscard]] std::optional<json_value> read_text() {
    json_value value;
    if (!read_value(value)) {
      return std::nullopt;
    }
    skip_blanks();
    return rest_.empty() ? std::optional{std::move(value)} : std::nullopt;
  }

 private:
  [[nodiscard]] char front() const noexcept { return rest_.empty() ? '\0' : rest_.front(); }

  bool take(char wanted) noexcept {
    if (!rest_.starts_with(wanted)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  bool take(std::string_view wanted) noexcept {
    if (!rest_.starts_with(wanted)) {
      return false;
    }
    rest_.remove_prefix(wanted.size());
    return true;
  }

  /// `ws = *( %x20 / %x09 / %x0A / %x0D )` (RFC 8259, section 2).
  void skip_blanks() noexcept {
    const std::size_t end = permits_blanks_ ? rest_.find_first_not_of(" \t\n\r") : 0;
    rest_.remove_prefix((std::min)(end, rest_.size()));
  }

  bool read_value(json_value& value) {
    if (values_left_ == 0) {
      return false;
    }
    --values_left_;
    skip_blanks();
    switch (front()) {
      case '{':
        value.type = json_type::object;
        return read_nested(value, '}');
      case '[':
        value.type = json_type::array;
        return read_nested(value, ']');
      case '"':
        value.type = json_type::string;
        return read_string(value.text);
      case 't':
      case 'f':
        value.type = json_type::boolean;
        value.text = front() == 't' ? "true" : "false";
        return take(value.text);
      case 'n':
        return take("null");
      default:
        value.type = json_type::number;
        return read_number(value.text);
    }
  }

  /// Reads an array or an object, from its opening bracket to `end`.
  bool read_nested(json_value& value, char end) {
    if (levels_left_ == 0) {
      return false;
    }
    --levels_left_;
    rest_.remove_prefix(1);
    skip_blanks();
    if (!take(end)) {
      do {
        if (end == '}' && !read_name(value)) {
          return false;
        }
        if (!read_value(value.items.emplace_back())) {
          return false;
        }
        skip_blanks();
      } while (take(','));
      if (!take(end)) {
        return false;
      }
    }
    ++levels_left_;
    return true;
  }

  bool read_name(json_value& object) {
    skip_blanks();
    if (front() != '"' || !read_string(object.names.emplace_back())) {
      return false;
    }
    skip_blanks();
    return take(':');
  }

  std::size_t take_digits(std::string& text) {
    std::size_t count = 0;
    for (; is_digit(front()); ++count) {
      text += front();
      rest_.remove_prefix(1);
    }
    return count;
  }

  /// `number = [ "-" ] int [ frac ] [ exp ]` (RFC 8259, section 6).
  bool read_number(std::string& text) {
    if (take('-')) {
      text += '-';
    }
    const bool begins_with_zero = front() == '0';
    const std::size_t whole = take_digits(text);
    if (whole == 0 || (begins_with_zero && whole > 1)) {
      return false;
    }
    if (take('.')) {
      text += '.';
      if (take_digits(text) == 0) {
        return false;
      }
    }
    if (front() == 'e' || front() == 'E') {
      text += front();
      rest_.remove_prefix(1);
      if (front() == '+' || front() == '-') {
        text += front();
        rest_.remove_prefix(1);
      }
      return take_digits(text) > 0;
    }
    return true;
  }

  /// Reads a string from its opening quote to its closing quote (RFC 8259, section 7).
  bool read_string(std::string& text) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      // Nearly all texts consist of plain octets, which are appended together.
      const auto plain_end = std::find_if_not(rest_.begin(), rest_.end(), is_plain);
      text.append(rest_.begin(), plain_end);
      rest_.remove_prefix(static_cast<std::size_t>(plain_end - rest_.begin()));
      if (take('"')) {
        return true;
      }
      if (take('\\')) {
        if (!read_escape(text)) {
          return false;
        }
        continue;
      }
      const std::size_t length = utf8_sequence_length(rest_);
      if (length == 0 || static_cast<unsigned char>(front()) < 0x20) {
        return false;
      }
      text += rest_.substr(0, length);
      rest_.remove_prefix(length);
    }
    return false;
  }

  bool read_escape(std::string& text) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (take('u')) {
      return read_unicode_escape(text);
    }
    const std::size_t letter = rest_.empty() ? std::string_view::npos : letters.find(front());
    if (letter == std::string_view::npos) {
      return false;
    }
    text += meanings[letter];
    rest_.remove_prefix(1);
    return true;
  }

  /// Reads the rest of an escape, after its `u`. A character above U+FFFF is written as two
  /// escapes, a high and a low surrogate.
  bool read_unicode_escape(std::string& text) {
    std::optional<char32_t> character = read_code_unit();
    if (!character) {
      return false;
    }
    if (*character >= 0xDC00 && *character <= 0xDFFF) {
      return false;
    }
    if (*character >= 0xD800 && *character <= 0xDBFF) {
      const std::optional<char32_t> low = take("\\u") ? read_code_unit() : std::nullopt;
      if (!low || *low < 0xDC00 || *low > 0xDFFF) {
        return false;
      }
      character = 0x10000 + ((*character - 0xD800) << 10U) + (*low - 0xDC00);
    }
    append_utf8(text, *character);
    return true;
  }

  std::optional<char32_t> read_code_unit() {
    if (rest_.size() < 4) {
      return std::nullopt;
    }
    char32_t unit = 0;
    for (const char c : rest_.substr(0, 4)) {
      const int digit = hex_value(c);
      if (digit < 0) {
        return std::nullopt;
      }
      unit = unit * 16 + static_cast<char32_t>(digit);
    }
    rest_.remove_prefix(4);
    return unit;
  }

  std::string_view rest_;
  std::size_t levels_left_;
  std::size_t values_left_;
  bool permits_blanks_;
};

/// Reads a whole JSON text, as RFC 8259 defines it, without extensions. Returns an empty optional
/// if the text is no JSON, is not UTF-8, or exceeds a limit. Takes linear time. The caller bounds
/// the size of the text or the number of its values: the result takes up to some 100 times as much
/// memory as the text.
[[nodiscard]] inline std::optional<json_value> read_json(std::string_view text,
                                                         const json_limits& limits = {}) {
  return json_reader{text, limits}.read_text();
}

}  // namespace robots::base
