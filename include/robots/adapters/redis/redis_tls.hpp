#pragma once

#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/store/shared_store.hpp>

#include <hiredis/hiredis.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <poll.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace robots {

/// Encrypts connections to `rediss://` servers with TLS 1.2 or later, with hiredis_ssl and OpenSSL.
/// Set an object of this class as `redis_options::tls`. The certificate of a server must be for the
/// host or address that the URL, a Sentinel or a cluster node gives for this server.
class redis_tls {
 public:
  /// The certificates to trust and to send. All members except `ca_path` are paths of PEM files.
  struct files {
    /// Trusted certificates. If `ca_file` and `ca_path` are both empty, the CA certificates at
    /// OpenSSL's default locations are trusted instead.
    std::string ca_file{};
    std::string ca_path{};           ///< a folder of trusted certificates, see `openssl rehash`
    std::string certificate_file{};  ///< the client's certificate, if the server asks for one
    std::string key_file{};          ///< the key of that certificate
  };

  /// Trusts the CA certificates at OpenSSL's default locations.
  redis_tls() : redis_tls(files{}) {}

  /// Throws `std::invalid_argument` if a file cannot be read.
  explicit redis_tls(const files& paths)
      : context_{SSL_CTX_new(TLS_client_method()), &SSL_CTX_free} {
    const auto path = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
    if (!context_) {
      throw std::bad_alloc{};
    }
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    const bool trusts = paths.ca_file.empty() && paths.ca_path.empty()
                            ? SSL_CTX_set_default_verify_paths(context_.get()) == 1
                            : SSL_CTX_load_verify_locations(context_.get(), path(paths.ca_file),
                                                            path(paths.ca_path)) == 1;
    if (!trusts) {
      throw std::invalid_argument{"redis_tls: ca_file \"" + paths.ca_file + "\" or ca_path \"" +
                                  paths.ca_path + "\" has no certificates that can be read"};
    }
    if (!paths.certificate_file.empty() &&
        (SSL_CTX_use_certificate_chain_file(context_.get(), path(paths.certificate_file)) != 1 ||
         SSL_CTX_use_PrivateKey_file(context_.get(), paths.key_file.c_str(), SSL_FILETYPE_PEM) !=
             1)) {
      throw std::invalid_argument{"redis_tls: certificate_file \"" + paths.certificate_file +
                                  "\" and key_file \"" + paths.key_file +
                                  "\" must be PEM files of a certificate and of its key"};
    }
  }

  /// Starts TLS on an open connection to `host`. When the handshake must wait for POLLIN or
  /// POLLOUT, calls `wait` with this event. Throws `store_error` if TLS cannot start.
  void operator()(redisContext& connection, const std::string& host,
                  const std::function<void(short events)>& wait) const {
    const std::unique_ptr<SSL, decltype(&SSL_free)> session{SSL_new(context_.get()), &SSL_free};
    if (!session) {
      throw std::bad_alloc{};
    }
    const bool is_address = detail::parse_ip_address(host).has_value();
    const bool is_named =
        is_address ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.get()), host.c_str()) == 1
                   : SSL_set1_host(session.get(), host.c_str()) == 1 &&
                         SSL_set_tlsext_host_name(session.get(), host.c_str()) == 1;
    if (!is_named) {
      throw store_error{"Redis at " + host +
                        ": TLS needs a host name or an address in the URL, and this is neither"};
    }
    SSL_up_ref(session.get());  // the new reference is for hiredis
    const adapters_detail::sigpipe_guard no_signal;
    if (redisInitiateSSL(&connection, session.get()) != REDIS_OK) {
      SSL_free(session.get());
      refuse(host, session.get());
    }
    ERR_clear_error();
    for (int result = 0; (result = SSL_do_handshake(session.get())) != 1; ERR_clear_error()) {
      const int wanted = SSL_get_error(session.get(), result);
      if (wanted != SSL_ERROR_WANT_READ && wanted != SSL_ERROR_WANT_WRITE) {
        refuse(host, session.get());
      }
      wait(wanted == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
    }
  }

 private:
  [[noreturn]] static void refuse(const std::string& host, const SSL* session) {
    const long verified = SSL_get_verify_result(session);
    const char* const reason = verified != X509_V_OK ? X509_verify_cert_error_string(verified)
                                                     : ERR_reason_error_string(ERR_peek_error());
    throw store_error{"Redis at " + host + " and this client cannot agree on TLS: " +
                      (reason == nullptr ? "the connection is lost" : reason)};
  }

  std::shared_ptr<SSL_CTX> context_;
};

}  // namespace robots
