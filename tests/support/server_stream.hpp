// The server's end of one connection, with or without TLS. It never waits.
#pragma once

#include "certificate_authority.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace robots::test {

/// A fault of a server's TLS.
enum class tls_fault {
  none,
  old_versions_only,  ///< supports only TLS 1.0 and 1.1
  closes_handshake,   ///< closes the connection after the ClientHello
  resets_handshake,   ///< resets the connection after the ClientHello
  garbles_handshake,  ///< answers the ClientHello with octets that are not TLS
  leaves_silently,    ///< closes the connection without a close_notify
  speaks_plain_text,  ///< answers the ClientHello with an HTTP response 400
};

struct ssl_context_deleter {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using ssl_context = std::unique_ptr<SSL_CTX, ssl_context_deleter>;

/// Makes a context with the certificate of `identity`, which prefers HTTP/2 over HTTP/1.1. Throws
/// std::runtime_error if the certificate is not valid.
[[nodiscard]] ssl_context make_context(const certificate& identity, tls_fault kind);

/// Owns an accepted TCP connection. The destructor closes it without close_notify.
class server_stream {
 public:
  /// Takes over a non-blocking socket. Without a context, there is no TLS.
  server_stream(int socket, SSL_CTX* context);
  server_stream(const server_stream&) = delete;
  server_stream& operator=(const server_stream&) = delete;
  ~server_stream();

  /// Appends the received octets to `to`. Returns false at the end of the connection.
  [[nodiscard]] bool receive(std::string& to);

  /// Sends octets from the front of `octets`, and removes them. Returns false if the client has
  /// left.
  [[nodiscard]] bool send(std::string_view& octets);

  /// Returns true if TLS must send before it can receive.
  [[nodiscard]] bool wants_to_send() const noexcept;

  /// Sends close_notify (RFC 8446, section 6.1).
  void say_goodbye() const noexcept;

  /// Makes the destructor reset the connection.
  void drop_on_close() const noexcept;

  [[nodiscard]] int socket() const noexcept { return socket_; }

 private:
  struct ssl_deleter {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  };

  /// The result of a call of OpenSSL or the system: a number of octets, nothing for now, or the
  /// end.
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
