// Fetchers over libcurl in a process that has too few file descriptors for all its exchanges.
#include <robots/adapters/asio/asio_curl_fetcher.hpp>
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_multi_fetcher.hpp>
#include <robots/adapters/curl/detail/descriptors.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/prefetch.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <signal.h>
#include <support/many_sites.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using robots::CurlFetcher;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::test::many_sites;

constexpr std::size_t site_count = 300;

/// Servers of any host in another process, which has its own file descriptors.
class other_process {
 public:
  other_process() {
    std::array<int, 2> to_parent{};
    REQUIRE(::pipe(to_parent.data()) == 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also if a sanitizer ends the tests
      serve(to_parent[1]);
    }
    std::array<char, 128> entry{};
    const ssize_t size = ::read(to_parent[0], entry.data(), entry.size());
    REQUIRE(size > 0);
    connect_to_.assign(entry.data(), static_cast<std::size_t>(size));
    ::close(to_parent[0]);
    ::close(to_parent[1]);
  }
  other_process(const other_process&) = delete;
  other_process& operator=(const other_process&) = delete;
  ~other_process() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  [[nodiscard]] robots::curl_options options() const {
    robots::curl_options options;
    options.proxy = "";
    options.allowed_addresses = {"127.0.0.0/8"};
    options.connect_to = {connect_to_};
    return options;
  }

 private:
  /// Answers until the parent kills this process. Never returns, also after an exception:
  /// otherwise, the child would run the other tests of the parent, too.
  [[noreturn]] static void serve(int to_parent) noexcept {
    const many_sites server(
        [](std::string_view) { return many_sites::ok("User-agent: *\nDisallow: /x\n"); });
    const std::string entry = server.connect_to();
    static_cast<void>(::write(to_parent, entry.data(), entry.size()));
    while (true) {
      ::pause();
    }
  }

  pid_t child_ = 0;
  std::string connect_to_;
};

/// Limits the file descriptors of this process while this object exists.
class descriptor_limit {
 public:
  explicit descriptor_limit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = most;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &now) == 0);
  }
  descriptor_limit(const descriptor_limit&) = delete;
  descriptor_limit& operator=(const descriptor_limit&) = delete;
  ~descriptor_limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// Waits a millisecond for a response or a descriptor while it is hurried, else the usual time.
struct HurriedFetcher {
  CurlFetcher web;
  std::shared_ptr<std::atomic<bool>> is_hurried;

  [[nodiscard]] fetch_response fetch(fetch_request request) const {
    if (*is_hurried) {
      request.timeout = std::chrono::milliseconds{1};
    }
    return web.fetch(request);
  }
};

/// Opens file descriptors until the process has no more.
class no_descriptors {
 public:
  no_descriptors() {
    for (int copy = ::dup(0); copy >= 0; copy = ::dup(0)) {
      copies_.push_back(copy);
    }
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;
  ~no_descriptors() {
    for (const int copy : copies_) {
      ::close(copy);
    }
  }

 private:
  std::vector<int> copies_;
};

std::string site(std::size_t i) { return "http://host-" + std::to_string(i) + ".example/"; }

fetch_request request_of(std::size_t i) {
  fetch_request request;
  request.url = site(i) + "robots.txt";
  request.timeout = std::chrono::seconds{60};
  return request;
}

}  // namespace

