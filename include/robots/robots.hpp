#pragma once

/// The whole library, except the adapters, which need other libraries, and `testing.hpp`.
#include <robots/base/config.hpp>
#include <robots/cache.hpp>
#include <robots/observe.hpp>
#include <robots/parse.hpp>
#include <robots/polite.hpp>
#include <robots/version.hpp>
