// A fetcher that a program writes for its own event loop keeps all promises of `CurlFetcher`.
#include "poll_fetcher.hpp"

#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_connection.hpp>
#include <adapters/curl/fetcher_exchange.hpp>
#include <adapters/curl/fetcher_helpers.hpp>
#include <adapters/curl/one_at_a_time.hpp>
#include <adapters/curl/waiting_hosts.hpp>
#include <doctest/doctest.h>
#include <fetch/fetcher_conformance.hpp>
#include <support/gate.hpp>
#include <support/loopback_server.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

namespace {

using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::test::check_answered;
using robots::test::check_failed;
using robots::test::direct;
using robots::test::get;
using robots::test::loopback_server;
using robots::test::rules;

using one_at_a_time = robots::test::one_at_a_time<poll_fetcher>;

static_assert(robots::Fetcher<one_at_a_time>);

void run(poll_fetcher& web) {
  while (web.in_flight() != 0) {
    web.run_once();
  }
}

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(fetcher_plain, one_at_a_time);
TEST_CASE_TEMPLATE_INVOKE(fetcher_tls, one_at_a_time);
TEST_CASE_TEMPLATE_INVOKE(fetcher_body_limit, one_at_a_time);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stray_lines, one_at_a_time);
TEST_CASE_TEMPLATE_INVOKE(fetcher_timeout, one_at_a_time);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stop, one_at_a_time);
TEST_CASE_TEMPLATE_INVOKE(fetcher_broken_peer, one_at_a_time);

TEST_CASE("An own loop runs many exchanges at the same time, and callbacks begin others") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  poll_fetcher web(direct());
  int answered = 0;
  const std::function<void(const fetch_response&)> again = [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    if (++answered <= 50) {
      web.async_fetch(get(server.url("/robots.txt")), again);
    }
  };
  for (int i = 0; i < 10; ++i) {
    web.async_fetch(get(server.url("/robots.txt")), again);
  }
  CHECK(answered == 0);
  run(web);
  CHECK(answered == 60);
}

TEST_CASE("A stop by another thread wakes an own loop") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  poll_fetcher web(direct());
  std::stop_source source;
  fetch_request request = get(server.url("/slow"));
  request.stop = robots::stop_token(source.get_token());
  request.timeout = std::chrono::hours{1};
  bool is_stopped = false;
  web.async_fetch(request, [&](const fetch_response& response) {
    check_failed(response, fetch_error::cancelled);
    is_stopped = true;
  });
  std::thread other([&] {
    gate.wait_for_arrivals();
    source.request_stop();
  });
  run(web);
  other.join();
  gate.open();
  CHECK(is_stopped);
}

TEST_CASE("An own loop calls the other callbacks after one that throws") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  poll_fetcher web(direct());
  int answered = 0;
  for (int i = 0; i < 5; ++i) {
    web.async_fetch(get(server.url("/robots.txt")), [&](const fetch_response&) {
      ++answered;
      throw std::runtime_error{"a callback throws"};
    });
  }
  int thrown = 0;
  while (web.in_flight() != 0) {
    try {
      web.run_once();
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  CHECK(answered == 5);
  CHECK(thrown == 5);
}
