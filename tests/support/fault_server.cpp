#include "fault_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace robots::test {
namespace {

constexpr std::string_view end_of_headers = "\r\n\r\n";

/// Owns a socket.
class owned_socket {
 public:
  explicit owned_socket(int number) : number_(number) {
    if (number < 0) {
      throw std::runtime_error("the system cannot open a socket");
    }
  }
  owned_socket(const owned_socket&) = delete;
  owned_socket& operator=(const owned_socket&) = delete;
  ~owned_socket() { ::close(number_); }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Listens on a free port of 127.0.0.1, and returns it.
int listen_on_loopback(int socket) {
  constexpr int backlog = 256;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, any, size) != 0 || ::listen(socket, backlog) != 0 ||
      ::getsockname(socket, any, &size) != 0) {
    throw std::runtime_error("no port of 127.0.0.1 can be bound");
  }
  return ntohs(address.sin_port);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 2, text.size()));
  return line;
}

/// Parses the header section of a request.
fault_request read_request(std::string_view text) {
  fault_request result;
  const std::string_view first = take_line(text);
  const std::size_t space = std::min(first.find(' '), first.size());
  result.method = first.substr(0, space);
  const std::string_view rest = first.substr(std::min(space + 1, first.size()));
  result.target = rest.substr(0, rest.find(' '));
  result.path = result.target.substr(0, result.target.find('?'));
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
      result.headers.push_back(
          {std::string(line.substr(0, colon)), std::string(line.substr(value))});
    }
  }
  return result;
}

/// One client: the octets that it sent, and the answer that it gets.
struct client {
  client(int socket, SSL_CTX* context) : stream(socket, context) {}

  server_stream stream;
  std::string received{};
  std::optional<fault_octets> answer{};  // the answer that the server sends now
  std::size_t sent = 0;                  // the octets sent of the answer, or of its endless part
  bool over = false;                     // the client has left, or the answer ends the connection
  bool asked = false;                    // the client has sent a request before
};

}  // namespace

struct fault_server::state {
  state(planner asked_for_plans, const certificate* identity, tls_fault tls_kind)
      : plan(std::move(asked_for_plans)), secure(identity != nullptr), kind(tls_kind) {
    if (identity != nullptr) {
      context = make_context(*identity, tls_kind);
    }
    port = listen_on_loopback(listening.number());
    thread = std::thread([this] { serve(); });
  }

  void serve() {
    // OpenSSL writes to sockets of clients that have left, which raises SIGPIPE.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::vector<pollfd> watched;
    while (true) {
      watched.clear();
      watched.push_back({.fd = wake.number(), .events = POLLIN, .revents = 0});
      watched.push_back({.fd = listening.number(), .events = POLLIN, .revents = 0});
      for (const client& peer : clients) {
        watched.push_back({.fd = peer.stream.socket(), .events = events_for(peer), .revents = 0});
      }
      ::poll(watched.data(), watched.size(), -1);
      if (watched[0].revents != 0) {
        break;
      }
      // Serves the clients before it accepts new ones. Until then, `watched` has the order of
      // `clients`.
      auto ready = watched.cbegin() + 2;
      for (client& peer : clients) {
        if ((ready++)->revents != 0) {
          move(peer);
        }
      }
      if (clients.remove_if([](const client& peer) { return peer.over; }) > 0) {
        note_clients();
      }
      if (watched[1].revents != 0) {
        accept_all();
      }
    }
    clients.clear();
    note_clients();
  }

