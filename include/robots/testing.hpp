#pragma once

/// Includes test doubles for the network, the clock and the shared store of a cache.
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>
