#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
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
    for (char before = '{'; take(text, before); before = ',') {
      if (before == '{' && text == "}") {
        return result;
      }
      const std::size_t name = value_size(text);
      const std::string_view value = text.substr(name);
      const std::size_t size = value_size(value.substr(value.empty() ? 0 : 1));
      if (name < 2 || text.front() != '"' || !value.starts_with(':') || size == 0 ||
          text.substr(0, name).find('\\') != std::string_view::npos) {
        break;
      }
      const bool is_new =
          result.members_.emplace(text.substr(1, name - 2), value.substr(1, size)).second;
      result.repeats_a_name_ = result.repeats_a_name_ || !is_new;
      text.remove_prefix(name + 1 + size);
      if (text == "}") {
        return result;
      }
    }
    return std::nullopt;
  }

  /// Returns the value of a member in JSON, or an empty text if the member is missing. If two
  /// members have this name, returns the value of the first.
  [[nodiscard]] std::string_view raw(std::string_view name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? std::string_view{} : found->second;
  }

  /// Returns true if two members have the same name. Readers of JSON differ in which of the two
  /// they use.
  [[nodiscard]] bool repeats_a_name() const noexcept { return repeats_a_name_; }

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

  [[nodiscard]] static char32_t unit(std::string_view digits) {
    char32_t value = 0;
    for (const char c : digits) {
      value = 16 * value + (static_cast<char32_t>(base::hex_value(c)) & 0xFU);
    }
    return value;
  }

  /// Decodes a text that `append_json` wrote.
  [[nodiscard]] static std::string octets(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view rest = text.substr(i);
      if (rest.starts_with("\\\\x")) {
        result += static_cast<char>(unit(rest.substr(3, 2)));
        i += 5;
      } else if (rest.starts_with("\\u")) {
        char32_t character = unit(rest.substr(2, 4));
        i += 6;
        const bool is_lead = character >= 0xD800 && character < 0xDC00;
        if (is_lead && i < text.size() && text.substr(i).starts_with("\\u")) {
          character =
              0x10000 + ((character - 0xD800) << 10U) + (unit(text.substr(i + 2, 4)) - 0xDC00);
          i += 6;
        }
        base::append_utf8(result, character);
      } else {
        i += rest.front() == '\\' && rest.size() > 1 ? 1 : 0;
        result += text[i++];
      }
    }
    return result;
  }

  std::map<std::string_view, std::string_view> members_;
  bool repeats_a_name_ = false;
};

}  // namespace robots::adapters_detail
