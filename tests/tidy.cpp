// The file for clang-tidy and libc++: every public header, and the cache and the gate as most users
// have them.
#include <robots/robots.hpp>
#include <robots/testing.hpp>

template class robots::basic_host_gate<robots::SteadyClock>;
template class robots::basic_admission<robots::robots_cache<robots::ScriptedFetcher>>;

#if __has_include(<curl/curl.h>)
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_multi_fetcher.hpp>

template class robots::basic_robots_cache<robots::CurlFetcher>;
template class robots::HeadersFetcher<robots::CurlFetcher>;
template class robots::basic_polite_client<robots::robots_cache<robots::CurlFetcher>,
                                           robots::host_gate, robots::CurlFetcher>;
template class robots::page_driver<robots::robots_cache<robots::CurlFetcher>, robots::host_gate,
                                   robots::curl_multi_fetcher>;

#if __has_include(<cpr/cpr.h>)
#include <robots/adapters/cpr/cpr_fetcher.hpp>
#endif

#if __has_include(<boost/asio.hpp>)
#include <robots/adapters/asio/asio_curl_fetcher.hpp>
#include <robots/adapters/asio/asio_robots_cache.hpp>
#endif
#endif

#if __has_include(<hiredis/hiredis.h>)
#include <robots/adapters/redis/redis_pace_ledger.hpp>
#include <robots/adapters/redis/redis_ruling_ledger.hpp>
#include <robots/adapters/redis/redis_store.hpp>
#endif

#if __has_include(<openssl/evp.h>)
#include <robots/adapters/audit/audit_decisions.hpp>
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/audit/audit_verify.hpp>
#include <robots/adapters/signature/key_directory.hpp>
#include <robots/adapters/signature/web_bot_auth.hpp>
#endif

#if __has_include(<gumbo.h>)
#include <robots/adapters/html/html_reader.hpp>
#include <robots/adapters/html/read_html.hpp>
#endif

#if __has_include(<idn2.h>)
#include <robots/adapters/idn/idn_hosts.hpp>
#endif

#if __has_include(<prometheus/collectable.h>)
#include <robots/adapters/metrics/prometheus_metrics.hpp>
#endif

#if __has_include(<sqlite3.h>)
#include <robots/adapters/sqlite/sqlite_ruling_ledger.hpp>
#include <robots/adapters/sqlite/sqlite_store.hpp>
#endif
