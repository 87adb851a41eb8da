#include "cache_fixture.hpp"

template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock>;
template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                          robots::LruStorage<64>>;
template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                          robots::test::WatchedStorage>;
