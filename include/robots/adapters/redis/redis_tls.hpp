// TLS for RedisStore, over hiredis_ssl and OpenSSL.
#pragma once

#include <robots/adapters/detail/sigpipe_guard.hpp>
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
#include <utility>

namespace robots {

/// The certificates that `redis_tls` trusts, and the one that it sends. All are paths of PEM files.
struct redis_tls_options {
  /// Trusted certificates. If this or `ca_path` is set, nothing else is trusted. If neither is set,
  /// OpenSSL's own certificates are.
  std::string ca_file{};
  std::string ca_path{};           ///< folder of trusted certificates, see `openssl rehash`
  std::string certificate_file{};  ///< of this client, if the server asks for one
  std::string key_file{};          ///< the key of that certificate
};

/// TLS 1.2 or later for the servers of `rediss://`: set it as `redis_options::tls`. The certificate
/// of a server must be for the host or address in the URL, or for the one that a Sentinel or a
/// cluster node names.
class redis_tls {
 public:
  /// Throws `std::invalid_argument` if a file cannot be read.
  explicit redis_tls(const redis_tls_options& options = {})
      : context_{SSL_CTX_new(TLS_client_method()), &SSL_CTX_free} {
    const auto path = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
    if (!context_) {
      throw std::bad_alloc{};
    }
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    const bool trusts = options.ca_file.empty() && options.ca_path.empty()
                            ? SSL_CTX_set_default_verify_paths(context_.get()) == 1
                            : SSL_CTX_load_verify_locations(context_.get(), path(options.ca_file),
                                                            path(options.ca_path)) == 1;
    if (!trusts) {
      throw std::invalid_argument{"redis_tls: ca_file or ca_path cannot be read"};
    }
    if (!options.certificate_file.empty() &&
        (SSL_CTX_use_certificate_chain_file(context_.get(), path(options.certificate_file)) != 1 ||
         SSL_CTX_use_PrivateKey_file(context_.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) !=
             1)) {
      throw std::invalid_argument{
          "redis_tls: certificate_file and key_file do not belong together"};
    }
  }

  /// Starts TLS on an open connection. The caller calls the result until it returns 0. Before each
  /// further call, it waits for the returned event, POLLIN or POLLOUT. Throws `store_error`.
  [[nodiscard]] std::function<short()> operator()(redisContext& connection,
                                                  const std::string& host) const {
    std::shared_ptr<SSL> session{SSL_new(context_.get()), &SSL_free};
    if (!session) {
      throw std::bad_alloc{};
    }
    const bool is_address = parse_ip_address(host).has_value();
    const bool is_named =
        is_address ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.get()), host.c_str()) == 1
                   : SSL_set1_host(session.get(), host.c_str()) == 1 &&
                         SSL_set_tlsext_host_name(session.get(), host.c_str()) == 1;
    if (!is_named) {
      throw store_error{"Redis at " + host + ": the host is not valid for TLS"};
    }
    SSL_up_ref(session.get());  // for hiredis, which begins the handshake
    const adapters_detail::sigpipe_guard no_signal;
    if (redisInitiateSSL(&connection, session.get()) != REDIS_OK) {
      SSL_free(session.get());
      refuse(host, session.get());
    }
    return [host, session = std::move(session)] { return step(host, session.get()); };
  }

 private:
  /// Continues the handshake as far as the socket permits.
  [[nodiscard]] static short step(const std::string& host, SSL* session) {
    const adapters_detail::sigpipe_guard no_signal;
    ERR_clear_error();
    const int result = SSL_do_handshake(session);
    switch (result == 1 ? SSL_ERROR_NONE : SSL_get_error(session, result)) {
      case SSL_ERROR_NONE:
        return 0;
      case SSL_ERROR_WANT_READ:
        return POLLIN;
      case SSL_ERROR_WANT_WRITE:
        return POLLOUT;
      default:
        refuse(host, session);
    }
  }

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
