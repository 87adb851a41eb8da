#include "loopback_server.hpp"

#include "raw_server.hpp"

#include <httplib.h>

#include <algorithm>
#include <atomic>
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

/// The result of the library's function is void or, since cpp-httplib 0.14.2, true if the
/// connection is accepted.
using enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

/// Starts a thread for each connection, since an open connection occupies its thread.
/// Counts connections.
class connection_threads : public httplib::TaskQueue {
 public:
  explicit connection_threads(std::atomic<std::size_t>& count) : count_(count) {}

  enqueued enqueue(std::function<void()> serve) override {
    ++count_;
    threads_.emplace_back(std::move(serve));
    return static_cast<enqueued>(true);
  }

  void shutdown() override {
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

 private:
  std::atomic<std::size_t>& count_;
  std::list<std::thread> threads_;
};

loopback_request seen(const httplib::Request& request) {
  loopback_request result;
  result.method = request.method;
  result.target = request.target;
  result.path = request.path;
  for (const auto& [name, value] : request.headers) {
    if (name != "REMOTE_ADDR" && name != "REMOTE_PORT" && name != "LOCAL_ADDR" &&
        name != "LOCAL_PORT") {
      result.headers.push_back({name, value});
    }
  }
  return result;
}

/// Passes the body as a provider of known length, since the library would compress a plain body.
void set_body(httplib::Response& response, std::string body, const std::string& type) {
  if (body.empty()) {
    return response.set_content("", type);
  }
  const std::size_t size = body.size();
  response.set_content_provider(
      size, type,
      [body = std::move(body)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(body.data() + offset, std::min(length, body.size() - offset));
      });
}

void set_endless_body(httplib::Response& response, std::string piece, const std::string& type) {
  response.set_content_provider(type,
                                [piece = std::move(piece)](std::size_t, httplib::DataSink& sink) {
                                  return sink.write(piece.data(), piece.size());
                                });
}

void answer_with(httplib::Response& response, loopback_reply reply) {
  response.status = reply.status;
  for (const http_header& header : reply.headers) {
    response.headers.emplace(header.name, header.value);
  }
  if (reply.endless) {
    set_endless_body(response, std::move(reply.body), reply.content_type);
  } else {
    set_body(response, std::move(reply.body), reply.content_type);
  }
}

/// Serves one request before other threads exist, since cpp-httplib initializes its constants with
/// the first request. ThreadSanitizer reports a race there if cpp-httplib was built without it.
void warm_up() {
  static const bool done = [] {
    httplib::Server server;
    server.Get("/", [](const httplib::Request&, httplib::Response& response) {
      set_body(response, "warm", "text/plain");
    });
    const int port = server.bind_to_any_port("127.0.0.1");
    std::thread listener([&server] { server.listen_after_bind(); });
    while (!server.is_running()) {
      std::this_thread::yield();
    }
    httplib::Client client("127.0.0.1", port);
    const bool answered = static_cast<bool>(client.Get("/"));
    server.stop();
    listener.join();
    return answered;
  }();
  if (!done) {
    throw std::runtime_error("cpp-httplib does not answer a request");
  }
}

std::unique_ptr<httplib::Server> make_server(const std::optional<certificate>& identity) {
  warm_up();
  if (!identity) {
    return std::make_unique<httplib::Server>();
  }
  return std::make_unique<httplib::SSLServer>(identity->certificate_file.c_str(),
                                              identity->key_file.c_str());
}

}  // namespace

