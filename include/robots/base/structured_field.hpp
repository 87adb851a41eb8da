#pragma once

#include <robots/base/ascii.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::base {

/// The types of the values in a structured field (RFC 9651, section 3).
enum class field_type : std::uint8_t {
  boolean,
  token,
  string,
  integer,
  decimal,
  bytes,
  date,
  display_string,
  inner_list,
};

/// One value of a structured field, as written. `text` of a Boolean is `1` or `0`. `text` of a
/// String is the part between the quotes, with its escapes. Other types have their whole text.
struct field_value {
  field_type type = field_type::boolean;
  std::string_view text{"1"};
};

/// Which letters a key of a Dictionary or of a parameter may have. RFC 9651 allows only lower case.
enum class field_keys : std::uint8_t { lower_case, any_case };

/// Returns the length of the key at the start of `text`, or 0 if there is none. RFC 9651, section
/// 3.1.2, defines `key = ( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )`.
[[nodiscard]] constexpr std::size_t field_key_length(
    std::string_view text, field_keys keys = field_keys::lower_case) noexcept {
  const auto is_letter = [keys](char c) {
    return (c >= 'a' && c <= 'z') || (keys == field_keys::any_case && is_alpha(c));
  };
  std::size_t size = 0;
  while (size < text.size()) {
    const char c = text[size];
    const bool is_later = is_digit(c) || c == '_' || c == '-' || c == '.';
    if (!is_letter(c) && c != '*' && (size == 0 || !is_later)) {
      break;
    }
    ++size;
  }
  return size;
}

/// A reader of structured fields (RFC 9651, section 4.2). A handler gets the members in order:
///
///     handler.on_member(key, value)       one member; the key is empty in a List
///     handler.on_parameter(key, value)    one parameter of the member before
///
/// The items of an Inner List and their parameters are checked, but not reported. A field fails as
/// a whole: if `read_list` or `read_dictionary` returns false, ignore what the handler got. Does
/// not check that a Display String is UTF-8. Takes linear time, stores nothing.
template <class Handler>
class structured_field_reader {
 public:
  constexpr structured_field_reader(std::string_view text, Handler& handler,
                                    field_keys keys = field_keys::lower_case) noexcept
      : rest_(text), handler_(handler), keys_(keys) {}

  /// Reads `sf-list = list-member *( OWS "," OWS list-member )`, or an empty text.
  constexpr bool read_list() {
    return read_members([this] { return read_member({}); });
  }

  /// Reads `sf-dictionary = dict-member *( OWS "," OWS dict-member )`, or an empty text. A member
  /// without a value is the Boolean true.
  constexpr bool read_dictionary() {
    return read_members([this] {
      const std::string_view key = read_key();
      if (key.empty()) {
        return false;
      }
      if (take('=')) {
        return read_member(key);
      }
      handler_.on_member(key, field_value{});
      return read_parameters(true);
    });
  }

 private:
  static constexpr std::string_view digits = "0123456789";
  static constexpr std::string_view token_chars =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~:/";
  static constexpr std::string_view base64_chars =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

  template <class ReadMember>
  constexpr bool read_members(ReadMember read_one) {
    take_all(" ");
    if (rest_.empty()) {
      return true;
    }
    for (;;) {
      if (!read_one()) {
        return false;
      }
      take_all(" \t");
      if (rest_.empty()) {
        return true;
      }
      if (!take(',')) {
        return false;
      }
      take_all(" \t");
    }
  }

  [[nodiscard]] constexpr char front() const noexcept { return rest_.empty() ? '\0' : rest_[0]; }

