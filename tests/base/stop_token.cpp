#include <robots/base/stop_token.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace {

using robots::base::own_jthread;
using robots::base::own_stop_callback;
using robots::base::own_stop_source;
using robots::base::own_stop_token;

static_assert(std::is_copy_constructible_v<own_stop_token>);
static_assert(!std::is_move_constructible_v<own_stop_callback>);

}  // namespace

TEST_CASE("A stop can be requested once, and all tokens see it") {
  const own_stop_source source;
  const own_stop_token token = source.get_token();
  CHECK(token.stop_possible());
  CHECK_FALSE(token.stop_requested());
  CHECK(source.request_stop());
  CHECK_FALSE(source.request_stop());
  CHECK(token.stop_requested());
  CHECK(source.stop_requested());
}

TEST_CASE("A token without a source never stops") {
  const own_stop_token token;
  CHECK_FALSE(token.stop_possible());
  CHECK_FALSE(token.stop_requested());
  bool called = false;
  const own_stop_callback callback{token, [&] { called = true; }};
  CHECK_FALSE(called);
}

TEST_CASE("A stop request calls each registered callback, and each later callback at once") {
  const own_stop_source source;
  int called = 0;
  const own_stop_callback first{source.get_token(), [&] { ++called; }};
  {
    const own_stop_callback gone{source.get_token(), [&] { called += 100; }};
  }
  source.request_stop();
  CHECK(called == 1);
  const own_stop_callback late{source.get_token(), [&] { ++called; }};
  CHECK(called == 2);
}

TEST_CASE("A callback can destroy itself and others") {
  const own_stop_source source;
  using callback = own_stop_callback;
  std::optional<callback> other;
  std::optional<callback> self;
  bool called = false;
  self.emplace(source.get_token(), [&] {
    called = true;
    other.reset();
    self.reset();
  });
  other.emplace(source.get_token(), [] { FAIL("it was destroyed"); });
  source.request_stop();
  CHECK(called);
}

TEST_CASE("The destruction of a callback waits for its call in another thread") {
  for (int round = 0; round < 200; ++round) {
    const own_stop_source source;
    std::atomic<bool> begun = false;
    bool ended = false;
    std::thread stopper;
    {
      const own_stop_callback callback{source.get_token(), [&] {
                                         begun = true;
                                         std::this_thread::yield();
                                         ended = true;
                                       }};
      stopper = std::thread{[&] { source.request_stop(); }};
      while (!begun) {
        std::this_thread::yield();
      }
    }
    CHECK(ended);
    stopper.join();
  }
}

TEST_CASE("Destroying a thread stops and joins it") {
  std::atomic<int> ended = 0;
  const auto run = [&](const own_stop_token& stop, int count) {
    while (!stop.stop_requested()) {
      std::this_thread::yield();
    }
    ended += count;
  };
  {
    own_jthread thread{run, 1};
    own_jthread other{run, 10};
    thread = std::move(other);
    CHECK(ended == 1);
    thread = {};
    CHECK(ended == 11);
  }
  CHECK(ended == 11);
}
