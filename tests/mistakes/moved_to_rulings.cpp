// Options and functions of a cache that are now those of `SiteRulings`. Each must not compile, and
// the error must say what to write. Only a test builds this file.
#include <robots/cache/basic_robots_cache.hpp>

#ifdef MOVED_OPTIONS
// Each option gets a value of another type, since the compiler reports each type once.
template <int Number>
struct value {};

robots::cache_options mistaken() {
  return {.user_agent = "FooBot/1.0",
          .fallback = robots::fallback_policy::strict(),
          .sign_off = {"gov", "mil"},
          .is_high_risk = value<2>{},
          .quarantine_after = value<3>{},
          .halt_hostile = value<4>{},
          .halt_unreachable_after = value<5>{},
          .halt_revoked = value<6>{},
          .fast_change_share = value<7>{},
          .fast_change_within = value<8>{}};
}
#else
void mistaken(robots::any_robots_cache& cache) {
  cache.halt("example.com");
  cache.resume("example.com");
  if (cache.is_halted("example.com")) {
    cache.halted();
  }
  cache.set_override("example.com", robots::site_override::deny);
  cache.overrides();
  cache.sign_off("example.com", true);
  cache.awaiting_sign_off();
  cache.release("example.com");
  if (cache.is_quarantined("example.com")) {
    cache.quarantined();
  }
}
#endif
