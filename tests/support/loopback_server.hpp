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

/// A request as the server got it.
struct loopback_request {
  std::string method;
  std::string target;                ///< path with query, as sent
  std::string path;                  ///< decoded, without the query
  std::vector<http_header> headers;  ///< sorted by name

  /// The value of a header; empty when it is not there.
  [[nodiscard]] std::string header(std::string_view name) const {
    return std::string(robots::detail::find_header(headers, name).value_or(""));
  }
  /// The name of the site that is meant: the Host header without its port.
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
  bool endless = false;  ///< send `body` again and again until the client has enough
};

[[nodiscard]] inline loopback_reply redirect_to(std::string location, int status = 302) {
  return {.status = status, .headers = {{"Location", std::move(location)}}};
}

/// The address of this machine to listen on. A server on IPv6 does not listen on IPv4.
enum class loopback { ipv4, ipv6 };

/// Listens on 127.0.0.1 or ::1, on a free port, from construction to destruction, with one thread
/// for each connection. All members may be called from any thread, and paths may be added while it
/// runs. Other paths get 404. Nothing is compressed unless the reply is.
///
/// Declare it before the clients: it ends at once when their connections are closed, and else waits
/// seconds for them.
class loopback_server {
 public:
  using handler = std::function<loopback_reply(const loopback_request&)>;

  /// Speaks HTTP. Throws std::runtime_error when the machine has no such address.
  explicit loopback_server(loopback address = loopback::ipv4);
  /// Speaks HTTPS.
  explicit loopback_server(const certificate& identity);
  loopback_server(const loopback_server&) = delete;
  loopback_server& operator=(const loopback_server&) = delete;
  ~loopback_server();

  /// Answers GET and HEAD of a path; a later answer takes the place of an earlier one.
  void get(const std::string& path, handler answer);
  void get(const std::string& path, loopback_reply answer);
  /// 200 with `body` as text/plain.
  void get(const std::string& path, std::string body);
  void get(const std::string& path, const char* body) { get(path, std::string(body)); }

  /// Answers the paths that nothing else answers. For sites that `host()` distinguishes.
  void otherwise(handler answer);

  /// A gate for handlers to wait at, which opens when the server stops if not before.
  [[nodiscard]] gate& make_gate();

  /// Answers 200 with `body` once the gate is open.
  gate& stall(const std::string& path, std::string body = {});

  [[nodiscard]] int port() const noexcept;
  /// `http://127.0.0.1:port/path` or `http://[::1]:port/path`, or with another host in it, or
  /// https.
  [[nodiscard]] std::string url(std::string_view path = "/", std::string_view host = {}) const;
  /// The entry of `curl_options::connect_to` that sends `host` here.
  [[nodiscard]] std::string connect_to(std::string_view host, int its_port) const;

  /// Requests whose header section has come in whole.
  [[nodiscard]] std::size_t requests() const;
  [[nodiscard]] std::size_t requests(std::string_view path) const;
  /// TCP connections accepted.
  [[nodiscard]] std::size_t connections() const;
  /// The last request. Throws std::logic_error when there was none.
  [[nodiscard]] loopback_request last_request() const;

  /// Opens all gates, closes, and waits for the threads. Done by the destructor too.
  void stop();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
