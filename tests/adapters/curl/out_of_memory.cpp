// Fetchers over libcurl for event loops after an allocation has failed.
#include "examples/poll_fetcher.hpp"
#include <robots/adapters/asio/asio_curl_fetcher.hpp>
#include <robots/adapters/curl/curl_socket_driver.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_helpers.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <support/loopback_server.hpp>
#include <support/replaced_new.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>

using robots::fetch_error;
using robots::fetch_response;
using robots::test::direct;
using robots::test::get;

namespace {

constexpr int never = -1;
constexpr std::size_t any_size = (std::numeric_limits<std::size_t>::max)();

// The limits are those of one thread, so that the server has memory.
thread_local int allocations_left = never;
thread_local std::size_t most_octets = any_size;  // of one allocation
thread_local bool has_failed = false;             // true if an allocation has failed

/// An event loop that counts its calls, and can have no memory for a timer.
struct counting_loop final : robots::curl_event_loop {
  void watch(curl_socket_t /*socket*/, int /*events*/) override {}
  void set_timer(std::optional<time> when) override {
    if (!has_memory) {
      throw std::bad_alloc{};
    }
    timer = when;
  }
  void wake() noexcept override { ++wakes; }

  bool has_memory = true;
  std::optional<time> timer{};
  int wakes = 0;
};

}  // namespace

void robots::test::before_allocation(std::size_t size) {
  if (allocations_left == 0 || size > most_octets) {
    has_failed = true;
    throw std::bad_alloc{};
  }
  allocations_left -= allocations_left > 0 ? 1 : 0;
}

TEST_CASE("A driver whose loop cannot set the timer wakes the loop, and sets the timer then") {
  counting_loop loop;
  robots::curl_socket_driver driver{direct(), loop};
  loop.has_memory = false;
  bool is_called = false;
  driver.async_fetch(get("http://127.0.0.1:1/"), [&](const fetch_response&) { is_called = true; });
  CHECK(loop.wakes == 1);
  CHECK_FALSE(loop.timer);
  loop.has_memory = true;
  driver.run();
  CHECK(driver.in_flight() == 1);
  CHECK(loop.timer);
  CHECK(loop.wakes == 1);
  CHECK_FALSE(is_called);
}

TEST_CASE("fail_all ends each exchange once, as a failure of this process") {
  counting_loop loop;
  robots::curl_socket_driver driver{direct(), loop};
  int called = 0;
  for (int i = 0; i < 2; ++i) {
    driver.async_fetch(get("http://127.0.0.1:1/"), [&](const fetch_response& response) {
      CHECK(to_string(response.error) == "local");
      ++called;
    });
  }
  driver.fail_all();
  CHECK(called == 2);
  driver.run();
  CHECK(called == 2);
  CHECK(driver.in_flight() == 0);
}

TEST_CASE("Exchanges of an own loop end if memory runs out in any step") {
  robots::test::loopback_server server;
  server.get("/robots.txt", std::string(robots::test::rules));
  int failures = 0;
  for (has_failed = true; has_failed; ++failures) {
    REQUIRE(failures < 1'000);
    CAPTURE(failures);
    has_failed = false;
    poll_fetcher web(direct());
    int left = failures;
    // The step in which an allocation fails has no memory until its end. Later steps have memory.
    const auto step = [&left](const auto& act) {
      allocations_left = has_failed ? never : left;
      try {
        act();
      } catch (const std::bad_alloc&) {
        allocations_left = never;
        return false;
      }
      left = std::exchange(allocations_left, never);
      return true;
    };
    std::array<int, 3> called{};
    std::array<int, 3> expected{};
    bool is_right = true;
    for (std::size_t i = 0; i < called.size(); ++i) {
      robots::fetch_request request = get(server.url("/robots.txt"));
      std::function<void(fetch_response)> done = [&, i](const fetch_response& response) {
        is_right = is_right &&
                   (response.error != fetch_error::none || response.body == robots::test::rules);
        ++called.at(i);
      };
      const bool is_begun = step([&] { web.async_fetch(std::move(request), std::move(done)); });
      expected.at(i) = is_begun ? 1 : 0;
    }
    while (web.in_flight() != 0) {
      step([&] { web.run_once(); });
    }
    CHECK(called == expected);
    CHECK(is_right);
  }
  CHECK(failures > 10);
}

// Boost.Asio itself ends the program if it lacks memory for an executor. So only the large
// allocations fail here, which Asio does not make.
TEST_CASE("AsioCurlFetcher answers a request that it has no memory to begin") {
  boost::asio::io_context context;
  robots::AsioCurlFetcher web(context.get_executor(), direct());
  int called = 0;
  web.async_fetch(get("http://127.0.0.1:1/"), [&](const fetch_response& response) {
    CHECK(to_string(response.error) == "local");
    ++called;
  });
  most_octets = 600;
  try {
    context.run();
  } catch (const std::bad_alloc&) {
    called = never;
  }
  most_octets = any_size;
  CHECK(called == 1);
}
