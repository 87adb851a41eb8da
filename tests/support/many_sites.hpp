// A server with one thread for thousands of sites, which counts its connections.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace robots::test {

/// Listens on 127.0.0.1, and speaks enough HTTP for GET. Connections stay open until the client
/// closes them.
class many_sites {
 public:
  /// Returns the octets of the answer for a host, which is given without a port. An empty text
  /// closes the connection. The server's thread calls it.
  using answerer = std::function<std::string(std::string_view host)>;

  explicit many_sites(answerer answer);
  many_sites(const many_sites&) = delete;
  many_sites& operator=(const many_sites&) = delete;
  ~many_sites();

  /// Returns an answer with 200 and `body` as text/plain.
  [[nodiscard]] static std::string ok(std::string_view body);
  /// Returns an answer with this status and without a body.
  [[nodiscard]] static std::string status(int code);

  /// Returns the entry of `curl_options::connect_to` that redirects connections to a port of any
  /// host to this server.
  [[nodiscard]] std::string connect_to(int their_port = 80) const;

  [[nodiscard]] std::size_t requests() const noexcept;
  /// Returns the largest number of connections that were open at once.
  [[nodiscard]] std::size_t most_connections() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
