#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using fuzz::require;

std::size_t lines_in(std::string_view text) {
  std::size_t lines = 1;
  for (const char c : text) {
    lines += c == '\n' || c == '\r' ? 1 : 0;
  }
  return lines;
}

void walk(const robots::document& document, std::string_view user_agent, std::size_t lines) {
  std::uint32_t last = 0;
  std::size_t rules = 0;
  std::size_t events = 0;  // a rule of a group with several parts is listed several times
  for (const robots::directive& line : document.directives()) {
    require(line.line > last && line.line <= lines, "directives are in file order");
    require(!line.key.empty() && line.key.find_first_of(":#\r\n") == std::string_view::npos,
            "a key is not empty and has no colon, comment or line end");
    require(line.value.find_first_of(std::string_view{"#\r\n\0", 4}) == std::string_view::npos,
            "a value has no comment, line end or NUL");
    require(line.value.size() <= robots::max_line_bytes, "a value is no longer than a line can be");
    require(!line.starts_group || line.in_group, "a line that starts a group belongs to the group");
    rules += line.in_group && robots::rep_detail::is_rule(line.kind) ? 1 : 0;
    last = line.line;
  }
  for (const robots::group& group : document.groups()) {
    require(!group.user_agents.empty(), "a group names a user agent");
    for (const auto* range : {&group.allow, &group.disallow}) {
      for (const std::string_view value : *range) {
        require(value.size() <= robots::max_line_bytes, "a rule is no longer than a line can be");
        ++events;
      }
    }
    require(!group.crawl_delay || group.crawl_delay->count() >= 0, "a delay is not negative");
  }
  require(events >= rules, "every rule after a User-agent line is in a group");
  for (const robots::diagnostic& finding : document.diagnostics()) {
    require(finding.line >= 1 && finding.line <= lines, "a finding names a line of the file");
    require(!finding.text.empty(), "a finding has a text");
  }
  const robots::file_findings::line_counts counts = document.lines();
  require(counts.malformed <= counts.non_blank && counts.guessed <= counts.non_blank &&
              counts.non_blank <= lines,
          "the counts of lines fit the file");
  for (const std::string_view value : document.sitemaps()) {
    require(value.size() <= robots::max_line_bytes, "a sitemap is no longer than a line can be");
  }
  require(!document.host() || !document.host()->empty(), "a host is not empty");
  for (const robots::directive& line : document.directives_for(user_agent)) {
    require(line.in_group, "a line that applies to a crawler is in a group");
  }
}

void check(std::string_view text, std::string_view user_agent,
           const robots::parse_options& options) {
  const robots::document document = robots::parse(text, options);
  walk(document, user_agent, lines_in(text));
  const robots::document copy = document;
  const robots::rule_set rules = robots::compile(text, user_agent, options);
  require(rules.crawl_delay() == document.crawl_delay(user_agent), "the rules give the same delay");
  for (const robots::directive& line : document.directives()) {
    if (!robots::rep_detail::is_rule(line.kind)) {
      continue;
    }
    const robots::verdict one = document.match(line.value, user_agent);
    const robots::verdict two = rules.match(line.value);
    const robots::verdict three = copy.match(line.value, user_agent);
    require(one.allowed == two.allowed && one.line == two.line, "rules give the same verdict");
    require(one.allowed == three.allowed && one.line == three.line, "a copy has the same verdict");
    require(one.directive.has_value() == one.pattern.has_value(), "a deciding rule has a pattern");
    require(one.directive.has_value() == (one.line != 0), "a deciding rule has a line");
  }
}

}  // namespace

void fuzz::fuzz_parse(octets input) {
  reader in{input};
  robots::parse_options options = options_of(in.octet());
  const std::size_t limit = in.octet();
  const std::string user_agent = in.line();
  const std::string text = inflated(in.rest(), 16'640);
  for (const robots::dialect dialect : dialects) {
    options.dialect = dialect;
    options.max_bytes = 512'000;
    check(text, user_agent, options);
    options.max_bytes = limit;
    check(text, user_agent, options);
  }
}
