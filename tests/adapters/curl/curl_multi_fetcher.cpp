#include <robots/adapters/curl/curl_multi_fetcher.hpp>

#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_connection.hpp>
#include <adapters/curl/fetcher_exchange.hpp>
#include <adapters/curl/fetcher_helpers.hpp>
#include <adapters/curl/waiting_hosts.hpp>
#include <doctest/doctest.h>
#include <support/gate.hpp>
#include <support/loopback_server.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

/// Makes one exchange after another, so that the cases for every Fetcher can run.
class OneAtATime {
 public:
  OneAtATime() : OneAtATime(robots::curl_options{}) {}
  explicit OneAtATime(const robots::curl_options& options)
      : web_(std::make_shared<curl_multi_fetcher>(robots::curl_multi_options{.curl = options})) {}

  [[nodiscard]] fetch_response fetch(const fetch_request& request) const {
    std::optional<fetch_response> result;
    web_->start(request, [&](fetch_response response) { result = std::move(response); });
    while (!result) {
      web_->run_once(long_wait);
    }
    return *result;
  }
  [[nodiscard]] std::uint64_t connections_opened() const { return web_->connections_opened(); }

 private:
  std::shared_ptr<curl_multi_fetcher> web_;
};

static_assert(robots::Fetcher<OneAtATime>);

void run(curl_multi_fetcher& web) {
  while (web.in_flight() != 0) {
    web.run_once(long_wait);
  }
}

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(fetcher_plain, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_headers, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_header_limit, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_tls, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_redirect, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_refusal, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_body_limit, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_decoding, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_timeout, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stop, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_broken_peer, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_cookies, OneAtATime);
TEST_CASE_TEMPLATE_INVOKE(fetcher_proxy, OneAtATime);

TEST_CASE("One thread makes exchanges at once") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  server.get("/fast", std::string(rules));
  curl_multi_fetcher web({.curl = direct()});
  std::string order;
  web.start(get(server.url("/slow")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    order += "slow ";
  });
  web.start(get(server.url("/fast")), [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    order += "fast ";
    gate.open();
  });
  CHECK(web.in_flight() == 2);
  run(web);
  CHECK(order == "fast slow ");
  CHECK(web.connections_opened() == 2);
}

TEST_CASE("run_once makes all callbacks, even for exchanges that cannot begin") {
  curl_multi_fetcher web({.curl = direct()});
  std::size_t called = 0;
  web.start(get("ftp://example.test/"), [&](const fetch_response& response) {
    check_failed(response, fetch_error::protocol);
    ++called;
  });
  web.start(get("http://two\r\nlines/"), [&](const fetch_response& response) {
    check_failed(response, fetch_error::protocol);
    ++called;
  });
  CHECK(called == 0);
  CHECK(web.in_flight() == 2);
  run(web);
  CHECK(called == 2);
}

TEST_CASE("A callback may start exchanges") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  robots::curl_options keeping = direct();
  keeping.keep_connections = true;
  curl_multi_fetcher web({.curl = keeping});
  int left = 5;
  std::function<void(const fetch_response&)> again = [&](const fetch_response& response) {
    check_answered(response, 200, rules);
    if (--left > 0) {
      web.start(get(server.url("/robots.txt")), again);
    }
  };
  web.start(get(server.url("/robots.txt")), again);
  run(web);
  CHECK(left == 0);
  CHECK(server.requests() == 5);
  CHECK(server.connections() == 1);
}

TEST_CASE("An exception of a callback leaves run_once, and the others are called later") {
  curl_multi_fetcher web({.curl = direct()});
  std::size_t called = 0;
  web.start(get("nonsense:"), [](const fetch_response&) { throw std::runtime_error("enough"); });
  web.start(get("nonsense:"), [&](const fetch_response&) { ++called; });
  const auto until_thrown = [&] { run(web); };
  CHECK_THROWS_WITH_AS(until_thrown(), "enough", std::runtime_error);
  run(web);
  CHECK(called == 1);
}

