// A server on this machine that makes any mistake on demand.
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

/// A request as the server got it, its fields in the order in which they came.
struct fault_request : loopback_request {
  std::size_t number = 0;  ///< how many the server had from this site, this one included
  bool again = false;      ///< not the first request on its connection
};

/// Speaks HTTP/1.1, by itself and octet by octet, on a port of 127.0.0.1 from construction to
/// destruction. One thread serves all connections, as many as come, and keeps them open from answer
/// to answer. The Host header names the site.
///
/// The plan is asked for each request whose header section has come in whole, on the server's
/// thread and so never twice at once; it must not wait. Members may be called from any thread.
class fault_server {
 public:
  using planner = std::function<fault_plan(const fault_request&)>;

  /// Speaks HTTP.
  explicit fault_server(planner plan);
  /// Speaks HTTPS, or does what `what` says instead.
  fault_server(planner plan, const certificate& identity, tls_fault kind = tls_fault::none);
  fault_server(const fault_server&) = delete;
  fault_server& operator=(const fault_server&) = delete;
  ~fault_server();

  [[nodiscard]] int port() const noexcept;
  /// `http://127.0.0.1:port/path`, or with another host in it, or https.
  [[nodiscard]] std::string url(std::string_view path = "/robots.txt",
                                std::string_view host = "127.0.0.1") const;
  /// The entry of `curl_options::connect_to` that sends here what is meant for `its_port` of any
  /// host.
  [[nodiscard]] std::string connect_all_to(int its_port) const;

  /// All requests so far.
  [[nodiscard]] std::size_t requests() const;
  /// The requests of a site, in their order.
  [[nodiscard]] std::vector<fault_request> requests_of(std::string_view host) const;
  /// Connections accepted so far.
  [[nodiscard]] std::size_t connections() const;

  /// Waits until `requests` requests have come in all.
  void wait_for_requests(std::size_t count) const;
  /// Waits until the clients have left all their connections.
  void wait_until_alone() const;

  /// Closes all connections, and waits for the thread to end. Done by the destructor too.
  void stop();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
