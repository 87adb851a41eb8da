// The one translation unit clang-tidy reads: every public header, and the cache and the gate as
// most users have them.
#include <robots/robots.hpp>

template class robots::basic_host_gate<robots::SteadyClock>;
template class robots::basic_admission<robots::FixedPolicySource>;

#if __has_include(<curl/curl.h>) && __has_include(<zlib.h>)
#include <robots/adapters/curl_fetcher.hpp>

template class robots::basic_robots_cache<robots::CurlFetcher>;
#endif
