#include "raw_server.hpp"

#include "gate.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace robots::test {
namespace {

constexpr int none = -1;

/// A TCP socket bound to a free port of 127.0.0.1.
int bound_socket() {
  const int result = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (result == none ||
      ::bind(result, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("no port of 127.0.0.1 can be bound");
  }
  return result;
}

int port_of(int bound) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(bound, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

std::string loopback_url(int port, std::string_view path) {
  return "http://127.0.0.1:" + std::to_string(port) + std::string(path);
}

bool may_be_part_of_request(const std::string& octets) {
  constexpr std::string_view method = "GET";
  return octets.starts_with(method.substr(0, octets.size())) &&
         octets.find("\r\n\r\n") == std::string::npos;
}

std::string read_header_section(int connection) {
  std::string got;
  std::array<char, 4096> buffer{};
  while (may_be_part_of_request(got)) {
    const ssize_t count = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (count <= 0) {
      break;
    }
    got.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return got;
}

/// Returns true if the client received all octets.
bool send_all(int connection, std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t count = ::send(connection, octets.data(), octets.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      return false;
    }
    octets.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void wait_for_close(int connection) {
  std::array<char, 4096> buffer{};
  while (::recv(connection, buffer.data(), buffer.size(), 0) > 0) {
  }
}

/// Makes close() send a reset.
void drop_on_close(int connection) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace

struct raw_server::state {
  state(std::string given, raw_ending end) : octets(std::move(given)), ending(end) {
    constexpr int backlog = 16;
    if (::listen(listening, backlog) != 0) {
      throw std::runtime_error("cannot listen");
    }
    thread = std::thread([this] { serve(); });
  }

  void serve() {
    while (accept_next()) {
      ++connections;
      note(read_header_section(current));
      while (send_all(current, octets) && ending == raw_ending::repeat) {
      }
      sent.open();
      if (ending == raw_ending::stall) {
        wait_for_close(current);
      }
      if (ending == raw_ending::reset) {
        drop_on_close(current);
      }
      close_current();
    }
  }

  bool accept_next() {
    const int accepted = ::accept(listening, nullptr, nullptr);
    const std::lock_guard lock(mutex);
    current = accepted;
    if (stopped && current != none) {
      ::shutdown(current, SHUT_RDWR);
    }
    return current != none;
  }

  void note(std::string request) {
    const std::lock_guard lock(mutex);
    last_request = std::move(request);
  }

  void close_current() {
    const std::lock_guard lock(mutex);
    ::close(current);
    current = none;
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopped = true;
      ::shutdown(listening, SHUT_RDWR);
      if (current != none) {
        ::shutdown(current, SHUT_RDWR);
      }
    }
    thread.join();
    ::close(listening);
  }

  std::string octets;
  raw_ending ending;
  gate sent;
  std::atomic<std::size_t> connections{0};
  mutable std::mutex mutex;
  std::string last_request;
  bool stopped = false;
  int current = none;
  int listening = bound_socket();
  int port = port_of(listening);
  std::thread thread;
};

raw_server::raw_server(std::string octets, raw_ending ending)
    : state_(std::make_unique<state>(std::move(octets), ending)) {}

raw_server::~raw_server() { state_->stop(); }

std::string raw_server::url(std::string_view path) const {
  return loopback_url(state_->port, path);
}

int raw_server::port() const noexcept { return state_->port; }

std::size_t raw_server::connections() const noexcept { return state_->connections; }

std::string raw_server::last_request() const {
  const std::lock_guard lock(state_->mutex);
  return state_->last_request;
}

void raw_server::wait_until_sent() { state_->sent.pass(); }

closed_port::closed_port() : socket_(bound_socket()), number_(port_of(socket_)) {}

closed_port::~closed_port() { ::close(socket_); }

std::string closed_port::url(std::string_view path) const { return loopback_url(number_, path); }

}  // namespace robots::test
