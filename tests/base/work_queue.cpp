#include <robots/base/work_queue.hpp>

#include "support/gate.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using robots::test::gate;
using text_queue = robots::base::work_queue<std::string>;

namespace {

/// A queue of texts. A text takes 32 octets and its length.
struct queue : text_queue {
  using text_queue::text_queue;
  bool push(const std::string& text) { return text_queue::push(text, 32 + text.size()); }
  bool push_or_wait(const std::string& text, std::chrono::milliseconds longest) {
    return text_queue::push(text, 32 + text.size(), {}, longest);
  }
  void flush() { CHECK(text_queue::flush(std::chrono::milliseconds::max())); }
};

}  // namespace

TEST_CASE("The worker gets all items in order, before the queue ends") {
  std::vector<std::string> written;
  {
    queue texts{1'000'000, [&written](text_queue::work& now) {
                  written.insert(written.end(), now.items.begin(), now.items.end());
                  return std::nullopt;
                }};
    CHECK(texts.push("a"));
    texts.flush();
    CHECK(written == std::vector<std::string>{"a"});
    for (int i = 0; i < 1'000; ++i) {
      CHECK(texts.push(std::to_string(i)));
    }
  }
  REQUIRE(written.size() == 1'001);
  CHECK(written.back() == "999");
}

TEST_CASE("No caller waits for a stuck worker, and items without room are refused") {
  gate stuck;
  std::atomic<int> written = 0;
  {
    queue texts{1'000, [&](text_queue::work& now) {
                  stuck.pass();
                  written += static_cast<int>(now.items.size());
                  if (!now.items.empty()) {
                    now.items.front().append(2'000, 'x');  // the worker may change the items
                  }
                  return std::nullopt;
                }};
    CHECK_FALSE(texts.push(std::string(2'000, 'x')));
    CHECK(texts.push("first"));
    stuck.wait_for_arrivals();
    int accepted = 1;
    while (texts.push(std::string(100, 'x'))) {
      ++accepted;
    }
    CHECK(accepted > 2);
    CHECK(accepted < 10);
    stuck.open();
    texts.flush();
    CHECK(written == accepted);
    CHECK(texts.push(std::string(900, 'x')));  // there is room again
  }
  CHECK(written > 0);
}

TEST_CASE("Many threads add to one queue, and no text is lost") {
  std::size_t written = 0;
  {
    queue texts{10'000'000, [&](text_queue::work& now) {
                  written += now.items.size();
                  return std::nullopt;
                }};
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&texts] {
        for (int i = 0; i < 1'000; ++i) {
          CHECK(texts.push("text"));
        }
      });
    }
    threads.clear();
    texts.flush();
    CHECK(written == 4'000);
  }
}

TEST_CASE(
    "The worker learns of a flush, is called at the time that it names, and is abandoned if "
    "stuck") {
  using namespace std::chrono_literals;
  gate stuck;
  std::atomic<int> calls = 0;
  std::atomic<int> flushes = 0;
  const auto does = [&](text_queue::work& now) {
    flushes += now.flushes ? 1 : 0;
    return ++calls < 3 ? std::optional{std::chrono::steady_clock::now()} : std::nullopt;
  };
  queue texts{1'000, does};
  texts.flush();
  CHECK(flushes == 1);
  while (calls < 3) {
    std::this_thread::yield();
  }
  texts.end(1h);
  CHECK(calls == 4);
  CHECK_FALSE(texts.push("nobody would do it"));
  CHECK_FALSE(static_cast<text_queue&>(texts).flush(1s));

  std::atomic<bool> left = false;
  {
    queue never{1'000, [&](text_queue::work& now) {
                  stuck.pass();
                  left = now.ends;  // true only in the last call
                  return std::nullopt;
                }};
    CHECK(never.push("a"));
    CHECK_FALSE(static_cast<text_queue&>(never).flush(1ms));
    never.end(1ms);
  }
  CHECK_FALSE(left);
  stuck.open();
  while (!left) {
    std::this_thread::yield();
  }
}

TEST_CASE("Callers that wait for room lose no item") {
  using std::chrono::milliseconds;
  gate stuck;
  std::size_t written = 0;
  {
    queue texts{1'000, [&](text_queue::work& now) {
                  stuck.pass();
                  written += now.items.size();
                  return std::nullopt;
                }};
    CHECK(texts.push("first"));
    stuck.wait_for_arrivals();
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&texts] {
        for (int i = 0; i < 100; ++i) {
          CHECK(texts.push_or_wait(std::string(100, 'x'), milliseconds::max()));
        }
        CHECK(texts.push_or_wait(std::string(5'000, 'x'), milliseconds::max()));  // too large
      });
    }
    stuck.open();
    threads.clear();
  }
  CHECK(written == 405);
}

TEST_CASE("After a wait in vain, callers do not wait at all before the worker has continued") {
  using namespace std::chrono_literals;
  gate stuck;
  queue texts{100, [&](text_queue::work& /*now*/) {
                stuck.pass();
                return std::nullopt;
              }};
  CHECK(texts.push_or_wait(std::string(100, 'x'), 1ms));
  stuck.wait_for_arrivals();
  CHECK_FALSE(texts.push_or_wait("late", 1ms));
  CHECK_FALSE(texts.push_or_wait("later", std::chrono::milliseconds::max()));
  stuck.open();
  texts.flush();
  CHECK(texts.push_or_wait(std::string(100, 'x'), std::chrono::milliseconds::max()));
  CHECK(texts.push_or_wait("again", std::chrono::milliseconds::max()));
}

TEST_CASE("The end of a queue wakes callers that wait for room") {
  using namespace std::chrono_literals;
  // The thread of an abandoned queue can outlive this test.
  const auto stuck = std::make_shared<gate>();
  queue texts{100, [stuck](text_queue::work& /*now*/) {
                stuck->pass();
                return std::nullopt;
              }};
  CHECK(texts.push(std::string(60, 'x')));
  stuck->wait_for_arrivals();
  CHECK(texts.push_or_wait(std::string(60, 'x'), 1ms));
  const std::jthread caller{
      [&texts] { CHECK_FALSE(texts.push_or_wait("late", std::chrono::milliseconds::max())); }};
  texts.end(1ms);
  stuck->open();
}

TEST_CASE("The queue counts memory once if several of its items keep it alive") {
  gate stuck;
  queue texts{1'000, [&](text_queue::work& /*now*/) {
                stuck.pass();
                return std::nullopt;
              }};
  CHECK(texts.push("first"));
  stuck.wait_for_arrivals();
  const int one = 1;
  const int other = 2;
  text_queue& items = texts;
  CHECK(items.push("a", 10, {&one, 900}));
  CHECK(items.push("b", 10, {&one, 900}));
  CHECK_FALSE(items.push("c", 10, {&other, 900}));
  stuck.open();
  texts.flush();
  CHECK(items.push("c", 10, {&other, 900}));
}
