// A server on this machine that makes mistakes on request.
#pragma once

#include "certificate_authority.hpp"
#include "fault.hpp"
#include "fault_octets.hpp"
#include "loopback_server.hpp"
#include "server_stream.hpp"
#include <robots/http/message.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// A request to the server, with its fields in the order of their arrival.
struct fault_request : loopback_request {
  std::size_t number = 0;  ///< the number of requests for this site so far, including this one
  bool again = false;      ///< true unless it is the first request on its connection
};

/// Speaks HTTP/1.1 on a port of 127.0.0.1 from construction to destruction, without an HTTP
/// library. One thread serves all connections, and keeps them open between requests. The Host
/// header names the site.
///
/// The server calls the plan for each request, after the whole header section of the request has
/// arrived. It calls the plan only in its own thread. The plan must not wait. Any thread may call
/// the members.
class fault_server {
 public:
  using planner = std::function<fault_plan(const fault_request&)>;

  /// Speaks HTTP.
  explicit fault_server(planner plan);
  /// Speaks HTTPS. With a `kind` other than `none`, its TLS fails in this way.
  fault_server(planner plan, const certificate& identity, tls_fault kind = tls_fault::none);
  fault_server(const fault_server&) = delete;
  fault_server& operator=(const fault_server&) = delete;
  ~fault_server();

  [[nodiscard]] int port() const noexcept;
  /// Returns `http://127.0.0.1:port/path`, or the URL with another host or with https.
  [[nodiscard]] std::string url(std::string_view path = "/robots.txt",
                                std::string_view host = "127.0.0.1") const;
  /// Returns the entry of `curl_options::connect_to` that redirects connections to `its_port` of
  /// any host to this server.
  [[nodiscard]] std::string connect_all_to(int its_port) const;

  [[nodiscard]] std::size_t requests() const;
  [[nodiscard]] std::vector<fault_request> requests_of(std::string_view host) const;
  /// Returns the number of accepted connections.
  [[nodiscard]] std::size_t connections() const;

  /// Waits until `count` requests have arrived.
  void wait_for_requests(std::size_t count) const;
  /// Waits until the clients have closed all their connections.
  void wait_until_alone() const;

  /// Closes all connections, and waits for the thread to end. The destructor calls it, too.
  void stop();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
