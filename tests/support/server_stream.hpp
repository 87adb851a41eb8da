// The server's end of one connection, with or without TLS, without ever waiting.
#pragma once

#include "certificate_authority.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace robots::test {

/// The fault of a server's TLS.
enum class tls_fault {
  none,
  old_versions_only,  ///< knows TLS 1.0 and 1.1 and nothing newer
  closes_handshake,   ///< closes the connection when the client has said hello
  resets_handshake,   ///< resets it then
  garbles_handshake,  ///< answers the client's hello with octets that mean nothing
  leaves_silently,    ///< closes the connection without a close_notify
  speaks_plain_text,  ///< answers the client's hello with HTTP that says 400
};

struct ssl_context_deleter {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using ssl_context = std::unique_ptr<SSL_CTX, ssl_context_deleter>;

/// A context with the certificate of `identity`, which prefers HTTP/2 over HTTP/1.1. Throws
/// std::runtime_error when it is no good.
[[nodiscard]] ssl_context make_context(const certificate& identity, tls_fault kind);

/// A TCP connection that was accepted, which it owns. Closes without a word of TLS.
class server_stream {
 public:
  /// Takes over a socket that does not block. Without a context there is no TLS.
  server_stream(int socket, SSL_CTX* context);
  server_stream(const server_stream&) = delete;
  server_stream& operator=(const server_stream&) = delete;
  ~server_stream();

  /// Appends to `to` what has come. False when the connection is at its end.
  [[nodiscard]] bool receive(std::string& to);

  /// Takes from the front of `octets` what can be sent now. False when the client has left.
  [[nodiscard]] bool send(std::string_view& octets);

  /// Returns true if TLS wants to send before it goes on receiving.
  [[nodiscard]] bool wants_to_send() const noexcept;

  /// Says in TLS that nothing more will come (RFC 8446, section 6.1).
  void say_goodbye() const noexcept;

  /// From now on, closing is a reset.
  void drop_on_close() const noexcept;

  [[nodiscard]] int socket() const noexcept { return socket_; }

 private:
  struct ssl_deleter {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  };

  /// The result of a call of OpenSSL or the system: octets moved, nothing for now, or the end.
  struct moved {
    std::size_t octets = 0;
    bool alive = true;
  };
  [[nodiscard]] moved read_some(char* to, std::size_t size);
  [[nodiscard]] moved write_some(std::string_view octets);
  [[nodiscard]] moved after_tls(int result, std::size_t octets) const;

  int socket_;
  std::unique_ptr<SSL, ssl_deleter> ssl_;
};

}  // namespace robots::test
