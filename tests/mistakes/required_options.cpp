// Mistakes in the options that a cache needs. Each must not compile, and the error must say how to
// correct it. Only a test builds this file.
#include <robots/cache/cache_options.hpp>

struct Talkative {
  [[nodiscard]] static const char* action(robots::outcome) { return "allow"; }
};

robots::cache_options mistaken() {
#if defined WITHOUT_USER_AGENT
  return {.fallback = robots::fallback_policy::rfc9309()};
#elif defined WITHOUT_FALLBACK
  return {.user_agent = "FooBot/1.0"};
#else
  return {.user_agent = "FooBot/1.0", .fallback = Talkative{}};
#endif
}
