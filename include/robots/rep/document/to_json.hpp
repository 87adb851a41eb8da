#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

namespace rep_detail {

inline void add_text(base::json_writer& line, std::string_view name,
                     std::optional<std::string_view> value) {
  value ? line.text(name, *value) : line.null(name);
}

inline void add_texts(base::json_writer& line, std::string_view name, value_range values,
                      std::size_t most) {
  line.open_list(name);
  for (const std::string_view value : values) {
    line.item(value);
    if (line.size() > most) {
      base::raise(std::length_error{"the JSON of the document has more than " +
                                    std::to_string(most) +
                                    " octets: raise the limit or list the groups one by one"});
    }
  }
  line.close_list();
}

}  // namespace rep_detail

/// Writes a document as JSON, in the format that WEB::ROBOTS (see tests/requirements.md) defines
/// for the result of its function PARSE:
///
///     {"groups":[{"userAgents":["*"],"allow":["/public"],"disallow":["/admin"],"crawlDelay":5}],
///      "sitemaps":["https://example.com/sitemap.xml"],"host":null}
///
/// The result is one line of printable ASCII. `crawlDelay` is in seconds, with up to three
/// decimals. A missing delay or host is null.
///
/// Control characters and characters outside ASCII become `\uNNNN`. In the decoded JSON, an octet
/// that is not UTF-8 is the four characters `\xNN`, and a backslash is `\x5C`. To get the octets
/// back, decode the JSON, then replace each `\xNN` by the octet 0xNN.
///
/// Takes time linear in the JSON. The size of the JSON can be quadratic in the size of the file. A
/// group can have several parts (see `group`), and the JSON repeats all rules of the group for each
/// part. Throws `std::length_error` if the JSON exceeds `max_octets` octets.
[[nodiscard]] inline std::string to_json(const document& file,
                                         std::size_t max_octets = std::size_t{64} << 20U) {
  base::json_writer line;
  line.open_list("groups");
  for (const group& entry : file.groups()) {
    line.open();
    rep_detail::add_texts(line, "userAgents", entry.user_agents, max_octets);
    rep_detail::add_texts(line, "allow", entry.allow, max_octets);
    rep_detail::add_texts(line, "disallow", entry.disallow, max_octets);
    entry.crawl_delay ? line.seconds("crawlDelay", *entry.crawl_delay) : line.null("crawlDelay");
    line.close();
  }
  line.close_list();
  rep_detail::add_texts(line, "sitemaps", file.sitemaps(), max_octets);
  rep_detail::add_text(line, "host", file.host());
  return std::move(line).finish();
}

/// Writes a verdict as JSON, in the format that WEB::ROBOTS (see tests/requirements.md) defines for
/// the result of its function MATCH:
///
///     {"allowed":true,"directive":"allow","pattern":"/products/","userAgent":"FerretBot"}
///
/// `directive` and `pattern` are null if no rule decided. Texts are escaped as in a document's
/// JSON.
[[nodiscard]] inline std::string to_json(const verdict& answer) {
  base::json_writer line;
  line.flag("allowed", answer.allowed);
  rep_detail::add_text(
      line, "directive",
      answer.directive ? std::optional{to_string(*answer.directive)} : std::nullopt);
  rep_detail::add_text(line, "pattern", answer.pattern);
  line.text("userAgent", answer.user_agent);
  return std::move(line).finish();
}

}  // namespace robots
