// Functions with which robots-check writes JSON.
#pragma once

#include <robots/base/json_writer.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace robots::check {

using json = nlohmann::ordered_json;

/// Returns a text of any octets in the form of the library's own JSON: an octet that is not UTF-8
/// is written as `\xNN`, and a backslash as `\x5C`, so different texts stay different. Pass every
/// text from outside through it.
[[nodiscard]] inline json text_of(std::string_view octets) {
  std::string written;
  base::append_json(written, octets);
  return json::parse(written);
}

/// Writes a value as one line of ASCII, without its end.
[[nodiscard]] inline std::string to_line(const json& value) { return value.dump(-1, ' ', true); }

}  // namespace robots::check
