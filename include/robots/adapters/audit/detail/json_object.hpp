#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/json_reader.hpp>
#include <robots/base/json_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// A JSON object that `json_writer` has written. Copies share the value.
///
/// A function that takes the name of a member finds the first one with this name. It returns an
/// empty value, 0 or false if the member is missing or has another type.
class json_object {
 public:
  /// Reads an object. Returns an empty optional if `text` is not exactly one object. Also refuses
  /// what no entry has: blanks between values, and more than one value for each five octets. This
  /// bounds the memory of a hostile entry to some 20 times its size.
  [[nodiscard]] static std::optional<json_object> read(std::string_view text) {
    // Of all lists in an entry, one of licenses has the shortest values: `{"url":""},` are two.
    constexpr std::size_t least_octets = 5;
    constexpr std::size_t some_values = 64;  // for short texts
    auto value = base::read_json(
        text, {.most_values = some_values + text.size() / least_octets, .permits_blanks = false});
    if (!value || value->type != base::json_type::object) {
      return std::nullopt;
    }
    return json_object(std::make_shared<const base::json_value>(*std::move(value)));
  }

  [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }

  /// Returns true if two members have the same name. JSON readers then disagree on the value.
  [[nodiscard]] bool repeats_a_name() const {
    std::vector<std::string_view> names(value_->names.begin(), value_->names.end());
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) != names.end();
  }

  /// Returns the octets of a text.
  [[nodiscard]] std::string text(std::string_view name) const {
    const base::json_value* const found = find(name, base::json_type::string);
    return found == nullptr ? std::string() : octets(found->text);
  }

  /// Returns the digits of a number, with its sign, fraction and exponent.
  [[nodiscard]] std::string_view digits(std::string_view name) const noexcept {
    const base::json_value* const found = find(name, base::json_type::number);
    return found == nullptr ? std::string_view() : std::string_view(found->text);
  }

  [[nodiscard]] std::uint64_t number(std::string_view name) const {
    return base::parse_decimal(digits(name)).value_or(0);
  }

  [[nodiscard]] bool flag(std::string_view name) const noexcept {
    const base::json_value* const found = find(name, base::json_type::boolean);
    return found != nullptr && found->text == "true";
  }

  /// Returns a member as `json_writer` writes it.
  [[nodiscard]] std::string json(std::string_view name) const {
    std::string result;
    if (const base::json_value* const found = find(name)) {
      append(result, *found);
    }
    return result;
  }

  /// Returns a member for people: a text with its octets, anything else as JSON.
  [[nodiscard]] std::string shown(std::string_view name) const {
    return find(name, base::json_type::string) != nullptr ? text(name) : json(name);
  }

  /// Returns true if both objects have the same value as member `name`, or both lack it. Compares
  /// values as any JSON reader sees them.
  [[nodiscard]] bool has_same(std::string_view name, const json_object& other) const noexcept {
    const base::json_value* const one = find(name);
    const base::json_value* const two = other.find(name);
    return one == nullptr || two == nullptr ? one == two : *one == *two;
  }

  [[nodiscard]] std::optional<json_object> object(std::string_view name) const {
    const base::json_value* const found = find(name, base::json_type::object);
    return found == nullptr ? std::nullopt : std::optional(part(*found));
  }

  /// Returns the objects of a list, up to the first element that is none.
  [[nodiscard]] std::vector<json_object> list(std::string_view name) const {
    std::vector<json_object> objects;
    const base::json_value* const found = find(name, base::json_type::array);
    if (found == nullptr) {
      return objects;
    }
    for (const base::json_value& item : found->items) {
      if (item.type != base::json_type::object) {
        break;
      }
      objects.push_back(part(item));
    }
    return objects;
  }

 private:
  using shared_value = std::shared_ptr<const base::json_value>;

  explicit json_object(shared_value value) noexcept : value_(std::move(value)) {}

  /// Returns a part of this object, which keeps the whole.
  [[nodiscard]] json_object part(const base::json_value& value) const {
    return json_object(shared_value(value_, &value));
  }

  [[nodiscard]] const base::json_value* find(std::string_view name) const noexcept {
    const auto place = std::find(value_->names.begin(), value_->names.end(), name);
    return place == value_->names.end()
               ? nullptr
               : &value_->items[static_cast<std::size_t>(place - value_->names.begin())];
  }

  [[nodiscard]] const base::json_value* find(std::string_view name,
                                             base::json_type type) const noexcept {
    const base::json_value* const found = find(name);
    return found != nullptr && found->type == type ? found : nullptr;
  }

  /// Returns the octets that `append_json` has written as `text`: `\xNN` is an octet.
  [[nodiscard]] static std::string octets(std::string_view text) {
    std::string result;
    while (true) {
      const std::size_t mark = text.find("\\x");
      result.append(text.substr(0, mark));
      if (mark == std::string_view::npos) {
        return result;
      }
      text.remove_prefix(mark);
      const int high = text.size() > 3 ? base::hex_value(text[2]) : -1;
      const int low = text.size() > 3 ? base::hex_value(text[3]) : -1;
      const bool is_octet = high >= 0 && low >= 0;
      result += is_octet ? static_cast<char>(high * 16 + low) : text.front();
      text.remove_prefix(is_octet ? 4 : 1);
    }
  }

  /// Appends a value as `json_writer` writes it.
  static void append(std::string& json, const base::json_value& value) {
    using enum base::json_type;
    switch (value.type) {
      case string:
        return base::append_json(json, octets(value.text));
      case null:
        json += "null";
        return;
      case boolean:
      case number:
        json += value.text;
        return;
      case array:
      case object:
        break;
    }
    json += value.type == array ? '[' : '{';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      json += i == 0 ? "" : ",";
      if (value.type == object) {
        base::append_json(json, octets(value.names[i]));
        json += ':';
      }
      append(json, value.items[i]);
    }
    json += value.type == array ? ']' : '}';
  }

  shared_value value_;  // never null
};

/// Returns true if two objects have the same values as the members `names`.
template <class Names>
[[nodiscard]] bool has_same(const json_object& one, const json_object& two, const Names& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](std::string_view name) { return one.has_same(name, two); });
}

}  // namespace robots::adapters_detail
