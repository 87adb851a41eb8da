// Mistakes that must not compile, with an error that says how to correct them. Only its test builds
// it.
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
