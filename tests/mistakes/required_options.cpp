// Mistakes in the options that a cache needs. Each use must be an error that says how to correct
// it. The errors have the order of the uses. Only a test builds this file.
#include <robots/cache/cache_options.hpp>

struct Talkative {
  [[nodiscard]] static const char* action(robots::outcome) { return "allow"; }
};

robots::cache_options without_user_agent() {
  return {.fallback = robots::fallback_policy::rfc9309()};
}

robots::cache_options without_fallback() { return {.user_agent = "FooBot/1.0"}; }

robots::cache_options wrong_fallback() {
  return {.user_agent = "FooBot/1.0", .fallback = Talkative{}};
}
