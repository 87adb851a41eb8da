#include <robots/adapters/curl/curl_multi_fetcher.hpp>

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

#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace {

using robots::curl_multi_fetcher;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::test::check_answered;
using robots::test::check_failed;
using robots::test::direct;
using robots::test::get;
using robots::test::loopback_server;
using robots::test::rules;

constexpr std::chrono::milliseconds long_wait{60'000};

struct multi_loop {
  explicit multi_loop(const robots::curl_options& options) : web(options) {}
  void async_fetch(const fetch_request& request, std::function<void(fetch_response)> done) {
    web.async_fetch(request, std::move(done));
  }
  void run_once() { web.run_once(long_wait); }
  curl_multi_fetcher web;
};

using OneAtATime = robots::test::one_at_a_time<multi_loop>;

static_assert(robots::Fetcher<OneAtATime>);

void run(curl_multi_fetcher& web) {
  while (web.in_flight() != 0) {
    web.run_once(long_wait);
  }
}

}  // namespace

// CurlFetcher runs the other cases: it drives its exchanges in the same way.
TEST_CASE_TEMPLATE_INVOKE(fetcher_plain, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stray_lines, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_timeout, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stop, OneAtATime);

TEST_CASE("One thread makes several exchanges at the same time") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  server.get("/fast", std::string(rules));
  curl_multi_fetcher web(direct());
  std::string order;
  web.async_fetch(get(server.url("/slow")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    order += "slow ";
  });
  web.async_fetch(get(server.url("/fast")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    order += "fast ";
    gate.open();
  });
  CHECK(web.in_flight() == 2);
  run(web);
  CHECK(order == "fast slow ");
  CHECK(server.connections() == 2);
}

TEST_CASE("run_once makes all callbacks, even for exchanges that cannot begin") {
  curl_multi_fetcher web(direct());
  std::size_t called = 0;
  web.async_fetch(get("ftp://example.test/"), [&](const fetch_response& response) {
    check_failed(response, fetch_error::protocol);
    ++called;
  });
  web.async_fetch(get("http://two\r\nlines/"), [&](const fetch_response& response) {
    check_failed(response, fetch_error::protocol);
    ++called;
  });
  CHECK(called == 0);
  CHECK(web.in_flight() == 2);
  run(web);
  CHECK(called == 2);
}

TEST_CASE("A callback can start exchanges") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  robots::curl_options keeping = direct();
  keeping.keep_connections = true;
  curl_multi_fetcher web(keeping);
  int left = 5;
  std::function<void(const fetch_response&)> again = [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    if (--left > 0) {
      web.async_fetch(get(server.url("/robots.txt")), again);
    }
  };
  web.async_fetch(get(server.url("/robots.txt")), again);
  run(web);
  CHECK(left == 0);
  CHECK(server.requests() == 5);
  CHECK(server.connections() == 1);
}

TEST_CASE("An exchange goes on while other exchanges end as soon as they begin") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  curl_multi_fetcher web(direct());
  bool is_answered = false;
  std::function<void(const fetch_response&)> again = [&](const fetch_response&) {
    if (!is_answered) {
      web.async_fetch(get("nonsense:"), again);
    }
  };
  web.async_fetch(get(server.url("/robots.txt")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    is_answered = true;
  });
  web.async_fetch(get("nonsense:"), again);
  for (int i = 0; i < 1'000'000 && !is_answered; ++i) {
    web.run_once(long_wait);
    std::this_thread::yield();
  }
  CHECK(is_answered);
  is_answered = true;
  run(web);
}

TEST_CASE("run_once throws what a callback throws, and calls the other callbacks the next time") {
  curl_multi_fetcher web(direct());
  std::size_t called = 0;
  web.async_fetch(get("nonsense:"),
                  [](const fetch_response&) { throw std::runtime_error("enough"); });
  web.async_fetch(get("nonsense:"), [&](const fetch_response&) { ++called; });
  const auto until_thrown = [&] { run(web); };
  CHECK_THROWS_WITH_AS(until_thrown(), "enough", std::runtime_error);
  run(web);
  CHECK(called == 1);
}

