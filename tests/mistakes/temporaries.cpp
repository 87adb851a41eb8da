// Results that would refer to a temporary. Each use must be an error that says what to store. The
// errors have the order of the uses. Only a test builds this file.
#include <robots/rep.hpp>

#include <string>

bool temporary_document() {
  return robots::parse("User-agent: *\nDisallow: /\n").match("/a").allowed;
}

bool temporary_lines() {
  return robots::parse("License: https://example.com/\n").read<robots::license_line>().empty();
}

bool temporary_rules() {
  return robots::compile("User-agent: *\nDisallow: /\n", "FooBot").match("/a").allowed;
}

bool temporary_name() {
  const robots::document file = robots::parse("User-agent: *\nDisallow: /\n");
  return file.match("/a", std::string{"FooBot"}).allowed;
}
