#include <robots/adapters/asio/asio_robots_cache.hpp>

#include <robots/adapters/asio/asio_curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <cache/cache_fixture.hpp>
#include <doctest/doctest.h>
#include <support/gate.hpp>
#include <support/loopback_server.hpp>
#include <support/many_sites.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using robots::asio_robots_cache;
using robots::AsioCurlFetcher;
using robots::decision;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

/// A fetcher that calls `done` before async_fetch returns, with the scripted response.
class Prompt {
 public:
  explicit Prompt(ScriptedFetcher web) : web_(std::move(web)) {}
  void async_fetch(const fetch_request& request, const std::function<void(fetch_response)>& done) {
    if (request.url.find("silent.example") == std::string::npos) {  // this host never answers
      done(web_.fetch(request));
    }
  }

 private:
  ScriptedFetcher web_;
};

static_assert(robots::AsyncFetcher<Prompt>);
static_assert(!robots::AsyncFetcher<ScriptedFetcher>);

/// A fetcher whose exchanges end when the test calls `done`. Copies share the exchanges.
class Held {
 public:
  struct exchange {
    fetch_request request;
    std::function<void(fetch_response)> done;
  };
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    const std::scoped_lock lock{shared_->mutex};
    shared_->open.push_back({std::move(request), std::move(done)});
  }
  [[nodiscard]] std::size_t open() const {
    const std::scoped_lock lock{shared_->mutex};
    return shared_->open.size();
  }
  [[nodiscard]] exchange take() {
    const std::scoped_lock lock{shared_->mutex};
    exchange first = std::move(shared_->open.front());
    shared_->open.erase(shared_->open.begin());
    return first;
  }

 private:
  struct state {
    std::mutex mutex;
    std::vector<exchange> open;
  };
  std::shared_ptr<state> shared_ = std::make_shared<state>();
};

using manual_cache = robots::basic_robots_cache<ScriptedFetcher, robots::ManualClock>;

/// A clock that runs, and that a test sets forward. Nobody is told, as after a sleep of the
/// machine.
class Forwarded {
 public:
  [[nodiscard]] robots::time_point now() const { return robots::SteadyClock{}.now() + *ahead_; }
  void sleep_until(robots::time_point until, const robots::stop_token& stop) const {
    robots::SteadyClock{}.sleep_until(until - *ahead_, stop);
  }
  void set_forward(std::chrono::hours by) const { *ahead_ += by; }

 private:
  std::shared_ptr<std::chrono::hours> ahead_ = std::make_shared<std::chrono::hours>(0);
};

robots::curl_options to(const robots::test::many_sites& server) {
  robots::curl_options options;
  options.proxy = "";
  options.allowed_addresses = {"127.0.0.0/8"};
  options.connect_to = {server.connect_to()};
  return options;
}

std::string site(int i) { return "http://host-" + std::to_string(i) + ".example/"; }

}  // namespace

TEST_CASE("A coroutine waits for an answer") {
  ScriptedFetcher web;
  web.on(robots_url, ok());
  manual_cache cache(foo_bot());
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, Prompt(web));
  bool done = false;
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        const decision first = co_await loop.async_check(secret, asio::use_awaitable);
        CHECK(!first.allowed);
        CHECK(!first.from_cache);
        const decision second = co_await loop.async_check(home, asio::use_awaitable);
        CHECK(second.allowed);
        CHECK(second.from_cache);
        const auto policy = co_await loop.async_get("https://example.com", asio::use_awaitable);
        CHECK(policy == second.policy);
        auto deferred = loop.async_check(home, asio::deferred);
        CHECK((co_await std::move(deferred)(asio::use_awaitable)).allowed);
        CHECK(!(co_await loop.async_check("no url", asio::use_awaitable)).allowed);
        done = true;
      },
      asio::detached);
  context.run();
  CHECK(done);
  CHECK(web.count() == 1);
}

TEST_CASE("A future and a callback get the same answers, never from within the call") {
  ScriptedFetcher web;
  web.on(robots_url, ok());
  manual_cache cache(foo_bot());
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, Prompt(web));
  for (int i = 0; i < 2; ++i) {
    std::future<decision> future = loop.async_check(secret, asio::use_future);
    int called = 0;
    // This handler can be moved, but not copied.
    loop.async_check(home, [&called, owned = std::make_unique<int>(1)](error_code error,
                                                                       const decision& answer) {
      CHECK(!error);
      CHECK(answer.allowed);
      called += *owned;
    });
    CHECK(called == 0);
    context.restart();
    context.run();
    CHECK(called == 1);
    CHECK(!future.get().allowed);
  }
}

