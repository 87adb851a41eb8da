// A copy of the test program, made by fork().
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <source_location>
#include <stdexcept>
#include <string>

namespace robots::test {

/// True if this process is a child that `in_forked_child` made.
inline bool is_forked_child = false;

}  // namespace robots::test

// LeakSanitizer asks this function before it looks for leaks. A child has the memory that threads
// of the parent held, but not their stacks, so everything that only a stack named looks lost there.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" [[gnu::used]] inline int __lsan_is_turned_off() {
  return robots::test::is_forked_child ? 1 : 0;
}

namespace robots::test {

/// Runs `work()` in a child process, which then ends normally. Returns the text that `work`
/// returns. Returns "it hangs" after 20 seconds, and kills the child.
template <class Work>
[[nodiscard]] std::string in_forked_child(const Work& work) {
  std::array<int, 2> to_parent{};
  if (::pipe2(to_parent.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot make a pipe");
  }
  std::cout.flush();  // otherwise, both processes would write the text in the buffer
  const pid_t child = ::fork();
  if (child == 0) {
    is_forked_child = true;
    std::string said;
    try {
      said = work();
    } catch (const std::exception& thrown) {
      said = std::string("threw ") + thrown.what();
    } catch (...) {  // otherwise, the child would run the other tests of the parent, too
      said = "threw something";
    }
    static_cast<void>(!::write(to_parent[1], said.data(), said.size()));
    std::exit(0);  // NOLINT(concurrency-mt-unsafe)
  }
  ::close(to_parent[1]);
  std::string said;
  constexpr int longest = 20'000;  // milliseconds
  pollfd news{.fd = to_parent[0], .events = POLLIN, .revents = 0};
  while (true) {
    if (::poll(&news, 1, longest) == 0) {
      ::kill(child, SIGKILL);
      said += " it hangs";
      break;
    }
    std::array<char, 1'000> octets{};
    const ssize_t size = ::read(to_parent[0], octets.data(), octets.size());
    if (size <= 0) {
      break;  // the end of the child closes the pipe
    }
    said.append(octets.data(), static_cast<std::size_t>(size));
  }
  ::close(to_parent[0]);
  int ended = 0;
  ::waitpid(child, &ended, 0);
  if (WIFSIGNALED(ended)) {
    said += " ended by signal " + std::to_string(WTERMSIG(ended));
  } else if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
    said += " it does not end normally";
  }
  return said;
}

/// Runs `work()` in a child process, which `kill -9` ends after that. Returns an empty text, or how
/// else the child has ended.
template <class Work>
[[nodiscard]] std::string in_killed_child(const Work& work) {
  std::string said = in_forked_child([&] {
    work();
    ::kill(::getpid(), SIGKILL);
    return std::string{"it outlives kill -9"};
  });
  return said == " ended by signal 9" ? std::string{} : said;
}

/// Throws if `holds` is false. Use it in a child instead of CHECK, since doctest counts only the
/// failures of the parent.
inline void expect(bool holds,
                   const std::source_location& place = std::source_location::current()) {
  if (!holds) {
    throw std::runtime_error("line " + std::to_string(place.line()) + " does not hold");
  }
}

/// Returns the text of the `std::logic_error` that `call()` throws, or "no logic_error".
template <class Call>
[[nodiscard]] std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const std::logic_error& refused) {
    return refused.what();
  } catch (const std::exception& other) {
    return std::string("no logic_error, but ") + other.what();
  }
  return "no logic_error";
}

/// The message of a part `name` that is used in a child of the process that made it.
[[nodiscard]] inline std::string made_before_fork(const std::string& name) {
  return name +
         ": it was made before a fork, and belongs to the parent process: make it after the fork, "
         "in each process that uses it";
}

}  // namespace robots::test
