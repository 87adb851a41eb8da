#include "cache_fixture.hpp"

template class robots::basic_robots_cache<robots::ScriptedFetcher>;
template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::SteadyClock,
                                          robots::test::WatchedStorage>;
