// Types that do not model Fetcher, Clock or Storage, and a wrong fallback. Each must not compile,
// and the error must name the concept. Only a test builds this file.
#include <robots/cache.hpp>
#include <robots/testing.hpp>

struct TextFetcher {
  static const char* fetch(const robots::fetch_request&) { return ""; }
};

struct StoppedClock {
  static robots::time_point now() { return {}; }
};

struct ForgetfulStorage {
  void clear() {}
};

#if defined WRONG_FETCHER
robots::basic_robots_cache<TextFetcher>* mistaken = nullptr;
#elif defined DEDUCED_FETCHER
robots::basic_robots_cache mistaken{
    robots::cache_options{.user_agent = "FooBot/1.0",
                          .fallback = robots::fallback_policy::strict()},
    TextFetcher{}};
#elif defined OBSERVER_AS_CLOCK
robots::basic_robots_cache mistaken{
    robots::cache_options{.user_agent = "FooBot/1.0",
                          .fallback = robots::fallback_policy::strict()},
    robots::ScriptedFetcher{}, robots::NullObserver{}};
#elif defined WRONG_CLOCK
robots::basic_robots_cache<robots::ScriptedFetcher, StoppedClock>* mistaken = nullptr;
#else
robots::basic_robots_cache<robots::ScriptedFetcher, robots::SteadyClock, ForgetfulStorage>*
    mistaken = nullptr;
#endif
