// Compares `read_json` with another JSON reader, nlohmann/json, over texts that are JSON, nearly
// JSON, or neither.
#include <robots/base/json_reader.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace {

using robots::base::json_type;
using robots::base::json_value;
using robots::base::read_json;

/// Texts of which a hostile JSON can consist.
constexpr std::array<std::string_view, 40> json_parts{"{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      ":",
                                                      ",",
                                                      "\"",
                                                      "\"a\"",
                                                      "\"b\"",
                                                      "\"\\n\"",
                                                      "\"\\u",
                                                      "00e9",
                                                      "d83d",
                                                      "\\ude00",
                                                      "\"\"",
                                                      "\\",
                                                      "0",
                                                      "1",
                                                      "-",
                                                      "12",
                                                      ".5",
                                                      "e3",
                                                      "E-2",
                                                      "true",
                                                      "false",
                                                      "null",
                                                      " ",
                                                      "\n",
                                                      "\t",
                                                      "\x01",
                                                      "\x7F",
                                                      "\xC3\xBC",
                                                      "\xC3",
                                                      "\xFF",
                                                      "\xE2\x82\xAC",
                                                      "\xED\xA0\x80",
                                                      "\xF0\x9F\x98\x80",
                                                      "/*",
                                                      "NaN",
                                                      "'a'"};

/// Appends a random JSON value.
void append_value(std::string& text, std::mt19937& random, int depth) {
  const auto members = [&](char open, char close, bool named) {
    text += open;
    const std::uint32_t count = random() % 4;
    for (std::uint32_t i = 0; i < count; ++i) {
      text += i == 0 ? "" : ", ";
      text += named ? "\"n" + std::to_string(i) + "\": " : "";
      append_value(text, random, depth + 1);
    }
    text += close;
  };
  switch (depth > 4 ? 2 + random() % 5 : random() % 7) {
    case 0:
      return members('{', '}', true);
    case 1:
      return members('[', ']', false);
    case 2:
      text += "\"\\u00e9\\ud83d\\ude00\\\\ \xC3\xBC\"";
      return;
    case 3:
      text += "-12.5e3";
      return;
    case 4:
      text += "true";
      return;
    case 5:
      text += "null";
      return;
    default:
      text += std::to_string(random() % 1'000);
  }
}

bool is_same(const json_value& own, const nlohmann::json& other) {
  switch (own.type) {
    case json_type::null:
      return other.is_null();
    case json_type::boolean:
      return other.is_boolean() && other.get<bool>() == (own.text == "true");
    case json_type::number:
      return other.is_number();
    case json_type::string:
      return other.is_string() && other.get<std::string>() == own.text;
    case json_type::array:
    case json_type::object:
      break;
  }
  if (own.type == json_type::array) {
    if (!other.is_array() || other.size() != own.items.size()) {
      return false;
    }
    for (std::size_t i = 0; i < own.items.size(); ++i) {
      if (!is_same(own.items[i], other[i])) {
        return false;
      }
    }
    return true;
  }
  if (!other.is_object()) {
    return false;
  }
  for (const auto& [name, value] : other.items()) {
    const json_value* const member = own.find(name);
    if (member == nullptr || !is_same(*member, value)) {
      return false;
    }
  }
  return true;
}

/// Returns true if a number of the text can be larger than a `double`. Then nlohmann/json refuses
/// the text, but `read_json`, which keeps the digits, does not (RFC 8259, section 6).
bool has_huge_exponent(std::string_view text) {
  for (std::size_t i = text.find_first_of("eE"); i != std::string_view::npos;
       i = text.find_first_of("eE", i + 1)) {
    const std::size_t digits = text.find_first_not_of("+-", i + 1);
    const std::size_t end = text.find_first_not_of("0123456789", digits);
    if (digits != std::string_view::npos && (std::min)(end, text.size()) - digits > 2) {
      return true;
    }
  }
  return false;
}

void compare(const std::string& text) {
  if (has_huge_exponent(text)) {
    return;
  }
  CAPTURE(text);
  const auto own = read_json(text, {.most_nested = 1'000});
  const auto other = nlohmann::json::parse(text, nullptr, false);
  REQUIRE(own.has_value() == !other.is_discarded());
  CHECK((!own || is_same(*own, other)));
}

TEST_CASE("Two JSON readers read the same values, and refuse the same texts") {
  std::mt19937 random{7};
  std::size_t accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    append_value(text, random, 0);
    compare(text);
    // A change of one part makes most texts invalid.
    const std::string_view part = json_parts.at(random() % json_parts.size());
    const std::size_t place = random() % (text.size() + 1);
    text.replace(place, random() % 3, part);
    compare(text);
    accepted += read_json(text, {.most_nested = 1'000}) ? 1U : 0U;
  }
  CHECK(accepted > 1'000);
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (std::uint32_t left = 1 + random() % 8; left > 0; --left) {
      text += json_parts.at(random() % json_parts.size());
    }
    compare(text);
  }
}

}  // namespace
