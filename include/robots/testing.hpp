#pragma once

/// Stand-ins for the network, the time and the cache, for tests of programs that use the library.
#include <robots/fetch/scripted_fetcher.hpp>
#include <robots/polite/fixed_policy_source.hpp>
#include <robots/time/manual_clock.hpp>
