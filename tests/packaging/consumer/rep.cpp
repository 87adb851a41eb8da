// A program that only reads and matches files. It must compile without Boost.
#include <robots/parse.hpp>

#ifdef BOOST_VERSION
#error "robots::rep includes Boost"
#endif

int main() {
  const auto rules = robots::parse("User-agent: *\nDisallow: /private\n");
  return rules.allows("/public") && !rules.allows("/private/page") ? 0 : 1;
}
