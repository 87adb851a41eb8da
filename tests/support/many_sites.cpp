#include "many_sites.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace robots::test {

struct many_sites::state {
  struct connection {
    int socket;
    std::string received{};
    bool closed = false;
  };

  answerer answer;
  int listener = -1;
  int port = 0;
  std::array<int, 2> bell{-1, -1};
  std::vector<connection> open{};
  std::atomic<std::size_t> requests{0};
  std::atomic<std::size_t> most{0};
  std::thread thread{};

  /// Returns the host of a request, without its port.
  static std::string host_of(std::string_view request) {
    const std::size_t begin = request.find("Host: ") + 6;
    std::string_view host = request.substr(begin, request.find("\r\n", begin) - begin);
    return std::string(host.substr(0, host.find(':')));
  }

  void serve(connection& from) {
    std::array<char, 4096> octets{};
    const ssize_t size = ::recv(from.socket, octets.data(), octets.size(), MSG_DONTWAIT);
    if (size <= 0) {
      from.closed = true;
      return;
    }
    from.received.append(octets.data(), static_cast<std::size_t>(size));
    const std::size_t end = from.received.find("\r\n\r\n");
    if (end == std::string::npos) {
      return;
    }
    const std::string host = host_of(std::string_view(from.received).substr(0, end + 2));
    from.received.erase(0, end + 4);
    ++requests;
    const std::string reply = answer(host);
    from.closed =
        reply.empty() || ::send(from.socket, reply.data(), reply.size(), MSG_NOSIGNAL) < 0;
  }

  /// Handles closed connections before new ones, so that `most` never counts a connection together
  /// with a later connection of its client.
  void run() {
    std::vector<pollfd> watched;
    while (true) {
      watched.assign({{bell[0], POLLIN, 0}, {listener, POLLIN, 0}});
      for (const connection& client : open) {
        watched.push_back({client.socket, POLLIN, 0});
      }
      if (::poll(watched.data(), watched.size(), -1) < 0 || watched[0].revents != 0) {
        return;
      }
      // The second poll sees each connection that was closed before the new one arrived.
      const bool calling = watched[1].revents != 0;
      ::poll(watched.data(), watched.size(), 0);
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (watched[i + 2].revents != 0) {
          serve(open[i]);
        }
      }
      std::erase_if(open, [](const connection& client) {
        return client.closed && ::close(client.socket) == 0;
      });
      if (calling) {
        open.push_back({::accept(listener, nullptr, nullptr)});
        most = std::max(most.load(), open.size());
      }
    }
  }
};

many_sites::many_sites(answerer answer) : state_(std::make_unique<state>()) {
  state_->answer = std::move(answer);
  state_->listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(state_->listener, generic, size) != 0 || ::listen(state_->listener, 4096) != 0 ||
      ::getsockname(state_->listener, generic, &size) != 0 || ::pipe(state_->bell.data()) != 0) {
    throw std::runtime_error("many_sites cannot listen");
  }
  state_->port = ntohs(address.sin_port);
  state_->thread = std::thread([this] { state_->run(); });
}

many_sites::~many_sites() {
  static_cast<void>(::write(state_->bell[1], "x", 1) == 1);
  state_->thread.join();
  for (const auto& one : state_->open) {
    ::close(one.socket);
  }
  for (const int one : {state_->listener, state_->bell[0], state_->bell[1]}) {
    ::close(one);
  }
}

std::string many_sites::ok(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string many_sites::status(int code) {
  return std::string("HTTP/1.1 ") + std::to_string(code) + " X\r\nContent-Length: 0\r\n\r\n";
}

std::string many_sites::connect_to(int their_port) const {
  return std::string(":") + std::to_string(their_port) +
         ":127.0.0.1:" + std::to_string(state_->port);
}

std::size_t many_sites::requests() const noexcept { return state_->requests; }
std::size_t many_sites::most_connections() const noexcept { return state_->most; }

}  // namespace robots::test
