#include <robots/adapters/asio/asio_curl_fetcher.hpp>

#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_connection.hpp>
#include <adapters/curl/fetcher_exchange.hpp>
#include <adapters/curl/fetcher_helpers.hpp>
#include <adapters/curl/one_at_a_time.hpp>
#include <adapters/curl/waiting_hosts.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <doctest/doctest.h>
#include <fetch/fetcher_conformance.hpp>
#include <support/gate.hpp>
#include <support/loopback_server.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using robots::AsioCurlFetcher;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::test::check_answered;
using robots::test::check_failed;
using robots::test::direct;
using robots::test::get;
using robots::test::loopback_server;
using robots::test::rules;

struct asio_loop {
  explicit asio_loop(const robots::curl_options& options) : web(context.get_executor(), options) {}
  void async_fetch(const fetch_request& request, std::function<void(fetch_response)> done) {
    web.async_fetch(request, std::move(done));
    context.restart();
  }
  void run_once() { REQUIRE(context.run_one() != 0); }
  boost::asio::io_context context;
  AsioCurlFetcher web;
};

using OneAtATime = robots::test::one_at_a_time<asio_loop>;

static_assert(robots::Fetcher<OneAtATime>);

}  // namespace

// These cases depend on sockets and timers. CurlFetcher runs the others.
TEST_CASE_TEMPLATE_INVOKE(fetcher_plain, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_tls, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_body_limit, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stray_lines, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_timeout, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stop, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_broken_peer, OneAtATime);

TEST_CASE("One thread runs many exchanges at the same time and returns when they have ended") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  server.get("/fast", std::string(rules));
  boost::asio::io_context context;
  AsioCurlFetcher web(context.get_executor(), direct());
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
  CHECK(order.empty());
  context.run();
  CHECK(order == "fast slow ");
}

TEST_CASE("A callback can start exchanges, and destroy the last copy of the fetcher") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  robots::test::gate& gate = server.stall("/slow");
  boost::asio::io_context context;
  auto web = std::make_unique<AsioCurlFetcher>(context.get_executor(), direct());
  int left = 5;
  web->async_fetch(get(server.url("/slow")), [](const fetch_response&) { FAIL("called back"); });
  const std::function<void(const fetch_response&)> again = [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    if (--left == 0) {
      web.reset();
    } else {
      web->async_fetch(get(server.url("/robots.txt")), again);
    }
  };
  std::thread other([&] {
    gate.wait_for_arrivals();
    web->async_fetch(get(server.url("/robots.txt")), again);
  });
  context.run();
  other.join();
  context.restart();
  context.run();
  CHECK(left == 0);
  CHECK(server.requests("/robots.txt") == 5);
}

TEST_CASE("A stop ends one exchange and leaves the others") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  boost::asio::io_context context;
  AsioCurlFetcher web(context.get_executor(), direct());
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
  context.run();
  other.join();
  CHECK(called == 2);
}

TEST_CASE("run throws what a callback throws and still calls the other callbacks") {
  boost::asio::io_context context;
  AsioCurlFetcher web(context.get_executor(), direct());
  int called = 0;
  for (int i = 0; i < 3; ++i) {
    web.async_fetch(get("nonsense:"), [&](const fetch_response&) {
      if (++called == 1) {
        throw std::runtime_error("enough");
      }
    });
  }
  CHECK_THROWS_WITH_AS(context.run(), "enough", std::runtime_error);
  context.run();
  CHECK(called == 3);
}

TEST_CASE("Any number of threads can run the context, start exchanges and stop them") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  std::atomic<int> called = 0;
  boost::asio::thread_pool pool(4);
  AsioCurlFetcher web(pool.get_executor(), direct(8));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        std::stop_source stop;
        fetch_request request = get(server.url("/robots.txt"));
        request.stop = stop.get_token();
        web.async_fetch(request, [&](const fetch_response& response) {
          const bool good = response.status == 200 || response.error == fetch_error::cancelled;
          called += good ? 1 : 0;
        });
        if (k % 3 == 0) {
          stop.request_stop();
        }
      }
    });
  }
  for (std::thread& one : threads) {
    one.join();
  }
  pool.join();
  CHECK(called == 200);
}

TEST_CASE("A context can be stopped and destroyed during exchanges") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow");
  std::stop_source stop;
  {
    boost::asio::io_context context;
    AsioCurlFetcher web(context.get_executor(), direct());
    for (int i = 0; i < 3; ++i) {
      fetch_request request = get(server.url("/slow"));
      request.stop = stop.get_token();
      web.async_fetch(request, [](const fetch_response&) { FAIL("called back"); });
    }
    std::thread other([&] {
      gate.wait_for_arrivals(3);
      context.stop();
    });
    context.run();
    other.join();
  }
  CHECK(stop.request_stop());
}

TEST_CASE("A host that hangs does not shorten the time of exchanges that wait for a connection") {
  loopback_server server;
  robots::test::waiting_hosts hosts{server};
  boost::asio::io_context context;
  AsioCurlFetcher web(context.get_executor(), hosts.options());
  hosts.check([&](const fetch_request& request, auto done) { web.async_fetch(request, done); },
              [&] { context.run(); });
}

TEST_CASE("A stop ends an exchange that waits for a connection") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  server.get("/robots.txt", std::string(rules));
  boost::asio::io_context context;
  AsioCurlFetcher web(context.get_executor(), direct(1));
  std::string order;
  web.async_fetch(get(server.url("/slow")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    order += "slow ";
  });
  std::stop_source stop;
  fetch_request stopped = get(server.url("/stopped"));
  stopped.stop = stop.get_token();
  web.async_fetch(stopped, [&](const fetch_response& response) {
    check_failed(response, fetch_error::cancelled);
    order += "stopped ";
    gate.open();
  });
  web.async_fetch(get(server.url("/robots.txt")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    order += "last ";
  });
  std::thread other([&] {
    gate.wait_for_arrivals();
    stop.request_stop();
  });
  context.run();
  other.join();
  CHECK(order == "stopped slow last ");
  CHECK(server.requests("/stopped") == 0);
}

TEST_CASE("AsioCurlFetcher keeps the promises of a Fetcher") {
  robots::test::fetcher_conformance([] { return OneAtATime{direct()}; });
}
