// A server with one thread for thousands of sites, which counts its connections.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace robots::test {

/// Listens on 127.0.0.1 and speaks as much HTTP as a GET needs; connections stay open until the
/// client closes them.
class many_sites {
 public:
  /// The octets that answer a request for a host, named without its port; none at all closes the
  /// connection. Called by the server's thread.
  using answerer = std::function<std::string(std::string_view host)>;

  explicit many_sites(answerer answer);
  many_sites(const many_sites&) = delete;
  many_sites& operator=(const many_sites&) = delete;
  ~many_sites();

  /// 200 with `body` as text/plain.
  [[nodiscard]] static std::string ok(std::string_view body);
  /// A response with this status and without a body.
  [[nodiscard]] static std::string status(int code);

  /// The entry of `curl_options::connect_to` that sends every host here that is meant for a port.
  [[nodiscard]] std::string connect_to(int their_port = 80) const;

  /// Requests so far.
  [[nodiscard]] std::size_t requests() const noexcept;
  /// The most connections that were open at once.
  [[nodiscard]] std::size_t most_connections() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
