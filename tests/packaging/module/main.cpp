// A program that imports the library.
#include <iostream>

import robots;

int main() {
  robots::ScriptedFetcher web;
  web.on("https://example.com/robots.txt",
         robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
  robots::basic_robots_cache<robots::ScriptedFetcher> cache{
      {.user_agent = "FooBot/2.1 (+https://foo.example/bot)",
       .fallback = robots::fallback_policy::rfc9309()},
      web};
  if (!cache.check("https://example.com/public").allowed ||
      cache.check("https://example.com/private").allowed) {
    std::cerr << "import robots: a wrong decision for /public or /private\n";
    return 1;
  }
  std::cout << robots::version << '\n';
}
