#include <robots/robots.hpp>

#include <iostream>

int main() {
  const auto rules = robots::parse("User-agent: *\nDisallow: /private\n");
  if (!rules.allows("/public") || rules.allows("/private/page")) {
    std::cerr << "robots-cpp gives a wrong verdict for /public or /private/page\n";
    return 1;
  }
  std::cout << "robots-cpp " << robots::version << '\n';
}
