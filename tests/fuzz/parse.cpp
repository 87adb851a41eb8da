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
  std::size_t events = 0;  // more often where a group is listed in parts
  for (const robots::directive& line : document.directives()) {
    require(line.line > last && line.line <= lines, "directives stand in file order");
    require(!line.key.empty() && line.key.find_first_of(":#\r\n") == std::string_view::npos,
            "a key is a key");
    require(line.value.find_first_of(std::string_view{"#\r\n\0", 4}) == std::string_view::npos,
            "a value holds no comment, no line end and no NUL");
    require(line.value.size() <= robots::max_line_bytes, "a line is cut at its bound");
    require(!line.starts_group || line.in_group, "what starts a group stands in it");
    rules += line.in_group && robots::rep_detail::is_rule(line.kind) ? 1 : 0;
    last = line.line;
  }
  for (const robots::group group : document.groups()) {
    require(!group.user_agents.empty(), "a group names someone");
    for (const auto* range : {&group.allow, &group.disallow}) {
      for (const std::string_view value : *range) {
        require(value.size() <= robots::max_line_bytes, "a rule lies in its line");
        ++events;
      }
    }
    require(!group.crawl_delay || group.crawl_delay->count() >= 0, "a delay is not negative");
  }
  require(events >= rules, "every rule behind a User-agent line stands in a group");
  for (const robots::diagnostic& finding : document.diagnostics()) {
    require(finding.line >= 1 && finding.line <= lines, "a finding has a line");
    require(!finding.text.empty(), "a finding says what it is");
  }
  const robots::file_findings::line_counts counts = document.lines();
  require(counts.malformed <= counts.non_blank && counts.non_blank <= lines, "lines are counted");
  for (const std::string_view value : document.sitemaps()) {
    require(value.size() <= robots::max_line_bytes, "a sitemap lies in its line");
  }
  require(!document.host() || !document.host()->empty(), "a host is not empty");
  for (const robots::directive& line : document.directives_for(user_agent)) {
    require(line.in_group, "what applies to a crawler stands in a group");
  }
}

void check(std::string_view text, std::string_view user_agent,
           const robots::parse_options& options) {
  const robots::document document = robots::parse(text, options);
  walk(document, user_agent, lines_in(text));
  const robots::document copy = document;
  const robots::rule_set rules = robots::compile(text, user_agent, options);
  require(rules.crawl_delay() == document.crawl_delay(user_agent), "both ways give one delay");
  for (const robots::directive& line : document.directives()) {
    if (!robots::rep_detail::is_rule(line.kind)) {
      continue;
    }
    const robots::verdict one = document.match(line.value, user_agent);
    const robots::verdict two = rules.match(line.value);
    const robots::verdict three = copy.match(line.value, user_agent);
    require(one.allowed == two.allowed && one.line == two.line, "both ways give one verdict");
    require(one.allowed == three.allowed && one.line == three.line, "a copy is a copy");
    require(one.directive.has_value() == one.pattern.has_value(), "a rule has a pattern");
    require(one.directive.has_value() == (one.line != 0), "a rule has a line");
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
