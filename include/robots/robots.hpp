#pragma once

/// Includes the whole library, except `testing.hpp` and the adapters, which need other libraries.
#include <robots/base/config.hpp>
#include <robots/cache.hpp>
#include <robots/cache/tdmrep_cache.hpp>
#include <robots/client.hpp>
#include <robots/observe.hpp>
#include <robots/parse.hpp>
#include <robots/polite.hpp>
#include <robots/rulings.hpp>
#include <robots/usage.hpp>
#include <robots/version.hpp>
