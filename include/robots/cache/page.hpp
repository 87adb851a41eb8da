#pragma once

/// Include this header to call `basic_robots_cache::page`. It stands apart, since most programs
/// with a cache ask nothing about the use of pages, and `usage/` takes long to compile.
#include <robots/base/config.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/page_of.hpp>
#include <robots/usage/page_statements.hpp>

#ifndef ROBOTS_COMPILED
#include <robots/cache/page.bodies.hpp>
#endif
