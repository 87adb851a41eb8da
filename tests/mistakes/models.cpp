// Types that do not model Fetcher, Clock or Storage. Each use must be an error that names the
// concept. The errors have the order of the uses. Only a test builds this file.
#include <robots/cache.hpp>
#include <robots/store/shared_store.hpp>
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

struct UntieredStorage : robots::LruStorage<64> {
  robots::SharedStore& shared();
};

robots::cache_options options();

robots::basic_robots_cache<TextFetcher>* wrong_fetcher = nullptr;

robots::basic_robots_cache deduced_fetcher{options(), TextFetcher{}};

robots::basic_robots_cache observer_as_clock{options(), robots::ScriptedFetcher{},
                                             robots::NullObserver{}};

robots::basic_robots_cache<robots::ScriptedFetcher, StoppedClock>* wrong_clock = nullptr;

robots::basic_robots_cache<robots::ScriptedFetcher, robots::SteadyClock, ForgetfulStorage>*
    wrong_storage = nullptr;

robots::basic_robots_cache<robots::ScriptedFetcher, robots::SteadyClock, UntieredStorage> untiered{
    options()};
