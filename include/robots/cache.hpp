#pragma once

/// Includes `basic_robots_cache`, a cache that fetches, keeps and shares rules, with what a cache
/// over `LruStorage` needs: the options, the decisions and the policies. `robots/robots.hpp` also
/// includes what few caches need. Each such part has its own header: `cache/prefetch.hpp`,
/// `cache/look_up_driver.hpp`, `cache/page.hpp`, `cache/tdmrep_cache.hpp`,
/// `cache/tiered_storage.hpp`, `fetch/headers_fetcher.hpp`, `fetch/origin_headers.hpp` and
/// `http/address_guard.hpp`.
#include <robots/base/config.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/lru_storage.hpp>
