#include <robots/adapters/redis/detail/reply.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

TEST_CASE("Nested lists are read to a limited depth with any version of hiredis") {
  std::size_t budget = 1'000'000;
  std::array<redisReadTask, 12> tasks{};
  std::size_t read = 0;
  for (redisReadTask& task : tasks) {
    task.type = REDIS_REPLY_ARRAY;
    task.privdata = &budget;
    task.parent = read == 0 ? nullptr : &tasks[read - 1];
    task.obj = robots::adapters_detail::redis_reply_functions()->createArray(&task, 1);
    if (task.obj == nullptr) {
      break;
    }
    ++read;
  }
  CHECK(read == 9);
  CHECK(budget == 0);
  robots::adapters_detail::redis_reply_functions()->freeObject(tasks.front().obj);
}