TEST_CASE("A stop from another thread ends one exchange and leaves the others") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  curl_multi_fetcher web(direct());
  std::stop_source stop;
  fetch_request stopped = get(server.url("/slow"));
  stopped.stop = stop.get_token();
  int called = 0;
  web.async_fetch(stopped, [&](const fetch_response& response) {
    check_failed(response, fetch_error::cancelled);
    ++called;
    gate.open();
  });
  web.async_fetch(get(server.url("/slow")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    ++called;
  });
  std::thread other([&] {
    gate.wait_for_arrivals(2);
    stop.request_stop();
  });
  run(web);
  other.join();
  CHECK(called == 2);
}

TEST_CASE("A callback can stop other exchanges, including those that have ended") {
  curl_multi_fetcher web(direct());
  std::stop_source stop;
  int called = 0;
  for (int i = 0; i < 8; ++i) {
    fetch_request request = get("nonsense:");
    request.stop = stop.get_token();
    web.async_fetch(request, [&](const fetch_response&) {
      ++called;
      stop.request_stop();
    });
  }
  run(web);
  CHECK(called == 8);
}

TEST_CASE("A fetcher can be destroyed during exchanges") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow");
  std::stop_source stop;
  {
    curl_multi_fetcher web(direct());
    for (int i = 0; i < 4; ++i) {
      fetch_request request = get(server.url("/slow"));
      request.stop = stop.get_token();
      web.async_fetch(request, [](const fetch_response&) { FAIL("called back"); });
    }
    std::thread other([&] {
      gate.wait_for_arrivals(4);
      web.wake();
    });
    web.run_once(long_wait);
    web.run_once(long_wait);
    other.join();
  }
  CHECK(stop.request_stop());
}

TEST_CASE("A fetcher opens at most max_connections, and further exchanges wait") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  robots::curl_options keeping = direct(2);
  keeping.keep_connections = true;
  curl_multi_fetcher web(keeping);
  int called = 0;
  for (int i = 0; i < 20; ++i) {
    web.async_fetch(get(server.url("/robots.txt")), [&](const fetch_response& response) {
      check_answered(response, 200, rules);
      ++called;
    });
  }
  run(web);
  CHECK(called == 20);
  CHECK(server.connections() <= 2);
}

TEST_CASE("The timeout of an exchange starts when its connection is free") {
  loopback_server server;
  robots::test::waiting_hosts hosts{server};
  curl_multi_fetcher web(hosts.options());
  hosts.check([&](const fetch_request& request, auto done) { web.async_fetch(request, done); },
              [&] { run(web); });
  CHECK(server.connections() >= robots::test::waiting_hosts::hanging);
}

TEST_CASE("Exchanges that wait for a connection begin in order, without those that were stopped") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  server.otherwise([](const auto&) { return robots::test::loopback_reply{}; });
  curl_multi_fetcher web(direct(1));
  web.async_fetch(get(server.url("/slow")),
                  [&](const fetch_response& response) { check_answered(response, 200, rules); });
  std::string order;
  std::stop_source stop;
  for (const char* const path : {"/a", "/stopped", "/b", "/c"}) {
    fetch_request request = get(server.url(path));
    const bool is_stopped = request.url.ends_with("/stopped");
    if (is_stopped) {
      request.stop = stop.get_token();
    }
    web.async_fetch(request, [&, path, is_stopped](const fetch_response& response) {
      order += path;
      if (is_stopped) {
        check_failed(response, fetch_error::cancelled);
        gate.open();
      } else {
        check_answered(response, 200, "");
      }
    });
  }
  CHECK(web.in_flight() == 5);
  stop.request_stop();
  run(web);
  CHECK(order == "/stopped/a/b/c");
  CHECK(server.requests("/stopped") == 0);
}

TEST_CASE("A fetcher can be destroyed while exchanges wait for a connection") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow");
  std::stop_source stop;
  {
    curl_multi_fetcher web(direct(1));
    for (int i = 0; i < 4; ++i) {
      fetch_request request = get(server.url("/slow"));
      request.stop = stop.get_token();
      web.async_fetch(request, [](const fetch_response&) { FAIL("called back"); });
    }
    std::thread other([&] {
      gate.wait_for_arrivals();
      web.wake();
    });
    web.run_once(long_wait);
    web.run_once(long_wait);
    other.join();
  }
  CHECK(stop.request_stop());
}

TEST_CASE("curl_multi_fetcher keeps the promises of a Fetcher") {
  robots::test::fetcher_conformance([] { return OneAtATime{direct()}; });
}
