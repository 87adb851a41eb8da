#include <robots/adapters/curl/curl_fetcher.hpp>

#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/adapters/curl/detail/transfer.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_connection.hpp>
#include <adapters/curl/fetcher_exchange.hpp>
#include <adapters/curl/fetcher_guard.hpp>
#include <curl/curl.h>
#include <doctest/doctest.h>
#include <fetch/fetcher_conformance.hpp>
#include <support/extremes.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace {

using robots::CurlFetcher;
using robots::fetch_error;
using robots::adapters_detail::is_connect_to;
using robots::adapters_detail::to_fetch_error;

static_assert(std::is_nothrow_move_constructible_v<CurlFetcher>);
static_assert(std::copyable<CurlFetcher>);

static_assert(is_connect_to("example.com:443:127.0.0.1:8443"));
static_assert(is_connect_to("::127.0.0.1:8080"));
static_assert(is_connect_to("[2001:db8::1]:80:[::1]:8080"));
static_assert(!is_connect_to(""));
static_assert(!is_connect_to("example.com:443"));
static_assert(!is_connect_to("a:1:b:2:c"));
static_assert(!is_connect_to("a:x:b:2"));
static_assert(!is_connect_to("a:1:b:2\r\n"));
static_assert(!is_connect_to("[::1:1:b:2"));
static_assert(!is_connect_to("]a:1:b:2"));

template <class... Values>
consteval bool takes(Values... values) {
  std::optional<std::uint64_t> length;
  const auto take = [&](std::string_view value) {
    length = robots::adapters_detail::content_length(value, length);
    return length.has_value();
  };
  return (take(values) && ...);
}

static_assert(takes(" 5\r\n", "5", "005", "5, 5"));
static_assert(takes("0"));
static_assert(takes("999999999999999999"));
static_assert(!takes("5", "6"));
static_assert(!takes("5, 6"));
static_assert(!takes("5,"));
static_assert(!takes(""));
static_assert(!takes("-1"));
static_assert(!takes("+1"));
static_assert(!takes("0x10"));
static_assert(!takes("5 octets"));
static_assert(!takes("1000000000000000000"));

static_assert(to_fetch_error(CURLE_OK) == fetch_error::none);
static_assert(to_fetch_error(CURLE_COULDNT_RESOLVE_HOST) == fetch_error::resolve);
static_assert(to_fetch_error(CURLE_COULDNT_RESOLVE_PROXY) == fetch_error::resolve);
static_assert(to_fetch_error(CURLE_COULDNT_CONNECT) == fetch_error::connect);
static_assert(to_fetch_error(CURLE_SSL_CONNECT_ERROR) == fetch_error::tls);
static_assert(to_fetch_error(CURLE_PEER_FAILED_VERIFICATION) == fetch_error::tls);
static_assert(to_fetch_error(CURLE_SSL_CACERT_BADFILE) == fetch_error::local);
static_assert(to_fetch_error(CURLE_OPERATION_TIMEDOUT) == fetch_error::timeout);
static_assert(to_fetch_error(CURLE_ABORTED_BY_CALLBACK) == fetch_error::cancelled);
static_assert(to_fetch_error(CURLE_URL_MALFORMAT) == fetch_error::protocol);
static_assert(to_fetch_error(CURLE_UNSUPPORTED_PROTOCOL) == fetch_error::protocol);
static_assert(to_fetch_error(CURLE_GOT_NOTHING) == fetch_error::protocol);
static_assert(to_fetch_error(CURLE_PARTIAL_FILE) == fetch_error::protocol);
static_assert(to_fetch_error(CURLE_RECV_ERROR) == fetch_error::protocol);
static_assert(to_fetch_error(CURLE_BAD_CONTENT_ENCODING) == fetch_error::protocol);
static_assert(to_fetch_error(CURLE_OUT_OF_MEMORY) == fetch_error::other);

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(fetcher_plain, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_headers, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stray_lines, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_header_limit, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_tls, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_redirect, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_refusal, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_body_limit, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_decoding, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_timeout, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_connect_timeout, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stop, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_reuse, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_broken_peer, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_cookies, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_proxy, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_failing_proxy, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_options, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_long_times, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_guard, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_allow_list, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_guard_ipv6, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_guard_proxy, robots::CurlFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_bad_allow_list, robots::CurlFetcher);

TEST_CASE("The timeouts of curl work at their extremes or are refused") {
  using std::chrono::milliseconds;
  robots::test::loopback_server server;
  server.get("/robots.txt", std::string{robots::test::rules});
  int accepted = 0;
  for (const milliseconds time : robots::test::extremes<milliseconds>) {
    robots::curl_options options = robots::test::direct();
    options.connect_timeout = time;
    try {
      robots::CurlFetcher fetcher{options};
      for (const milliseconds timeout : {milliseconds{0}, milliseconds::max()}) {
        robots::fetch_request request = robots::test::get(server.url("/robots.txt"));
        request.timeout = timeout;
        const robots::fetch_response response = fetcher.fetch(request);
        // On a busy machine, a connection can take more than a millisecond. Then libcurl reports a
        // timeout, or that it could not connect.
        const bool is_late =
            time == milliseconds{1} && (response.error == robots::fetch_error::timeout ||
                                        response.error == robots::fetch_error::connect);
        CHECK_MESSAGE((response.status == 200 || is_late), response.error_text);
      }
      ++accepted;
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  CHECK(accepted >= 2);
}

TEST_CASE("CurlFetcher keeps the promises of a Fetcher") {
  robots::test::fetcher_conformance([] { return robots::CurlFetcher{robots::test::direct()}; });
}
