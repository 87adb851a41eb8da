#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Reads a JSON object that `json_writer` has written. The text must outlive this object.
class json_object {
 public:
  /// Reads an object. Returns an empty optional if `text` is not exactly one object.
  [[nodiscard]] static std::optional<json_object> read(std::string_view text) {
    json_object result;
    std::string_view rest = text;
    if (!take(rest, '{')) {
      return std::nullopt;
    }
    while (!take(rest, '}')) {
      if (!result.members_.empty() && !take(rest, ',')) {
        return std::nullopt;
      }
      const std::size_t name = value_size(rest);
      if (name < 2 || rest.front() != '"' || !rest.substr(name).starts_with(':') ||
          rest.substr(0, name).find('\\') != std::string_view::npos) {
        return std::nullopt;
      }
      const std::size_t value = value_size(rest.substr(name + 1));
      if (value == 0) {
        return std::nullopt;
      }
      result.members_.emplace_back(rest.substr(1, name - 2), rest.substr(name + 1, value));
      rest.remove_prefix(name + 1 + value);
    }
    return rest.empty() ? std::optional{std::move(result)} : std::nullopt;
  }

  /// Returns the value of a member in JSON, or an empty text if the member is missing.
  [[nodiscard]] std::string_view raw(std::string_view name) const {
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const auto& member) { return member.first == name; });
    return found == members_.end() ? std::string_view{} : found->second;
  }

  /// Returns true if two members have the same name. Readers of JSON differ in which of the two
  /// they use.
  [[nodiscard]] bool repeats_a_name() const {
    std::vector<std::string_view> names;
    names.reserve(members_.size());
    for (const auto& member : members_) {
      names.push_back(member.first);
    }
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) != names.end();
  }

  /// Returns the decoded text of a member, or an empty text if the member is missing.
  [[nodiscard]] std::string text(std::string_view name) const {
    const std::string_view value = raw(name);
    return value.starts_with('"') ? octets(value.substr(1, value.size() - 2)) : std::string{};
  }

  /// Returns the number of a member, or 0 if the member is missing.
  [[nodiscard]] std::uint64_t number(std::string_view name) const {
    return base::parse_decimal(raw(name)).value_or(0);
  }

  /// Returns true if the member is `true`.
  [[nodiscard]] bool flag(std::string_view name) const { return raw(name) == "true"; }

  /// Returns the objects in the list of a member, or an empty list if the member is missing.
  [[nodiscard]] std::vector<json_object> list(std::string_view name) const {
    std::vector<json_object> found;
    std::string_view rest = raw(name);
    while (take(rest, found.empty() ? '[' : ',') && !rest.starts_with(']')) {
      const std::size_t size = value_size(rest);
      auto object = read(rest.substr(0, size));
      if (!object) {
        break;
      }
      found.push_back(*std::move(object));
      rest.remove_prefix(size);
    }
    return found;
  }

 protected:
  json_object() = default;

 private:
  [[nodiscard]] static bool take(std::string_view& rest, char wanted) {
    const bool is_there = rest.starts_with(wanted);
    rest.remove_prefix(is_there ? 1 : 0);
    return is_there;
  }

  /// Returns the length of the value at the start of `text`, or 0 if there is none.
  [[nodiscard]] static std::size_t value_size(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quoted) {
        i += c == '\\' ? 1 : 0;
        quoted = c != '"';
        if (!quoted && depth == 0) {
          return i + 1;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']' || c == ',') {
        if (depth == 0) {
          return i;
        }
        depth -= c == ',' ? 0 : 1;
        if (depth == 0 && c != ',') {
          return i + 1;
        }
      }
    }
    return 0;
  }

  /// Returns the value of up to four hexadecimal digits.
  [[nodiscard]] static char32_t unit(std::string_view digits) {
    char32_t value = 0;
    for (const char c : digits.substr(0, 4)) {
      value = 16 * value + (static_cast<char32_t>(base::hex_value(c)) & 0xFU);
    }
    return value;
  }

  /// Decodes a text that `append_json` wrote.
  [[nodiscard]] static std::string octets(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    const auto is = [&text](std::string_view start, std::size_t size) {
      return text.size() >= size && text.starts_with(start);
    };
    for (;;) {
      const std::size_t plain = (std::min)(text.find('\\'), text.size());
      result.append(text, 0, plain);
      text.remove_prefix(plain);
      if (text.empty()) {
        return result;
      }
      std::size_t size = 1;
      if (is("\\\\x", 5)) {
        size = 5;
        result += static_cast<char>(unit(text.substr(3, 2)));
      } else if (is("\\u", 6)) {
        size = 6;
        char32_t character = unit(text.substr(2));
        if (character >= 0xD800 && character < 0xDC00 && is("\\u", 12)) {
          size = 12;
          character = 0x10000 + ((character - 0xD800) << 10U) + (unit(text.substr(8)) - 0xDC00);
        }
        base::append_utf8(result, character);
      } else {
        size = std::min<std::size_t>(2, text.size());
        result += text[size - 1];
      }
      text.remove_prefix(size);
    }
  }

  std::vector<std::pair<std::string_view, std::string_view>> members_;
};

}  // namespace robots::adapters_detail
