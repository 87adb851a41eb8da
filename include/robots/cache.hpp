#pragma once

/// Includes `basic_robots_cache`, a cache that fetches, keeps and shares rules, with all its parts.
/// The headers of `cache/` also include headers of `fetch/`, `http/`, `observe/`, `policy/`,
/// `store/` and `time/`.
#include <robots/base/config.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/cache/prefetch.hpp>
#include <robots/fetch/headers_fetcher.hpp>
#include <robots/fetch/origin_headers.hpp>
#include <robots/http/address_guard.hpp>
#include <robots/http/content_coding.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/freshness.hpp>
#include <robots/http/host.hpp>
#include <robots/http/international_host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/location.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/failing_time.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/page_of.hpp>
#include <robots/policy/site_names.hpp>
