#include "peers/child.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = std::size_t{16} << 20U;

/// Waits until the socket is ready for `events`.
void await(int socket, short events, clock::time_point until) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
    pollfd watched{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<long long>(left, 0)));
    if (ready > 0) {
      return;
    }
    if (ready == 0) {
      throw child_error{"no answer in time"};
    }
    if (errno != EINTR) {
      throw child_error{"poll failed"};
    }
  }
}

}  // namespace

child::child(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw child_error{"it got no socket"};
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  id_ = ::fork();
  if (id_ == 0) {
    ::dup2(ends[1], STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  if (id_ < 0) {
    ::close(socket_);
    throw child_error{"it cannot be started"};
  }
}

child::~child() {
  ::close(socket_);
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void child::expect_silence() const {
  pollfd watched{.fd = socket_, .events = POLLIN, .revents = 0};
  if (!unread_.empty() || ::poll(&watched, 1, 0) != 0) {
    throw child_error{"it has written without a command, or has ended"};
  }
}

void child::write(std::string_view text, std::chrono::milliseconds limit) {
  const auto until = clock::now() + limit;
  while (!text.empty()) {
    await(socket_, POLLOUT, until);
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      throw child_error{"it has ended"};
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
}

std::string child::read_line(std::chrono::milliseconds limit) {
  const auto until = clock::now() + limit;
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > longest_line || clock::now() > until) {
      throw child_error{"it writes no whole line"};
    }
    await(socket_, POLLIN, until);
    std::array<char, 65'536> block{};
    const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      throw child_error{"it has ended"};
    }
    unread_.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
}

}  // namespace bench
