// Mistakes that must not compile. The error must say how to correct them. Only a test builds this
// file.
#include <robots/cache/cache_options.hpp>

struct Talkative {
  [[nodiscard]] static const char* action(robots::outcome) { return "allow"; }
};

robots::cache_options mistaken() {
#ifdef WITHOUT_FALLBACK
  return {.user_agent = "FooBot/1.0"};
#else
  return {.user_agent = "FooBot/1.0", .fallback = Talkative{}};
#endif
}
