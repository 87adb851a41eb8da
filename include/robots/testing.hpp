#pragma once

/// Replacements for the network, the time and the store of a cache, for tests of programs that use
/// the library.
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>
