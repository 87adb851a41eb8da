#include <robots/base/text_queue.hpp>

#include "support/gate.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using robots::base::text_queue;
using robots::test::gate;

TEST_CASE("texts are handed on in their order, and all of them before the queue ends") {
  std::vector<std::string> written;
  {
    text_queue queue{1'000'000, [&written](std::vector<std::string>& texts) {
                       written.insert(written.end(), texts.begin(), texts.end());
                     }};
    CHECK(queue.push("a"));
    queue.flush();
    CHECK(written == std::vector<std::string>{"a"});
    for (int i = 0; i < 1'000; ++i) {
      CHECK(queue.push(std::to_string(i)));
    }
  }
  REQUIRE(written.size() == 1'001);
  CHECK(written.back() == "999");
}

TEST_CASE("nobody waits for a writer that is stuck: what has no room is refused") {
  gate stuck;
  std::atomic<int> written = 0;
  {
    text_queue queue{1'000, [&](std::vector<std::string>& texts) {
                       stuck.pass();
                       written += static_cast<int>(texts.size());
                       texts.front().append(2'000, 'x');  // it may change them
                     }};
    CHECK_FALSE(queue.push(std::string(2'000, 'x')));
    CHECK(queue.push("first"));
    stuck.wait_for_arrivals();
    int accepted = 1;
    while (queue.push(std::string(100, 'x'))) {
      ++accepted;
    }
    CHECK(accepted > 2);
    CHECK(accepted < 10);
    stuck.open();
    queue.flush();
    CHECK(written == accepted);
    CHECK(queue.push(std::string(900, 'x')));  // there is room again
  }
  CHECK(written > 0);
}

TEST_CASE("many threads add to one queue, and no text is lost") {
  std::size_t written = 0;
  {
    text_queue queue{10'000'000, [&](std::vector<std::string>& texts) { written += texts.size(); }};
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&queue] {
        for (int i = 0; i < 1'000; ++i) {
          CHECK(queue.push("text"));
        }
      });
    }
    threads.clear();
    queue.flush();
    CHECK(written == 4'000);
  }
}
