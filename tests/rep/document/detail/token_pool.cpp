#include <robots/rep/document/detail/token_pool.hpp>
#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using robots::document;
using robots::parse;

TEST_CASE("a document and its copy can be asked by many threads at once") {
  const document file = parse("User-agent: FerretBot\nDisallow: /x\n");
  const document copy = file;
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const std::string name = "Bot" + std::string(static_cast<std::size_t>(i % 7), 'X');
        const document& asked = t % 2 == 0 ? file : copy;
        std::string expected = "bot" + std::string(static_cast<std::size_t>(i % 7), 'x');
        if (asked.match("/robots.txt", name).user_agent != expected) {
          ++wrong;
        }
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
}

TEST_CASE("a pool gives one view for all spellings of a token, also after it was moved") {
  robots::detail::token_pool pool;
  const auto first = pool.lower("FooBot");
  CHECK(first == "foobot");
  CHECK(pool.lower("FOOBOT").data() == first.data());
  const robots::detail::token_pool moved = std::move(pool);
  CHECK(moved.lower("foobot").data() == first.data());
  const robots::detail::token_pool copy = moved;
  CHECK(copy.lower("foobot").data() != first.data());
}

}  // namespace
