#pragma once

#include <robots/base/ascii.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

/// Reads a Dictionary of Structured Fields (RFC 9651, section 4.2.2) without storing it.
///
/// Checks the whole grammar, but not that a Display String is UTF-8. Distinguishes only Tokens from
/// other values, since usage preferences need only Tokens.
class dictionary_reader {
 public:
  constexpr explicit dictionary_reader(std::string_view text) noexcept : rest_(text) {}

  /// Returns the last value of the key `wanted` if that value is a Token. For another value or no
  /// value, returns an empty text. Returns an empty optional if the text is not a Dictionary.
  [[nodiscard]] constexpr std::optional<std::string_view> token_of(std::string_view wanted) {
    std::string_view found;
    skip(" ");
    for (bool more = !rest_.empty(); more;) {
      const std::string_view key = read_key();
      const value token = take('=') ? read_member() : std::string_view{};
      if (key.empty() || !token || !read_parameters()) {
        return std::nullopt;
      }
      found = key == wanted ? *token : found;
      skip(" \t");
      more = take(',');
      skip(" \t");
    }
    return rest_.empty() ? std::optional{found} : std::nullopt;
  }

 private:
  /// The result of reading a value. It is a Token, an empty text for a value of another type, or an
  /// empty optional for a text that is not a value.
  using value = std::optional<std::string_view>;

  [[nodiscard]] static constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }

  [[nodiscard]] static constexpr bool is_key_char(char c) noexcept {
    return is_lower(c) || base::is_digit(c) || std::string_view{"_-.*"}.find(c) != npos;
  }
  [[nodiscard]] static constexpr bool is_token_char(char c) noexcept {
    return base::is_alpha(c) || base::is_digit(c) ||
           std::string_view{"!#$%&'*+-.^_`|~:/"}.find(c) != npos;
  }
  [[nodiscard]] static constexpr bool is_base64_char(char c) noexcept {
    return base::is_alpha(c) || base::is_digit(c) || c == '+' || c == '/' || c == '=';
  }
  [[nodiscard]] static constexpr bool is_printable(char c) noexcept { return c >= ' ' && c <= '~'; }

  [[nodiscard]] constexpr char front() const noexcept { return rest_.empty() ? '\0' : rest_[0]; }

  constexpr bool take(char c) noexcept {
    if (front() != c || rest_.empty()) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  constexpr void skip(std::string_view blanks) noexcept {
    const std::size_t end = rest_.find_first_not_of(blanks);
    rest_.remove_prefix(end == npos ? rest_.size() : end);
  }

  template <class Accepts>
  constexpr std::string_view take_while(Accepts accepts) noexcept {
    std::size_t size = 0;
    while (size < rest_.size() && accepts(rest_[size])) {
      ++size;
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  constexpr std::string_view read_key() noexcept {
    return is_lower(front()) || front() == '*' ? take_while(is_key_char) : std::string_view{};
  }

  [[nodiscard]] static constexpr value other_if(bool valid) noexcept {
    return valid ? value{std::string_view{}} : std::nullopt;
  }

  constexpr value read_member() noexcept {
    return take('(') ? other_if(read_inner_list()) : read_bare_item();
  }

  constexpr bool read_inner_list() noexcept {
    for (;;) {
      skip(" ");
      if (take(')')) {
        return true;
      }
      if (!read_bare_item() || !read_parameters() || (front() != ' ' && front() != ')')) {
        return false;
      }
    }
  }

  constexpr bool read_parameters() noexcept {
    while (take(';')) {
      skip(" ");
      if (read_key().empty() || (take('=') && !read_bare_item())) {
        return false;
      }
    }
    return true;
  }

  constexpr value read_bare_item() noexcept {
    if (base::is_alpha(front()) || front() == '*') {
      return take_while(is_token_char);
    }
    if (base::is_digit(front()) || front() == '-') {
      return other_if(read_number(true));
    }
    if (take('"')) {
      return other_if(read_string(false));
    }
    if (take(':')) {
      take_while(is_base64_char);
      return other_if(take(':'));
    }
    if (take('?')) {
      return other_if(take('0') || take('1'));
    }
    if (take('@')) {
      return other_if(read_number(false));
    }
    return other_if(take('%') && take('"') && read_string(true));
  }

  constexpr bool read_number(bool decimals) noexcept {
    take('-');
    const std::size_t whole = take_while(base::is_digit).size();
    if (whole == 0 || front() != '.') {
      return whole > 0 && whole <= 15;
    }
    take('.');
    const std::size_t fraction = take_while(base::is_digit).size();
    return decimals && whole <= 12 && fraction > 0 && fraction <= 3;
  }

  /// Reads a String or a Display String after its opening quote. The escapes of a String are `\"`
  /// and `\\`. The escape of a Display String is `%` with two lower-case hexadecimal digits.
  constexpr bool read_string(bool is_display) noexcept {
    const auto is_hex = [](char c) { return base::is_digit(c) || (c >= 'a' && c <= 'f'); };
    while (is_printable(front())) {
      if (take('"')) {
        return true;
      }
      if (is_display && take('%')) {
        if (rest_.size() < 2 || !is_hex(rest_[0]) || !is_hex(rest_[1])) {
          return false;
        }
        rest_.remove_prefix(1);
      } else if (!is_display && take('\\') && front() != '"' && front() != '\\') {
        return false;
      }
      rest_.remove_prefix(1);
    }
    return false;
  }

  static constexpr std::size_t npos = std::string_view::npos;

  std::string_view rest_;
};

/// Returns the last value of `key` if that value is a Token and `text` is a Dictionary. Otherwise
/// returns an empty text. Takes linear time.
[[nodiscard]] constexpr std::string_view dictionary_token(std::string_view text,
                                                          std::string_view key) {
  return dictionary_reader{text}.token_of(key).value_or(std::string_view{});
}

}  // namespace robots::rep_detail
