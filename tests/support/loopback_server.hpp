// A real HTTP or HTTPS server on this machine, for tests and the demo.
#pragma once

#include "certificate_authority.hpp"
#include "gate.hpp"
#include <robots/http/message.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// A request to the server.
struct loopback_request {
  std::string method;
  std::string target;                ///< path with query, as sent
  std::string path;                  ///< decoded, without the query
  std::vector<http_header> headers;  ///< sorted by name

  /// Returns the value of a header, or an empty text.
  [[nodiscard]] std::string header(std::string_view name) const {
    return std::string(robots::detail::find_header(headers, name).value_or(""));
  }
  /// Returns the name of the site: the Host header without its port.
  [[nodiscard]] std::string host() const {
    const std::string value = header("Host");
    return value.substr(0, value.rfind(':'));
  }
};

/// The response of the server.
struct loopback_reply {
  int status = 200;
  std::string body{};
  std::vector<http_header> headers{};
  std::string content_type = "text/plain";
  bool endless = false;  ///< repeat `body` until the client closes the connection
};

[[nodiscard]] inline loopback_reply redirect_to(std::string location, int status = 302) {
  return {.status = status, .headers = {{"Location", std::move(location)}}};
}

/// The address to listen on. A server on IPv6 does not listen on IPv4.
enum class loopback { ipv4, ipv6 };

/// Listens on a free port of 127.0.0.1 or ::1 from construction to destruction, with one thread for
/// each connection. Any thread may call its members, and add paths while the server runs. Other
/// paths get 404. The server does not compress replies.
///
/// Declare it before the clients. The destructor returns at once if their connections are closed.
/// Otherwise, it waits some seconds for them.
class loopback_server {
 public:
  using handler = std::function<loopback_reply(const loopback_request&)>;

  /// Speaks HTTP. Throws std::runtime_error if the machine does not have this address.
  explicit loopback_server(loopback address = loopback::ipv4);
  /// Speaks HTTPS.
  explicit loopback_server(const certificate& identity);
  loopback_server(const loopback_server&) = delete;
  loopback_server& operator=(const loopback_server&) = delete;
  ~loopback_server();

  /// Answers GET and HEAD of a path. A later answer replaces an earlier one.
  void get(const std::string& path, handler answer);
  void get(const std::string& path, loopback_reply answer);
  /// Answers a path with 200 and `body` as text/plain.
  void get(const std::string& path, std::string body);
  void get(const std::string& path, const char* body) { get(path, std::string(body)); }

  /// Answers all other paths. The answer can depend on `host()`.
  void otherwise(handler answer);

  /// Returns a gate at which handlers can wait. It opens at the latest when the server stops.
  [[nodiscard]] gate& make_gate();

  /// Answers 200 with `body` once the gate is open.
  gate& stall(const std::string& path, std::string body = {});

  [[nodiscard]] int port() const noexcept;
  /// Returns `http://127.0.0.1:port/path` or `http://[::1]:port/path`, or the URL with another host
  /// or with https.
  [[nodiscard]] std::string url(std::string_view path = "/", std::string_view host = {}) const;
  /// Returns the entry of `curl_options::connect_to` that redirects connections to `host` to this
  /// server.
  [[nodiscard]] std::string connect_to(std::string_view host, int its_port) const;

  /// Returns the number of requests whose whole header section has arrived.
  [[nodiscard]] std::size_t requests() const;
  [[nodiscard]] std::size_t requests(std::string_view path) const;
  /// Returns the number of accepted TCP connections.
  [[nodiscard]] std::size_t connections() const;
  /// Returns the last request. Throws std::logic_error if there was none.
  [[nodiscard]] loopback_request last_request() const;

  /// Opens all gates, closes all connections, and waits for the threads. The destructor calls it,
  /// too.
  void stop();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
