// A server that sends given octets, which need not be HTTP.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace robots::test {

/// The end of a `raw_server` after its octets are sent.
enum class raw_ending {
  close,   ///< closes the connection in order
  reset,   ///< resets the connection
  stall,   ///< sends nothing more, and waits for the client to close
  repeat,  ///< repeats the octets until the client closes
};

/// Listens on 127.0.0.1 and serves one connection after another: reads the header section of a
/// request, or the first octets of other data, sends `octets`, and ends as requested.
class raw_server {
 public:
  explicit raw_server(std::string octets, raw_ending ending = raw_ending::close);
  raw_server(const raw_server&) = delete;
  raw_server& operator=(const raw_server&) = delete;
  ~raw_server();

  /// Returns `http://127.0.0.1:port/path`.
  [[nodiscard]] std::string url(std::string_view path = "/robots.txt") const;
  [[nodiscard]] int port() const noexcept;
  [[nodiscard]] std::size_t connections() const noexcept;
  /// Returns the octets that the last client has sent.
  [[nodiscard]] std::string last_request() const;
  /// Waits until the octets were sent to the first connection.
  void wait_until_sent();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A port of 127.0.0.1 that refuses connections while this object exists.
class closed_port {
 public:
  closed_port();
  closed_port(const closed_port&) = delete;
  closed_port& operator=(const closed_port&) = delete;
  ~closed_port();

  [[nodiscard]] int number() const noexcept { return number_; }
  /// Returns `http://127.0.0.1:port/path`.
  [[nodiscard]] std::string url(std::string_view path = "/robots.txt") const;

 private:
  int socket_;
  int number_;
};

}  // namespace robots::test
