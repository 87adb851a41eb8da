// Whether TLS said that a connection came to its end.
#pragma once

#include <robots/adapters/detail/curl_settings.hpp>

#include <curl/curl.h>

#include <cstddef>

namespace robots::adapters_detail {

/// Listens to the TLS of one exchange for close_notify (RFC 8446, section 6.1).
///
/// libcurl on OpenSSL takes a connection that is closed without it for one that ended well; on
/// other libraries it reports an error, and traces nothing. Must outlive the transfer and stay in
/// its place; takes itself off the handle in the end.
class tls_trace {
 public:
  explicit tls_trace(CURL* easy) : easy_(easy) {
    set_option(easy, CURLOPT_DEBUGFUNCTION, &tls_trace::on_trace);
    set_option(easy, CURLOPT_DEBUGDATA, static_cast<void*>(this));
    set_option(easy, CURLOPT_VERBOSE, 1L);
  }
  tls_trace(const tls_trace&) = delete;
  tls_trace& operator=(const tls_trace&) = delete;
  ~tls_trace() {
    curl_easy_setopt(easy_, CURLOPT_VERBOSE, 0L);
    curl_easy_setopt(easy_, CURLOPT_DEBUGFUNCTION, static_cast<curl_debug_callback>(nullptr));
  }

  /// Whether there was TLS, and no close_notify in it.
  [[nodiscard]] bool without_close_notify() const noexcept { return seen_ && !closed_; }

 private:
  // Of what TLS traces, headers of records have 5 octets, inner content types 1, handshake messages
  // 4 at least: alerts alone have 2, the level and the description, which is 0 for close_notify.
  static int on_trace(CURL*, curl_infotype type, char* data, std::size_t size,
                      void* self) noexcept {
    if (type == CURLINFO_SSL_DATA_IN) {
      auto& trace = *static_cast<tls_trace*>(self);
      trace.seen_ = true;
      trace.closed_ = trace.closed_ || (size == 2 && data[1] == 0);
    }
    return 0;
  }

  CURL* easy_;
  bool seen_ = false;
  bool closed_ = false;
};

}  // namespace robots::adapters_detail
