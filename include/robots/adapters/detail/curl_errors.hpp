// What libcurl's result codes mean to a Fetcher.
#pragma once

#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <string>
#include <utility>

namespace robots::adapters_detail {

/// The error that `code` stands for. Running out of time is `timeout`; whether it was the request's
/// time or that for connecting is for the caller to tell apart.
[[nodiscard]] constexpr fetch_error to_fetch_error(CURLcode code) noexcept {
  switch (code) {
    case CURLE_OK:
      return fetch_error::none;

    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return fetch_error::resolve;

    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
    case CURLE_NO_CONNECTION_AVAILABLE:
    case CURLE_QUIC_CONNECT_ERROR:
    case CURLE_PROXY:
      return fetch_error::connect;

    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_USE_SSL_FAILED:
      return fetch_error::tls;

    case CURLE_OPERATION_TIMEDOUT:
      return fetch_error::timeout;
    case CURLE_ABORTED_BY_CALLBACK:
      return fetch_error::cancelled;

    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_LOGIN_DENIED:  // credentials in the URL
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WRITE_ERROR:  // some decoders say so of broken content
    case CURLE_CHUNK_FAILED:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_HTTP3:
      return fetch_error::protocol;

    default:
      break;
  }
  constexpr int too_large = 100;     // CURLE_TOO_LARGE, of libcurl 8.6: a header line, as a rule
  constexpr int ech_required = 101;  // CURLE_ECH_REQUIRED, of libcurl 8.8
  switch (static_cast<int>(code)) {
    case too_large:
      return fetch_error::protocol;
    case ech_required:
      return fetch_error::tls;
    default:
      return fetch_error::other;
  }
}

/// A response that says why there is none.
[[nodiscard]] inline fetch_response failed(fetch_error error, std::string text) {
  fetch_response response;
  response.error = error;
  response.error_text = std::move(text);
  return response;
}

}  // namespace robots::adapters_detail