  static short events_for(const client& peer) {
    const bool sends = has_octets(peer) || peer.stream.wants_to_send();
    return static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN);
  }

  static bool has_octets(const client& peer) {
    return peer.answer && (peer.sent < peer.answer->octets.size() || !peer.answer->endless.empty());
  }

  void accept_all() {
    while (true) {
      const int accepted =
          ::accept4(listening.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (accepted < 0) {
        return;
      }
      const int yes = 1;
      ::setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      clients.emplace_back(accepted, speaks_tls() ? context.get() : nullptr);
      const std::lock_guard lock(mutex);
      ++connections;
      open = clients.size();
    }
  }

  [[nodiscard]] bool speaks_tls() const {
    return secure && (kind == tls_fault::none || kind == tls_fault::old_versions_only ||
                      kind == tls_fault::leaves_silently);
  }

  void note_clients() {
    const std::lock_guard lock(mutex);
    open = clients.size();
    changed.notify_all();
  }

  void move(client& peer) {
    if (!peer.stream.receive(peer.received)) {
      peer.over = true;
      return;
    }
    if (breaks_handshake() && !peer.received.empty()) {
      return break_handshake(peer);
    }
    // With TLS, a whole request can arrive while the rest of the previous answer is sent.
    do {
      if (!peer.answer) {
        begin_answer(peer);
      }
      if (peer.answer) {
        send_some(peer);
      }
    } while (!peer.over && !peer.answer && peer.received.find(end_of_headers) != std::string::npos);
  }

  [[nodiscard]] bool breaks_handshake() const { return secure && !speaks_tls(); }

  void break_handshake(client& peer) const {
    if (kind == tls_fault::resets_handshake) {
      peer.stream.drop_on_close();
    }
    std::string_view octets;
    if (kind == tls_fault::garbles_handshake) {
      octets = "\x16\x03\x03\x01\x01no handshake at all";
    }
    if (kind == tls_fault::speaks_plain_text) {
      octets = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    }
    static_cast<void>(peer.stream.send(octets));
    peer.over = true;
  }

  void begin_answer(client& peer) {
    const std::size_t end = peer.received.find(end_of_headers);
    if (end == std::string::npos) {
      return;
    }
    fault_request request = read_request(std::string_view(peer.received).substr(0, end));
    peer.received.erase(0, end + end_of_headers.size());
    request.again = peer.asked;
    peer.asked = true;
    note(request);
    peer.answer = octets_of(plan(request), request.target);
    peer.sent = 0;
  }

  void note(fault_request& request) {
    const std::lock_guard lock(mutex);
    std::vector<fault_request>& of_site = requests_by_host[request.host()];
    request.number = of_site.size() + 1;
    of_site.push_back(request);
    ++requests;
    changed.notify_all();
  }

  void send_some(client& peer) const {
    fault_octets& answer = *peer.answer;
    std::string_view rest = std::string_view(answer.octets).substr(peer.sent);
    if (rest.empty() && !answer.endless.empty()) {
      answer.octets = answer.endless;
      peer.sent = 0;
      rest = answer.octets;
    }
    // The next octet is sent after all other clients got octets.
    std::string_view now = answer.one_by_one ? rest.substr(0, 1) : rest;
    const std::size_t before = now.size();
    if (!peer.stream.send(now)) {
      peer.over = true;
      return;
    }
    peer.sent += before - now.size();
    if (peer.sent < answer.octets.size() || !answer.endless.empty()) {
      return;
    }
    end_answer(peer);
  }

  void end_answer(client& peer) const {
    switch (peer.answer->ending) {
      case fault_ending::keep:
        peer.answer.reset();
        return;
      case fault_ending::stall:
        return;
      case fault_ending::reset:
        peer.stream.drop_on_close();
        break;
      case fault_ending::close:
        if (kind != tls_fault::leaves_silently) {
          peer.stream.say_goodbye();
        }
        break;
    }
    peer.over = true;
  }

  void stop() {
    if (thread.joinable()) {
      ::eventfd_write(wake.number(), 1);
      thread.join();
    }
  }

  planner plan;
  bool secure;
  tls_fault kind;
  ssl_context context{};
  owned_socket wake{::eventfd(0, EFD_CLOEXEC)};
  owned_socket listening{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  int port = 0;
  std::list<client> clients{};  // only this thread uses it

  mutable std::mutex mutex{};
  mutable std::condition_variable changed{};
  std::map<std::string, std::vector<fault_request>, std::less<>> requests_by_host{};
  std::size_t requests = 0;
  std::size_t connections = 0;
  std::size_t open = 0;

  std::thread thread{};
};

fault_server::fault_server(planner plan)
    : state_(std::make_unique<state>(std::move(plan), nullptr, tls_fault::none)) {}

fault_server::fault_server(planner plan, const certificate& identity, tls_fault fault_kind)
    : state_(std::make_unique<state>(std::move(plan), &identity, fault_kind)) {}

fault_server::~fault_server() { stop(); }

int fault_server::port() const noexcept { return state_->port; }

std::string fault_server::url(std::string_view path, std::string_view host) const {
  return (state_->secure ? "https://" : "http://") + std::string(host) + ':' +
         std::to_string(state_->port) + std::string(path);
}

std::string fault_server::connect_all_to(int its_port) const {
  return ':' + std::to_string(its_port) + ":127.0.0.1:" + std::to_string(state_->port);
}

std::size_t fault_server::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

std::vector<fault_request> fault_server::requests_of(std::string_view host) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->requests_by_host.find(host);
  return found == state_->requests_by_host.end() ? std::vector<fault_request>{} : found->second;
}

std::size_t fault_server::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->connections;
}

void fault_server::wait_for_requests(std::size_t count) const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->requests >= count; });
}

void fault_server::wait_until_alone() const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->open == 0; });
}

void fault_server::stop() { state_->stop(); }

}  // namespace robots::test
