// Good hosts that wait while hanging hosts occupy all connections.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_helpers.hpp>
#include <doctest/doctest.h>
#include <support/loopback_server.hpp>
#include <support/site_rules.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace robots::test {

/// The hosts, for fetchers with two connections. The first hanging hosts occupy both connections
/// for longer than the timeout of an exchange with a good host.
class waiting_hosts {
 public:
  static constexpr std::size_t hanging = 4;
  static constexpr std::size_t good = 6;

  explicit waiting_hosts(loopback_server& server) : options_(direct(2)) {
    server.stall("/hang");
    server.get("/robots.txt", std::string(rules));
    for (std::size_t i = 0; i < hanging + good; ++i) {
      options_.connect_to.push_back(server.connect_to(name(i), 80));
    }
  }

  /// Returns options whose exchanges reach the hosts.
  [[nodiscard]] const curl_options& options() const noexcept { return options_; }

  /// Starts all exchanges with `start(request, done)`, and completes them with `run()`. Checks that
  /// the hanging hosts time out and the good ones answer.
  template <class Start, class Run>
  void check(const Start& start, const Run& run) const {
    using std::chrono::milliseconds;
    std::size_t timed_out = 0;
    std::size_t answered = 0;
    for (std::size_t i = 0; i < hanging + good; ++i) {
      const bool hangs = i < hanging;
      fetch_request request = get("http://" + name(i) + (hangs ? "/hang" : "/robots.txt"));
      request.timeout = hangs ? milliseconds{1'000} : milliseconds{900};
      start(request, [&, hangs](const fetch_response& response) {
        if (hangs) {
          check_failed(response, fetch_error::timeout);
          ++timed_out;
        } else {
          check_answered(response, 200, rules);
          ++answered;
        }
      });
    }
    run();
    CHECK(timed_out == hanging);
    CHECK(answered == good);
  }

 private:
  [[nodiscard]] static std::string name(std::size_t i) {
    return "host" + std::to_string(i) + ".example";
  }

  curl_options options_;
};

}  // namespace robots::test