TEST_CASE("A handler runs on its associated executor") {
  ScriptedFetcher web;
  web.on(robots_url, ok());
  manual_cache cache(foo_bot());
  asio::io_context context;
  asio::io_context other;
  asio_robots_cache loop(context.get_executor(), cache, Prompt(web));
  int called = 0;
  loop.async_check(home, asio::bind_executor(other.get_executor(),
                                             [&](error_code, const decision&) { ++called; }));
  context.run();
  CHECK(called == 0);
  other.run();
  CHECK(called == 1);
}

TEST_CASE("1,000 coroutines on one thread for 50 sites make one request for each site") {
  const robots::test::many_sites server([](std::string_view host) {
    return robots::test::many_sites::ok("User-agent: *\nDisallow: /" + std::string(host));
  });
  manual_cache cache(foo_bot());
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache,
                         AsioCurlFetcher(context.get_executor(), to(server)));
  int right = 0;
  for (int i = 0; i < 1000; ++i) {
    asio::co_spawn(
        context,
        [&, where = site(i % 50)]() -> asio::awaitable<void> {
          const std::string host = where.substr(7, where.size() - 8);
          const decision open = co_await loop.async_check(where + "page", asio::use_awaitable);
          const decision shut = co_await loop.async_check(where + host, asio::use_awaitable);
          right += open.allowed && !shut.allowed ? 1 : 0;
        },
        asio::detached);
  }
  context.run();
  CHECK(right == 1000);
  CHECK(server.requests() == 50);
  MESSAGE("at most " << server.most_connections() << " connections");
}

TEST_CASE("A retry waits by the clock of the cache") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::status(503), ok());
  auto crawler = foo_bot();
  crawler.retry.attempts = 2;
  SUBCASE("with a ManualClock") {
    const robots::ManualClock clock;
    const auto began = clock.now();
    manual_cache cache(crawler, {}, clock);
    asio::io_context context;
    asio_robots_cache loop(context.get_executor(), cache, Prompt(web));
    auto answer = loop.async_check(secret, asio::use_future);
    context.run();
    CHECK(!answer.get().allowed);
    CHECK(clock.now() > began);
  }
  SUBCASE("with a SteadyClock") {
    crawler.retry.base = std::chrono::milliseconds{1};
    robots::basic_robots_cache<ScriptedFetcher> cache(crawler);
    asio::io_context context;
    asio_robots_cache loop(context.get_executor(), cache, Prompt(web));
    auto answer = loop.async_check(secret, asio::use_future);
    context.run();
    const decision decided = answer.get();
    CHECK(decided.verdict.pattern == "/private");
  }
  CHECK(web.count() == 2);
}

TEST_CASE("The next of several retries sets the timer, also after the clock was set forward") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::status(503, {{"Retry-After", "3600"}}), ok());
  const std::string near = "http://near.example/";
  web.on(near + "robots.txt", ScriptedFetcher::status(503), ok());
  auto crawler = foo_bot();
  crawler.retry.attempts = 2;
  crawler.retry.base = std::chrono::milliseconds{1};
  crawler.retry.max_retry_after = std::chrono::hours{1};
  crawler.longest_call = std::chrono::hours{3};
  const Forwarded clock;
  robots::basic_robots_cache<ScriptedFetcher, Forwarded> cache(crawler, {}, clock);
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, Prompt(web));
  std::optional<decision> far_answer;
  std::optional<decision> near_answer;
  loop.async_check(secret, [&](error_code, decision got) { far_answer = std::move(got); });
  context.poll();
  loop.async_check(near, [&](error_code, decision got) { near_answer = std::move(got); });
  while (!near_answer) {
    // The wait of an hour does not delay the retry after a millisecond.
    REQUIRE(context.run_one_for(std::chrono::seconds{30}) == 1);
  }
  CHECK(web.count() == 3);
  CHECK(!far_answer);
  clock.set_forward(std::chrono::hours{1});
  loop.async_check("http://silent.example/", [](error_code, const decision&) {});
  while (!far_answer) {
    REQUIRE(context.run_one_for(std::chrono::seconds{30}) == 1);  // any look-up sets the timer anew
  }
  CHECK(far_answer->verdict.pattern == "/private");
}

