// One line of an audit trail.
//
//     {"n":7,"prev":"HASH","time":"DATE","type":"TYPE", ... ,"hash":"HASH"}
//
// `n` counts the entries of the trail, from 1 on and through all of its files. `hash` is the
// SHA-256 of all octets of the line before `,"hash"`; `prev` is the hash of the entry before, and
// of the first one 64 zeros. Texts are as `base::append_json` writes them.
#pragma once

#include <robots/adapters/detail/audit_crypto.hpp>
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

/// How far a trail has come.
struct audit_chain {
  std::uint64_t entries = 0;                ///< how many there are
  std::string last = std::string(64, '0');  ///< the hash of the last one

  /// Adds an entry; gives its line, with the line end. `members` is an object.
  [[nodiscard]] std::string add(std::string_view time, std::string_view type,
                                std::string_view members, const ed25519_key* key = nullptr) {
    std::string line = "{\"n\":" + std::to_string(++entries) + ",\"prev\":\"" + last +
                       "\",\"time\":\"" + std::string{time} + "\",\"type\":\"" + std::string{type} +
                       '"';
    members = members.substr(1, members.size() - 2);
    line.append(members.empty() ? "" : ",").append(members);
    if (key != nullptr) {
      line.append(",\"signature\":\"" + key->sign(line) + '"');
    }
    last = sha256(line);
    return line.append(",\"hash\":\"").append(last).append("\"}\n");
  }
};

/// An object of JSON that `base::json_writer` has written. The text outlives it.
class audit_object {
 public:
  /// Reads an object; nothing when `text` is none, or has anything else behind it.
  [[nodiscard]] static std::optional<audit_object> read(std::string_view text) {
    audit_object result;
    std::string_view rest = text;
    if (!take(rest, '{')) {
      return std::nullopt;
    }
    while (!take(rest, '}')) {
      if (!result.members_.empty() && !take(rest, ',')) {
        return std::nullopt;
      }
      const std::size_t name = value_size(rest);
      if (name < 2 || rest.front() != '"' || !rest.substr(name).starts_with(':')) {
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

  /// The member as it is written; empty when there is none.
  [[nodiscard]] std::string_view raw(std::string_view name) const {
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const auto& each) { return each.first == name; });
    return found == members_.end() ? std::string_view{} : found->second;
  }

  /// The octets of a text; empty when there is none.
  [[nodiscard]] std::string text(std::string_view name) const {
    const std::string_view value = raw(name);
    return value.starts_with('"') ? octets(value.substr(1, value.size() - 2)) : std::string{};
  }

  /// A number that is not negative; 0 when there is none.
  [[nodiscard]] std::uint64_t number(std::string_view name) const {
    return base::parse_decimal(raw(name)).value_or(0);
  }

  /// Whether it is there and true.
  [[nodiscard]] bool flag(std::string_view name) const { return raw(name) == "true"; }

  /// The objects of a list; none when there is no list.
  [[nodiscard]] std::vector<audit_object> list(std::string_view name) const {
    std::vector<audit_object> found;
    std::string_view rest = raw(name);
    while (take(rest, found.empty() ? '[' : ',') && !rest.starts_with(']')) {
      const std::size_t size = value_size(rest);
      auto each = read(rest.substr(0, size));
      if (!each) {
        break;
      }
      found.push_back(*std::move(each));
      rest.remove_prefix(size);
    }
    return found;
  }

  /// The names and values, in order.
  [[nodiscard]] const auto& members() const noexcept { return members_; }

 protected:
  audit_object() = default;

 private:
  [[nodiscard]] static bool take(std::string_view& rest, char wanted) {
    const bool is_there = rest.starts_with(wanted);
    rest.remove_prefix(is_there ? 1 : 0);
    return is_there;
  }

  /// The length of the value at the start of `text`; 0 if there is none.
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

  /// Four hexadecimal digits.
  [[nodiscard]] static char32_t unit(std::string_view digits) {
    char32_t value = 0;
    for (const char c : digits.substr(0, 4)) {
      value = 16 * value + (static_cast<char32_t>(base::hex_value(c)) & 0xFU);
    }
    return value;
  }

  /// What `base::append_json` wrote as `text`.
  [[nodiscard]] static std::string octets(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
      const auto is = [&](std::string_view start, std::size_t size) {
        return text.size() >= size && text.starts_with(start);
      };
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
      } else if (is("\\", 2)) {
        size = 2;
        result += text[1];
      } else {
        result += text.front();
      }
      text.remove_prefix(size);
    }
    return result;
  }

  std::vector<std::pair<std::string_view, std::string_view>> members_;
};

/// A line of a trail, without its line end. The text outlives it.
class audit_entry : public audit_object {
 public:
  /// Reads a line; nothing when it is none that an `AuditTrail` writes.
  [[nodiscard]] static std::optional<audit_entry> read(std::string_view line) {
    auto object = audit_object::read(line);
    if (!object || !line.starts_with("{\"n\":") || line.size() < hash_size ||
        !line.substr(line.size() - hash_size).starts_with(",\"hash\":\"")) {
      return std::nullopt;
    }
    audit_entry result{*std::move(object), line};
    const bool is_whole = result.number("n") > 0 && result.text("prev").size() == 64 &&
                          !result.text("type").empty() && !result.text("time").empty();
    return is_whole ? std::optional{std::move(result)} : std::nullopt;
  }

  [[nodiscard]] std::uint64_t n() const { return number("n"); }
  [[nodiscard]] std::string type() const { return text("type"); }
  [[nodiscard]] std::string hash() const { return text("hash"); }

  /// All that it says but the hash, without the closing brace.
  [[nodiscard]] std::string_view before_hash() const {
    return line_.substr(0, line_.size() - hash_size);
  }

  /// Whether its hash is that of its octets.
  [[nodiscard]] bool is_whole() const { return sha256(before_hash()) == hash(); }

  /// Whether the key has signed it: all that it says but the hash.
  [[nodiscard]] bool is_signed_by(const ed25519_key& key) const {
    std::string_view said = before_hash();
    const std::string signature = text("signature");
    const std::string end = ",\"signature\":\"" + signature + '"';
    if (!said.ends_with(end)) {
      return false;
    }
    said.remove_suffix(end.size());
    return key.has_signed(said, signature);
  }

 private:
  static constexpr std::size_t hash_size = 75;  // of `,"hash":"HASH"}`

  audit_entry(audit_object object, std::string_view line)
      : audit_object(std::move(object)), line_(line) {}

  std::string_view line_;
};

}  // namespace robots::adapters_detail
