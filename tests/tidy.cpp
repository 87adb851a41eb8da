// The one translation unit clang-tidy reads: every public header, and the cache as most users have
// it.
#include <robots/robots.hpp>

#if __has_include(<curl/curl.h>)
#include <robots/adapters/curl_fetcher.hpp>

template class robots::basic_robots_cache<robots::CurlFetcher>;
#endif