TEST_CASE("A cancelled operation ends, and its fetch ends if nobody else waits for it") {
  Held web;
  auto crawler = foo_bot();
  crawler.finish_abandoned = false;
  manual_cache cache(crawler);
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, web);
  asio::cancellation_signal signal;
  std::optional<error_code> first;
  loop.async_check(home,
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](error_code error, const decision&) { first = error; }));
  context.poll();
  REQUIRE(web.open() == 1);
  Held::exchange asked = web.take();
  SUBCASE("while no other operation waits") {
    signal.emit(asio::cancellation_type::terminal);
    context.poll();
    CHECK(first == asio::error::operation_aborted);
    CHECK(asked.request.stop.stop_requested());
    fetch_response nothing;
    nothing.error = fetch_error::cancelled;
    asked.done(nothing);
    context.restart();
    context.run();
    CHECK(cache.stats().size == 0);
  }
  SUBCASE("while another operation waits, which gets the answer") {
    auto second = loop.async_check(secret, asio::use_future);
    context.poll();
    signal.emit(asio::cancellation_type::partial);
    context.poll();
    CHECK(first == asio::error::operation_aborted);
    CHECK(!asked.request.stop.stop_requested());
    asked.done(ok());
    context.restart();
    context.run();
    CHECK(!second.get().allowed);
    CHECK(web.open() == 0);
  }
  SUBCASE("after the answer: the cancellation changes nothing") {
    asked.done(ok());
    context.poll();
    CHECK(first == error_code{});
    signal.emit(asio::cancellation_type::all);
    context.restart();
    context.run();
    CHECK(first == error_code{});
  }
}

TEST_CASE(
    "A wait before a retry ends when every caller has left, and its failure is not remembered") {
  Held web;
  auto crawler = foo_bot();
  crawler.retry.attempts = 3;
  crawler.retry.base = crawler.retry.cap = std::chrono::hours{24};
  crawler.finish_abandoned = false;
  robots::basic_robots_cache<ScriptedFetcher> cache(crawler);
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, web);
  asio::cancellation_signal signal;
  std::optional<error_code> ended;
  loop.async_check(home,
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](error_code error, const decision&) { ended = error; }));
  context.poll();
  web.take().done(ScriptedFetcher::status(503));
  context.poll();
  CHECK(!ended);
  signal.emit(asio::cancellation_type::total);
  context.restart();
  context.run();  // returns, since no timer is left
  CHECK(ended == asio::error::operation_aborted);
  CHECK(cache.stats().retrievals == 1);
  CHECK(cache.stats().size == 0);
}

TEST_CASE("A thread that blocks and a coroutine share one flight") {
  Held web;
  robots::test::WatchedStorage storage;
  robots::basic_robots_cache<ScriptedFetcher, robots::SteadyClock, robots::test::WatchedStorage>
      cache(foo_bot(), {}, {}, storage);
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, web);
  SUBCASE("that the coroutine began") {
    auto answer = loop.async_check(secret, asio::use_future);
    context.poll();
    REQUIRE(web.open() == 1);
    std::thread blocking([&] { CHECK(!cache.allowed(secret)); });
    storage.wait_for_misses(2);
    web.take().done(ok());
    context.restart();
    context.run();
    blocking.join();
    CHECK(!answer.get().allowed);
  }
  SUBCASE("that another driver began") {
    robots::look_up led = cache.begin(secret);
    auto answer = loop.async_check(secret, asio::use_future);
    context.poll();
    CHECK(web.open() == 0);
    std::thread other([&] { led.on_response(ok()); });
    context.restart();
    context.run();  // has work while the operation waits
    other.join();
    CHECK(!answer.get().allowed);
  }
  SUBCASE("that another driver began and gave up") {
    std::optional<robots::look_up> led = cache.begin(secret);
    auto answer = loop.async_check(secret, asio::use_future);
    context.poll();
    led.reset();
    context.poll();
    REQUIRE(web.open() == 1);
    web.take().done(ok());
    context.restart();
    context.run();
    CHECK(!answer.get().allowed);
  }
}

TEST_CASE("A cache that is destroyed completes its operations, and other caches start their own") {
  Held web;
  manual_cache cache(foo_bot());
  asio::io_context context;
  int aborted = 0;
  const auto count = [&](error_code error, const decision& kind) {
    CHECK(error == asio::error::operation_aborted);
    CHECK(!kind.allowed);
    ++aborted;
  };
  std::function<void(fetch_response)> late;
  {
    asio_robots_cache loop(context.get_executor(), cache, web);
    loop.async_check(home, count);
    loop.async_check(secret, count);
    context.poll();
    loop.async_check("https://other.example/", count);  // the context has not started this one yet
    late = web.take().done;
  }
  CHECK(std::holds_alternative<fetch_request>(cache.begin(home).next()));
  late(ok());
  context.restart();
  context.run();
  CHECK(aborted == 3);
  CHECK(cache.stats().size == 0);
}