TEST_CASE("Exchanges wait for a free file descriptor, and no site is lost") {
  const other_process servers;
  const descriptor_limit few{64};
  std::atomic<std::size_t> answered = 0;
  // The failure is checked when there are descriptors again: UndefinedBehaviorSanitizer opens a
  // pipe when it sees an object of a polymorphic type for the first time, such as doctest's
  // messages.
  std::string failure;
  const auto note = [&](const fetch_response& response) {
    if (response.status == 200) {
      ++answered;
    } else {
      failure = response.error_text;
    }
  };

  SUBCASE("in one multi handle") {
    robots::curl_multi_fetcher web{servers.options()};
    for (std::size_t i = 0; i < site_count; ++i) {
      web.async_fetch(request_of(i), note);
    }
    while (web.in_flight() != 0) {
      web.run_once(std::chrono::seconds{1});
    }
  }
  SUBCASE("in an event loop of Boost.Asio") {
    boost::asio::io_context context;
    robots::AsioCurlFetcher web{context.get_executor(), servers.options()};
    for (std::size_t i = 0; i < site_count; ++i) {
      web.async_fetch(request_of(i), note);
    }
    while (answered < site_count && context.run_one_for(std::chrono::seconds{20}) != 0) {
    }
  }
  SUBCASE("in many threads") {
    const CurlFetcher web{servers.options()};
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (int started = 0; started < 60; ++started) {
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < site_count; i = next++) {
          answered += web.fetch(request_of(i)).status == 200 ? 1U : 0U;
        }
      });
    }
    threads.clear();
  }
  SUBCASE("in a prefetch") {
    robots::robots_cache<CurlFetcher> cache{
        {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::strict()},
        CurlFetcher{servers.options()}};
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < site_count; ++i) {
      hosts.push_back(site(i));
    }
    robots::curl_multi_fetcher web{servers.options()};
    static_cast<void>(robots::prefetch(cache, hosts, web));
    for (const std::string& host : hosts) {
      answered += cache.allowed(host + "page") && !cache.allowed(host + "x") ? 1U : 0U;
    }
    CHECK(cache.stats().failures == 0);
  }
  CHECK(failure == "");
  CHECK(answered == site_count);
}

TEST_CASE("Only near the limit does an exchange ask the system for free descriptors") {
  const descriptor_limit few{64};
  robots::adapters_detail::descriptor_supply supply;
  std::vector<bool> answers;  // checked when there are descriptors again
  {
    const no_descriptors none;
    answers.push_back(supply.has(1, 0));  // no socket is known yet, so it asks
    supply.note_socket(20);
    answers.push_back(supply.has(1, 0));
    answers.push_back(supply.has(1, 18));
    answers.push_back(supply.has(1, 19));  // 20 + 2 x 19 + 6 is 64
    supply.note_shortage();
    answers.push_back(supply.has(1, 0));
    supply.note_socket(58);
    answers.push_back(supply.has(1, 0));
  }
  CHECK(answers == std::vector<bool>{false, true, true, false, false, false});
  CHECK(supply.has(1, 0));
}

TEST_CASE("Exchanges that lack a descriptor unexpectedly wait for one, too") {
  const other_process servers;
  robots::curl_multi_fetcher web{servers.options()};
  std::vector<int> statuses;
  const auto note = [&](const fetch_response& response) { statuses.push_back(response.status); };
  const auto finish = [&] {
    while (web.in_flight() != 0) {
      web.run_once(std::chrono::seconds{1});
    }
  };
  web.async_fetch(request_of(0), note);
  finish();  // the next exchange begins without a question, since its socket was far from the limit
  const descriptor_limit few{64};
  {
    const no_descriptors none;
    web.async_fetch(request_of(1), note);
    web.run_once(std::chrono::milliseconds{1});
    web.run_once(std::chrono::milliseconds{1});
  }
  finish();
  CHECK(statuses == std::vector<int>{200, 200});
}

TEST_CASE("Want of a file descriptor is no answer of the site, and the cache does not keep it") {
  const other_process servers;
  const auto is_hurried = std::make_shared<std::atomic<bool>>(false);
  robots::robots_cache<HurriedFetcher> cache{
      {.user_agent = "FooBot/1.0",
       .fallback = robots::fallback_policy::rfc9309(),
       .timeout = std::chrono::minutes{1}},
      HurriedFetcher{CurlFetcher{servers.options()}, is_hurried}};
  const descriptor_limit few{64};
  {
    const no_descriptors none;
    *is_hurried = true;
    const robots::decision answer = cache.check(site(0) + "page");
    *is_hurried = false;
    CHECK(!answer.allowed);
    CHECK(to_string(answer.policy->last_retrieval().error) == "local");
    CHECK(explain(answer).find("no free file descriptor") != std::string::npos);
    CHECK(explain(answer).find("max_connections") != std::string::npos);
  }
  CHECK(cache.allowed(site(0) + "page"));
  CHECK(!cache.allowed(site(0) + "x"));
}