  constexpr bool take(char c) noexcept {
    if (rest_.empty() || rest_[0] != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  constexpr std::string_view take_all(std::string_view accepted) noexcept {
    const std::string_view taken = rest_.substr(0, rest_.find_first_not_of(accepted));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  /// Reads a key. Returns an empty text if there is none.
  constexpr std::string_view read_key() noexcept {
    const std::string_view key = rest_.substr(0, field_key_length(rest_, keys_));
    rest_.remove_prefix(key.size());
    return key;
  }

  constexpr bool read_member(std::string_view key) {
    field_value value;
    if (front() == '(') {
      const std::string_view begin = rest_;
      if (!read_inner_list()) {
        return false;
      }
      value = {field_type::inner_list, begin.substr(0, begin.size() - rest_.size())};
    } else if (!read_bare_item(value)) {
      return false;
    }
    handler_.on_member(key, value);
    return read_parameters(true);
  }

  constexpr bool read_inner_list() {
    take('(');
    for (;;) {
      take_all(" ");
      if (take(')')) {
        return true;
      }
      field_value item;
      if (!read_bare_item(item) || !read_parameters(false)) {
        return false;
      }
      if (front() != ' ' && front() != ')') {
        return false;
      }
    }
  }

  constexpr bool read_parameters(bool are_reported) {
    while (take(';')) {
      take_all(" ");
      const std::string_view key = read_key();
      field_value value;
      if (key.empty() || (take('=') && !read_bare_item(value))) {
        return false;
      }
      if (are_reported) {
        handler_.on_parameter(key, value);
      }
    }
    return true;
  }

  constexpr bool read_bare_item(field_value& value) noexcept {
    const std::string_view begin = rest_;
    if (!read_typed_item(value.type)) {
      return false;
    }
    value.text = begin.substr(0, begin.size() - rest_.size());
    if (value.type == field_type::boolean) {
      value.text.remove_prefix(1);
    } else if (value.type == field_type::string) {
      value.text = value.text.substr(1, value.text.size() - 2);
    }
    return true;
  }

  constexpr bool read_typed_item(field_type& type) noexcept {
    if (is_alpha(front()) || front() == '*') {
      type = field_type::token;
      take_all(token_chars);
      return true;
    }
    if (is_digit(front()) || front() == '-') {
      return read_number(type);
    }
    if (take('"')) {
      type = field_type::string;
      return read_string();
    }
    if (take(':')) {
      type = field_type::bytes;
      take_all(base64_chars);
      return take(':');
    }
    if (take('?')) {
      type = field_type::boolean;
      return take('0') || take('1');
    }
    if (take('@')) {
      const bool is_number = read_number(type);
      const bool is_date = is_number && type == field_type::integer;
      type = field_type::date;
      return is_date;
    }
    type = field_type::display_string;
    return take('%') && take('"') && read_display_string();
  }

  /// An Integer has at most 15 digits. A Decimal has at most 12 digits before the point, and 1 to 3
  /// digits after it.
  constexpr bool read_number(field_type& type) noexcept {
    take('-');
    const std::size_t whole = take_all(digits).size();
    type = field_type::integer;
    if (whole == 0 || front() != '.') {
      return whole > 0 && whole <= 15;
    }
    take('.');
    const std::size_t fraction = take_all(digits).size();
    type = field_type::decimal;
    return whole <= 12 && fraction > 0 && fraction <= 3;
  }

  /// Reads the rest of a String, after the opening quote. The only escapes are `\"` and `\\`.
  constexpr bool read_string() noexcept {
    while (front() >= ' ' && front() <= '~') {
      if (take('"')) {
        return true;
      }
      if (take('\\') && front() != '"' && front() != '\\') {
        return false;
      }
      rest_.remove_prefix(1);
    }
    return false;
  }

  /// Reads the rest of a Display String, after the opening quote. An escape is `%` with two
  /// lower-case hexadecimal digits.
  constexpr bool read_display_string() noexcept {
    const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
    while (front() >= ' ' && front() <= '~') {
      if (take('"')) {
        return true;
      }
      if (take('%')) {
        if (rest_.size() < 2 || !is_hex(rest_[0]) || !is_hex(rest_[1])) {
          return false;
        }
        rest_.remove_prefix(1);
      }
      rest_.remove_prefix(1);
    }
    return false;
  }

  std::string_view rest_;
  Handler& handler_;
  field_keys keys_;
};

/// Reads a List. See `structured_field_reader`.
template <class Handler>
constexpr bool read_list_field(std::string_view text, Handler& handler,
                               field_keys keys = field_keys::lower_case) {
  return structured_field_reader<Handler>{text, handler, keys}.read_list();
}

/// Reads a Dictionary. See `structured_field_reader`.
template <class Handler>
constexpr bool read_dictionary_field(std::string_view text, Handler& handler) {
  return structured_field_reader<Handler>{text, handler, field_keys::lower_case}.read_dictionary();
}

}  // namespace robots::base
