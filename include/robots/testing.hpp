#pragma once

/// Stand-ins for the network, the time, the cache and its store, for tests of programs that use
/// the library.
#include <robots/fetch/scripted_fetcher.hpp>
#include <robots/polite/fixed_policy_source.hpp>
#include <robots/store/memory_store.hpp>
#include <robots/time/manual_clock.hpp>
