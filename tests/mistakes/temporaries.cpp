// Results that would refer to a temporary. Each must not compile, and the error must say what to
// store. Only a test builds this file.
#include <robots/parse.hpp>

#include <string>

bool mistaken() {
#if defined TEMPORARY_DOCUMENT
  return robots::parse("User-agent: *\nDisallow: /\n").match("/a").allowed;
#elif defined TEMPORARY_RULES
  return robots::compile("User-agent: *\nDisallow: /\n", "FooBot").match("/a").allowed;
#else
  const robots::document file = robots::parse("User-agent: *\nDisallow: /\n");
  return file.match("/a", std::string{"FooBot"}).allowed;
#endif
}
