// The cache of tests that need rulings, for the programs that use it.
#include "rulings/ruled_cache.hpp"

template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                          robots::LruStorage<64>, robots::test::Witness,
                                          robots::SiteRulings>;
