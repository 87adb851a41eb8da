#pragma once

#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace robots::adapters_detail {

static_assert(LIBCURL_VERSION_NUM >= 0x075500, "robots::CurlFetcher needs libcurl 7.85 or later");

/// Frees a handle of libcurl with the function `Free`.
template <auto Free>
struct curl_deleter {
  template <class T>
  void operator()(T* owned) const noexcept {
    Free(owned);
  }
};

using curl_easy = std::unique_ptr<CURL, curl_deleter<&curl_easy_cleanup>>;
using curl_multi = std::unique_ptr<CURLM, curl_deleter<&curl_multi_cleanup>>;
using curl_url_handle = std::unique_ptr<CURLU, curl_deleter<&curl_url_cleanup>>;

/// Starts libcurl, once per program. Never stops it, since other parts of the program can use it.
/// Throws `std::runtime_error` if libcurl cannot start.
inline void start_curl() {
  static const CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (result != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl cannot start: ") + curl_easy_strerror(result) +
                             ": check the installation of libcurl and its TLS library");
  }
}

/// Returns `handle`. Throws std::bad_alloc if `handle` is null, since libcurl returns null only if
/// there is no memory.
template <class Handle>
[[nodiscard]] Handle made(Handle handle) {
  if (!handle) {
    throw std::bad_alloc();
  }
  return handle;
}

[[nodiscard]] inline curl_easy make_curl_easy() { return made(curl_easy(curl_easy_init())); }

using curl_strings = std::unique_ptr<curl_slist, curl_deleter<&curl_slist_free_all>>;

inline void add(curl_strings& list, const std::string& text) {
  curl_slist* const grown = curl_slist_append(list.get(), text.c_str());
  if (grown == nullptr) {
    throw std::bad_alloc();
  }
  static_cast<void>(list.release());
  list.reset(grown);
}

/// Returns the error for `code`. Every timeout becomes `fetch_error::timeout`, so the caller must
/// find out if the timeout of the request or the timeout for connecting has passed.
[[nodiscard]] constexpr fetch_error to_fetch_error(CURLcode code) noexcept {
  const auto is = [code](std::initializer_list<int> codes) {
    return std::find(codes.begin(), codes.end(), static_cast<int>(code)) != codes.end();
  };
  constexpr int too_large = 100;     // CURLE_TOO_LARGE since libcurl 8.6, usually for a header line
  constexpr int ech_required = 101;  // CURLE_ECH_REQUIRED since libcurl 8.8
  if (code == CURLE_OK) {
    return fetch_error::none;
  }
  if (is({CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY})) {
    return fetch_error::resolve;
  }
  if (is({CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE,
          CURLE_QUIC_CONNECT_ERROR, CURLE_PROXY})) {
    return fetch_error::connect;
  }
  if (is({CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
          CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
          CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
          CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
          CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED, ech_required})) {
    return fetch_error::tls;
  }
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return fetch_error::timeout;
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return fetch_error::cancelled;
  }
  // libcurl returns CURLE_LOGIN_DENIED for credentials in the URL, and with some decoders
  // CURLE_WRITE_ERROR for broken content.
  const bool is_protocol = is({CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED,
                               CURLE_WEIRD_SERVER_REPLY, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE,
                               CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_BAD_CONTENT_ENCODING,
                               CURLE_WRITE_ERROR, CURLE_CHUNK_FAILED, too_large});
  return is_protocol ? fetch_error::protocol : fetch_error::other;
}

/// Makes a response that has no status, but an error with its reason.
[[nodiscard]] inline fetch_response failed(fetch_error error, std::string text) {
  return {.error = error, .error_text = std::move(text)};
}

}  // namespace robots::adapters_detail