TEST_CASE("A stop from another thread ends one exchange and leaves the others") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  curl_multi_fetcher web({.curl = direct()});
  std::stop_source stop;
  fetch_request stopped = get(server.url("/slow"));
  stopped.stop = stop.get_token();
  int called = 0;
  web.start(stopped, [&](const fetch_response& response) {
    check_failed(response, fetch_error::cancelled);
    ++called;
    gate.open();
  });
  web.start(get(server.url("/slow")), [&](const fetch_response& response) {
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

TEST_CASE("A callback may stop other exchanges, including those that have ended") {
  curl_multi_fetcher web({.curl = direct()});
  std::stop_source stop;
  int called = 0;
  for (int i = 0; i < 8; ++i) {
    fetch_request request = get("nonsense:");
    request.stop = stop.get_token();
    web.start(request, [&](const fetch_response&) {
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
    curl_multi_fetcher web({.curl = direct()});
    for (int i = 0; i < 4; ++i) {
      fetch_request request = get(server.url("/slow"));
      request.stop = stop.get_token();
      web.start(request, [](const fetch_response&) { FAIL("called back"); });
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

TEST_CASE("No more connections than permitted are opened, and exchanges wait for one") {
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  robots::curl_options keeping = direct();
  keeping.keep_connections = true;
  curl_multi_fetcher web({.curl = keeping, .max_connections = 2});
  int called = 0;
  for (int i = 0; i < 20; ++i) {
    web.start(get(server.url("/robots.txt")), [&](const fetch_response& response) {
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
  curl_multi_fetcher web({.curl = hosts.options(), .max_connections = 2});
  hosts.check([&](const fetch_request& request, auto done) { web.start(request, done); },
              [&] { run(web); });
  CHECK(server.connections() >= robots::test::waiting_hosts::hanging);
}

TEST_CASE("Exchanges that wait for a connection begin in order, without those that were stopped") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  server.otherwise([](const auto&) { return robots::test::loopback_reply{}; });
  curl_multi_fetcher web({.curl = direct(), .max_connections = 1});
  web.start(get(server.url("/slow")),
            [&](const fetch_response& response) { check_answered(response, 200, rules); });
  std::string order;
  std::stop_source stop;
  for (const char* const path : {"/a", "/stopped", "/b", "/c"}) {
    fetch_request request = get(server.url(path));
    const bool is_stopped = request.url.ends_with("/stopped");
    if (is_stopped) {
      request.stop = stop.get_token();
    }
    web.start(request, [&, path, is_stopped](const fetch_response& response) {
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

TEST_CASE("Exchanges above the limit of their host wait, and those of other hosts do not") {
  loopback_server server;
  loopback_server other;
  robots::test::gate& gate = server.stall("/slow", std::string(rules));
  server.get("/robots.txt", std::string(rules));
  other.get("/robots.txt", std::string(rules));
  robots::curl_options keeping = direct();
  keeping.keep_connections = true;
  curl_multi_fetcher web({.curl = keeping, .max_connections = 2, .max_host_connections = 1});
  std::string order;
  std::stop_source stop;
  const auto start = [&](const std::string& url, char name, bool is_stopped = false) {
    fetch_request request = get(url);
    request.timeout = name == 's' ? std::chrono::milliseconds{0} : long_wait;
    if (is_stopped) {
      request.stop = stop.get_token();
    }
    web.start(request, [&, name](const fetch_response& response) {
      order += name;
      CHECK(response.error == (name == 'x' ? fetch_error::cancelled : fetch_error::none));
      if (name == 'o') {
        stop.request_stop();
      } else if (name == 'x') {
        gate.open();
      }
    });
  };
  start(server.url("/slow"), 's');
  start(server.url("/robots.txt"), 'x', true);
  start(server.url("/robots.txt"), 'a');
  start(server.url("/robots.txt"), 'b');
  start(other.url("/robots.txt"), 'o');
  run(web);
  CHECK(order == "oxsab");
  CHECK(server.connections() == 1);
}

TEST_CASE("A fetcher can be destroyed while exchanges wait for a connection") {
  loopback_server server;
  robots::test::gate& gate = server.stall("/slow");
  std::stop_source stop;
  {
    curl_multi_fetcher web({.curl = direct(), .max_connections = 2, .max_host_connections = 1});
    for (int i = 0; i < 4; ++i) {
      fetch_request request = get(server.url("/slow"));
      request.stop = stop.get_token();
      web.start(request, [](const fetch_response&) { FAIL("called back"); });
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
