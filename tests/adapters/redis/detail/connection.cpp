#include <robots/adapters/redis/detail/connection.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

using robots::adapters_detail::sigpipe_guard;

namespace {

volatile sig_atomic_t signals = 0;

/// Counts SIGPIPE signals instead of ending the program.
struct counted_sigpipe {
  counted_sigpipe() {
    before = ::signal(SIGPIPE, [](int) { signals = signals + 1; });
  }
  counted_sigpipe(const counted_sigpipe&) = delete;
  counted_sigpipe& operator=(const counted_sigpipe&) = delete;
  ~counted_sigpipe() { ::signal(SIGPIPE, before); }

  void (*before)(int) = nullptr;
};

/// Writes to a socket whose other end is closed. Returns the error.
int write_in_vain() {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  ::close(ends[1]);
  const int error = ::write(ends[0], "x", 1) < 0 ? errno : 0;
  ::close(ends[0]);
  return error;
}

}  // namespace

TEST_CASE("A write to a socket whose other end is closed causes no signal while a guard exists") {
  const counted_sigpipe counting;
  signals = 0;
  {
    const sigpipe_guard guard;
    CHECK(write_in_vain() == EPIPE);
    CHECK(write_in_vain() == EPIPE);
  }
  CHECK(signals == 0);
  CHECK(write_in_vain() == EPIPE);
  CHECK(signals == 1);
}

TEST_CASE("A signal that was pending before the guard stays pending") {
  const counted_sigpipe counting;
  signals = 0;
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  static_cast<void>(write_in_vain());
  {
    const sigpipe_guard guard;
    CHECK(write_in_vain() == EPIPE);
  }
  CHECK(signals == 0);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(signals == 1);
}

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