TEST_CASE("A context can be stopped and destroyed during a flight") {
  Held web;
  manual_cache cache(foo_bot());
  int called = 0;
  {
    asio::io_context context;
    asio_robots_cache loop(context.get_executor(), cache, web);
    for (int i = 0; i < 4; ++i) {
      asio::co_spawn(
          context,
          [&]() -> asio::awaitable<void> {
            static_cast<void>(co_await loop.async_check(home, asio::use_awaitable));
            ++called;
          },
          asio::detached);
    }
    context.poll();
    context.stop();
    loop.async_check(home, [&](error_code, const decision&) { ++called; });
  }
  CHECK(called == 0);
  CHECK(web.take().request.stop.stop_requested());
  CHECK(std::holds_alternative<fetch_request>(cache.begin(home).next()));
}

TEST_CASE("A handler can ask again and destroy the object that called it") {
  ScriptedFetcher web;
  web.on(robots_url, ok());
  manual_cache cache(foo_bot());
  asio::io_context context;
  using loop_type = asio_robots_cache<manual_cache, Prompt>;
  auto loop = std::make_unique<loop_type>(context.get_executor(), cache, Prompt(web));
  int called = 0;
  loop->async_check(home, [&](error_code, const decision&) {
    ++called;
    loop->async_check(secret, [&](error_code, const decision&) {
      ++called;
      loop->async_check("https://never.example", [&](error_code error, const decision&) {
        CHECK(error == asio::error::operation_aborted);
        ++called;
      });
      loop.reset();
    });
  });
  context.run();
  CHECK(called == 3);
}

TEST_CASE("An exception of the fetcher counts as a failure of the fetch") {
  struct Throws {
    static void async_fetch(const fetch_request&, const std::function<void(fetch_response)>&) {
      throw std::runtime_error("no network today");
    }
  };
  manual_cache cache(foo_bot());
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, Throws{});
  auto answer = loop.async_check(home, asio::use_future);
  context.run();
  const decision decided = answer.get();
  CHECK(!decided.allowed);
  CHECK(decided.policy->last_retrieval().error_text == "no network today");
}

TEST_CASE("If a fetcher cancels a fetch without a stop, the fetch has failed and is not repeated") {
  ScriptedFetcher web;
  int asked = 0;
  web.otherwise_call([&asked](const fetch_request&) {
    ++asked;
    return ScriptedFetcher::failure(fetch_error::cancelled);
  });
  robots::cache_options options = foo_bot();
  options.retry.attempts = 1;
  manual_cache cache(options);
  asio::io_context context;
  asio_robots_cache loop(context.get_executor(), cache, Prompt(web));
  auto answer = loop.async_check(home, asio::use_future);
  context.run_for(std::chrono::seconds{10});
  REQUIRE(answer.wait_for(std::chrono::seconds{0}) == std::future_status::ready);
  CHECK(answer.get().policy->last_retrieval().error == fetch_error::other);
  CHECK(asked == 1);
}

TEST_CASE("Threads of a pool ask and cancel at the same time") {
  const robots::test::many_sites server([](std::string_view) {
    return robots::test::many_sites::ok("User-agent: *\nDisallow: /private");
  });
  robots::curl_options options = to(server);
  options.max_connections = 16;
  asio::thread_pool pool(4);
  AsioCurlFetcher web(pool.get_executor(), options);
  robots::basic_robots_cache<ScriptedFetcher> cache(foo_bot());
  std::atomic<int> wrong = 0;
  std::atomic<int> ended = 0;
  {
    asio_robots_cache loop(pool.get_executor(), cache, web);
    std::promise<void> all;
    std::vector<std::thread> threads;
    for (int i = 0; i < 200; ++i) {
      auto strand = asio::make_strand(pool.get_executor());
      auto signal = std::make_shared<asio::cancellation_signal>();
      const auto handler = [&, signal](error_code error, const decision& kind) {
        wrong += !error && kind.allowed ? 1 : 0;
        if (++ended == 200) {
          all.set_value();
        }
      };
      asio::post(strand, [&loop, i, strand, signal, handler] {
        loop.async_check(
            site(i % 20) + "private",
            asio::bind_cancellation_slot(signal->slot(), asio::bind_executor(strand, handler)));
      });
      if (i % 4 == 0) {
        asio::post(strand, [signal] { signal->emit(asio::cancellation_type::all); });
      }
    }
    all.get_future().wait();
    // The loop is destroyed while these operations run.
    cache.clear();
    for (int i = 0; i < 100; ++i) {
      loop.async_check(site(i), [&](error_code, const decision&) { ++ended; });
    }
  }
  pool.join();
  CHECK(wrong == 0);
  CHECK(ended == 300);
}
