#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/base/json_reader.hpp>
#include <robots/base/utf8.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace {

using fuzz::require;
using robots::base::json_type;
using robots::base::json_value;

void write_json_string(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
      char escape[8]{};
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      text += escape;
    } else {
      text += c;
    }
  }
  text += '"';
}

void write_json_value(std::string& text, const json_value& value) {
  switch (value.type) {
    case json_type::null:
      text += "null";
      break;
    case json_type::boolean:
    case json_type::number:
      text += value.text;
      break;
    case json_type::string:
      write_json_string(text, value.text);
      break;
    case json_type::array:
    case json_type::object: {
      const bool is_object = value.type == json_type::object;
      text += is_object ? '{' : '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        text += i == 0 ? "" : ",";
        if (is_object) {
          write_json_string(text, value.names[i]);
          text += ':';
        }
        write_json_value(text, value.items[i]);
      }
      text += is_object ? '}' : ']';
      break;
    }
  }
}

}  // namespace

void fuzz::fuzz_tdmrep(octets input) {
  reader in{input};
  const std::string target = "/" + in.line();
  const std::string text = in.rest();
  const robots::tdm_reservation said = robots::read_tdmrep(text, target);
  const std::optional<json_value> file = robots::base::read_json(text);
  if (!file) {
    require(said == robots::tdm_reservation{}, "a text that is no JSON says nothing");
    return;
  }
  std::string written;
  write_json_value(written, *file);
  const std::optional<json_value> again = robots::base::read_json(written);
  require(again.has_value(), "a JSON text that was written can be read");
  std::string rewritten;
  write_json_value(rewritten, *again);
  require(rewritten == written, "a JSON text that is written and read again is the same");
  require(robots::read_tdmrep(written, target) == said, "only the meaning of a JSON text counts");
  if (file->type != json_type::array) {
    require(said == robots::tdm_reservation{}, "a JSON text that is no array says nothing");
    return;
  }
  require(said.entry <= file->items.size() && (said.entry > 0 || !said.reserved),
          "an entry of the file decides");
  require(!said.policy || text.find("tdm-policy") != std::string::npos ||
              text.find('\\') != std::string::npos,
          "no policy is invented");

  const std::string members = written.substr(1);  // behind the bracket
  const std::string comma = file->items.empty() ? "" : ",";
  const std::string first = R"([{"location":"/*","tdm-reservation":1})" + comma + members;
  require(
      robots::read_tdmrep(first, target) == robots::tdm_reservation{.reserved = true, .entry = 1},
      "the first entry that matches decides");
  written.pop_back();
  const std::string last = written + comma + R"({"location":"/*","tdm-reservation":0}])";
  const robots::tdm_reservation otherwise = robots::read_tdmrep(last, target);
  require(said.entry == 0 ? otherwise.reserved == false : otherwise == said,
          "a later entry changes nothing");
}
