#pragma once

/// Replacements for the network, the time, the cache and its store, for tests of programs that use
/// the library.
#include <robots/testing/fixed_policy_source.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>
