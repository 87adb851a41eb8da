#include "server_stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots::test {

namespace {

/// Chooses HTTP/2 if the client offers it (RFC 7301). The test servers do not speak HTTP/2, so such
/// a client gets no answer.
int prefer_http2(SSL*, const unsigned char** chosen, unsigned char* size,
                 const unsigned char* offered, unsigned int offered_size, void*) {
  static constexpr unsigned char known[] = "\x02h2\x08http/1.1";
  unsigned char* protocol = nullptr;
  const int result =
      SSL_select_next_proto(&protocol, size, known, sizeof known - 1, offered, offered_size);
  *chosen = protocol;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

ssl_context make_context(const certificate& identity, tls_fault fault_kind) {
  ssl_context result(SSL_CTX_new(TLS_server_method()));
  if (!result ||
      SSL_CTX_use_certificate_file(result.get(), identity.certificate_file.c_str(),
                                   SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_PrivateKey_file(result.get(), identity.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    throw std::runtime_error("the certificate cannot be used");
  }
  SSL_CTX_set_mode(result.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_alpn_select_cb(result.get(), prefer_http2, nullptr);
  if (fault_kind == tls_fault::old_versions_only) {
    // OpenSSL 3 supports these versions only at security level 0.
    SSL_CTX_set_security_level(result.get(), 0);
    SSL_CTX_set_min_proto_version(result.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(result.get(), TLS1_1_VERSION);
  }
  return result;
}

server_stream::server_stream(int socket, SSL_CTX* context) : socket_(socket) {
  if (context != nullptr) {
    ssl_.reset(SSL_new(context));
    if (!ssl_ || SSL_set_fd(ssl_.get(), socket) != 1) {
      throw std::runtime_error("OpenSSL cannot make a connection");
    }
    SSL_set_accept_state(ssl_.get());
  }
}

server_stream::~server_stream() { ::close(socket_); }

bool server_stream::receive(std::string& to) {
  std::array<char, 16'384> buffer{};
  while (true) {
    const moved got = read_some(buffer.data(), buffer.size());
    if (!got.alive) {
      return false;
    }
    if (got.octets == 0) {
      return true;
    }
    to.append(buffer.data(), got.octets);
  }
}

bool server_stream::send(std::string_view& octets) {
  while (!octets.empty()) {
    const moved sent = write_some(octets);
    if (!sent.alive) {
      return false;
    }
    if (sent.octets == 0) {
      return true;
    }
    octets.remove_prefix(sent.octets);
  }
  return true;
}

bool server_stream::wants_to_send() const noexcept { return ssl_ && SSL_want_write(ssl_.get()); }

void server_stream::say_goodbye() const noexcept {
  if (ssl_) {
    SSL_shutdown(ssl_.get());
  }
}

void server_stream::drop_on_close() const noexcept {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

server_stream::moved server_stream::read_some(char* to, std::size_t size) {
  if (ssl_) {
    std::size_t count = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_.get(), to, size, &count);
    return after_tls(result, count);
  }
  const ssize_t count = ::recv(socket_, to, size, 0);
  if (count > 0) {
    return {.octets = static_cast<std::size_t>(count)};
  }
  return {.alive = count < 0 && (errno == EAGAIN || errno == EINTR)};
}

server_stream::moved server_stream::write_some(std::string_view octets) {
  if (ssl_) {
    std::size_t count = 0;
    ERR_clear_error();
    const int result = SSL_write_ex(ssl_.get(), octets.data(), octets.size(), &count);
    return after_tls(result, count);
  }
  const ssize_t count = ::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL);
  if (count > 0) {
    return {.octets = static_cast<std::size_t>(count)};
  }
  return {.alive = errno == EAGAIN || errno == EINTR};
}

server_stream::moved server_stream::after_tls(int result, std::size_t octets) const {
  if (result == 1) {
    return {.octets = octets};
  }
  const int error = SSL_get_error(ssl_.get(), result);
  return {.alive = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE};
}

}  // namespace robots::test
