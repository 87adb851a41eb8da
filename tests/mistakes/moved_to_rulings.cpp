// Options and functions of a cache that are now those of `SiteRulings`. Each must not compile, and
// the error must say what to write. Only a test builds this file.
#include <robots/cache/basic_robots_cache.hpp>

#ifdef MOVED_OPTION
robots::cache_options mistaken() {
  return {.user_agent = "FooBot/1.0",
          .fallback = robots::fallback_policy::strict(),
          .sign_off = {"gov", "mil"}};
}
#else
void mistaken(robots::cache_controls& cache) { cache.halt("example.com"); }
#endif