struct loopback_server::state {
  state(const std::optional<certificate>& identity, loopback address)
      : secure(identity.has_value()),
        host(address == loopback::ipv4 ? "127.0.0.1" : "[::1]"),
        server(make_server(identity)) {
    if (!server->is_valid()) {
      throw std::runtime_error("the certificate cannot be used");
    }
    constexpr std::size_t no_limit = 1'000'000;
    server->set_keep_alive_max_count(no_limit);
    server->set_tcp_nodelay(true);
    server->new_task_queue = [this] { return new connection_threads(connections); };
    server->Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
    });
    port = bound_port(address);
    if (port <= 0) {
      throw std::runtime_error("no port of " + host + " can be bound");
    }
    listener = std::thread([this] { server->listen_after_bind(); });
    // The library's stop() has no effect before the server runs.
    while (!server->is_running()) {
      std::this_thread::yield();
    }
  }

  /// Returns the port, or 0 or less if the address does not exist.
  int bound_port(loopback address) {
    if (address == loopback::ipv4) {
      return server->bind_to_any_port("127.0.0.1");
    }
    for (int tries = 0; tries < 100; ++tries) {
      nobody.emplace();
      if (server->bind_to_port("::1", nobody->number())) {
        return nobody->number();
      }
    }
    return 0;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    const loopback_request got = seen(request);
    // The handler runs without the lock, since it can wait.
    const handler chosen = note_and_choose(got);
    answer_with(response, chosen ? chosen(got) : loopback_reply{.status = 404});
  }

  handler note_and_choose(const loopback_request& request) {
    const std::lock_guard lock(mutex);
    ++requests;
    ++requests_by_path[request.path];
    last = request;
    const auto found = handlers.find(request.path);
    return found == handlers.end() ? fallback : found->second;
  }

  bool secure;
  std::string host;
  std::atomic<std::size_t> connections{0};
  mutable std::mutex mutex;
  std::map<std::string, handler, std::less<>> handlers;
  handler fallback;
  std::size_t requests = 0;
  std::map<std::string, std::size_t, std::less<>> requests_by_path;
  std::optional<loopback_request> last;
  std::list<gate> gates;
  std::unique_ptr<httplib::Server> server;
  int port = 0;
  std::optional<closed_port> nobody;  // the same port of 127.0.0.1, if the server is on IPv6
  std::thread listener;
};

loopback_server::loopback_server(loopback server)
    : state_(std::make_unique<state>(std::nullopt, server)) {}

loopback_server::loopback_server(const certificate& identity)
    : state_(std::make_unique<state>(identity, loopback::ipv4)) {}

loopback_server::~loopback_server() { stop(); }

void loopback_server::get(const std::string& path, handler answer) {
  const std::lock_guard lock(state_->mutex);
  state_->handlers[path] = std::move(answer);
}

void loopback_server::get(const std::string& path, loopback_reply answer) {
  get(path, [answer = std::move(answer)](const loopback_request&) { return answer; });
}

void loopback_server::get(const std::string& path, std::string body) {
  get(path, loopback_reply{.body = std::move(body)});
}

void loopback_server::otherwise(handler answer) {
  const std::lock_guard lock(state_->mutex);
  state_->fallback = std::move(answer);
}

gate& loopback_server::make_gate() {
  const std::lock_guard lock(state_->mutex);
  return state_->gates.emplace_back();
}

gate& loopback_server::stall(const std::string& path, std::string body) {
  gate& result = make_gate();
  get(path, [&result, body = std::move(body)](const loopback_request&) {
    result.pass();
    return loopback_reply{.body = body};
  });
  return result;
}

int loopback_server::port() const noexcept { return state_->port; }

std::string loopback_server::url(std::string_view path, std::string_view host) const {
  return (state_->secure ? "https://" : "http://") +
         (host.empty() ? state_->host : std::string(host)) + ':' + std::to_string(state_->port) +
         std::string(path);
}

std::string loopback_server::connect_to(std::string_view host, int its_port) const {
  return std::string(host) + ':' + std::to_string(its_port) + ':' + state_->host + ':' +
         std::to_string(state_->port);
}

std::size_t loopback_server::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

std::size_t loopback_server::requests(std::string_view path) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->requests_by_path.find(path);
  return found == state_->requests_by_path.end() ? 0 : found->second;
}

std::size_t loopback_server::connections() const { return state_->connections; }

loopback_request loopback_server::last_request() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->last) {
    throw std::logic_error("the server got no request");
  }
  return *state_->last;
}

void loopback_server::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    for (gate& one : state_->gates) {
      one.open();
    }
  }
  state_->server->stop();
  if (state_->listener.joinable()) {
    state_->listener.join();
  }
}

}  // namespace robots::test
