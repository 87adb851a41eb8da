#include <robots/base/structured_field.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using fuzz::require;
using robots::base::field_type;
using robots::base::field_value;

/// Writes the members of a field in the form of RFC 9651, section 4.1, with each parameter.
struct field_copy {
  std::string_view source;
  std::string text{};
  std::size_t members = 0;

  void on_member(std::string_view key, const field_value& value) {
    text += members == 0 ? "" : ", ";
    ++members;
    add(key, value);
  }

  void on_parameter(std::string_view key, const field_value& value) {
    text += ';';
    add(key, value);
  }

 private:
  void add(std::string_view key, const field_value& value) {
    require(value.text == "1" || (fuzz::lies_in(key, source) && fuzz::lies_in(value.text, source)),
            "each part of a structured field is a part of the text");
    text.append(key).append(key.empty() ? "" : "=");
    switch (value.type) {
      case field_type::boolean:
        text.append("?").append(value.text);
        break;
      case field_type::string:
        text.append("\"").append(value.text).append("\"");
        break;
      default:
        text += value.text;
        break;
    }
  }
};

struct field_copies {
  bool is_valid = false;
  std::string text{};
  std::size_t members = 0;
};

field_copies copied(std::string_view text, bool is_list) {
  field_copy copy{.source = text};
  const bool is_valid = is_list ? robots::base::read_list_field(text, copy)
                                : robots::base::read_dictionary_field(text, copy);
  return {is_valid, std::move(copy.text), copy.members};
}

void check_field(std::string_view text, bool is_list) {
  const field_copies first = copied(text, is_list);
  const field_copies padded = copied("  " + std::string{text} + "  ", is_list);
  require(padded.is_valid == first.is_valid && padded.text == first.text,
          "spaces around a field change nothing");
  if (!first.is_valid) {
    return;
  }
  require(std::all_of(text.begin(), text.end(),
                      [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; }),
          "a valid field is printable ASCII with tabs");
  const field_copies second = copied(first.text, is_list);
  require(second.is_valid && second.text == first.text && second.members == first.members,
          "a field that is written and read again is the same");
  if (first.members > 0) {
    const field_copies longer = copied("a=1, " + first.text, false);
    require(is_list || (longer.is_valid && longer.members == first.members + 1),
            "a further member makes no Dictionary invalid");
  }
}

}  // namespace

void fuzz::fuzz_structured_field(octets input) {
  reader in{input};
  const std::string text = in.rest();
  check_field(text, true);
  check_field(text, false);
}
