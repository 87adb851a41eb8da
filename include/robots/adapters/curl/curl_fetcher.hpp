#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/detail/engine.hpp>
#include <robots/base/config.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace robots {

/// Fetches over libcurl, 7.85 or later.
///
/// Makes one GET request per call, over HTTP or verified HTTPS. Refuses a URL with another scheme
/// or with credentials, and a request header with a line end: the error is `fetch_error::protocol`.
/// `timeout` and `stop` apply to name lookup, connecting and transfer. Keeps no cookies and reads
/// no netrc. Opens no connection to an address outside the internet, unless
/// `curl_options::allowed_addresses` has it: the error is `fetch_error::refused_address`.
///
/// libcurl asks for the codings that it can decode, and decodes before `max_bytes` applies, so a
/// compression bomb stays small. A body over the limit ends the transfer at once, and is a response
/// with `truncated`. Content that libcurl cannot decode is `fetch_error::protocol`. So is encoded
/// content that ends with its connection: libcurl does not say whether it was cut, so only a length
/// or chunks prove that it is whole. With a status other than 2xx, it is a response without a body
/// instead: the status says everything.
///
/// Uses HTTP/1.1 only: HTTP/2 has no advantage for a robots.txt.
///
/// A redirect (301, 302, 303, 307, 308) is a response without a body; the body is not read. A body
/// that ends with its TLS connection is `fetch_error::protocol`, unless the connection ended with
/// close_notify (RFC 9112, section 9.8). A libcurl on OpenSSL knows this only if it was built with
/// verbose strings, which is the default.
///
/// If a reused connection turns out to be closed before any octet of the answer, libcurl sends the
/// request again on a new one (RFC 9112, section 9.3.1). So the server may see it twice.
///
/// Copies share a pool of handles and connections. Any thread may call any copy: each call takes a
/// handle. No lock is held during network operations.
///
/// A libcurl before 7.87 may raise SIGPIPE while it writes TLS. A program with such a libcurl
/// should ignore the signal.
class CurlFetcher {
 public:
  /// Makes a fetcher with default options.
  CurlFetcher() : CurlFetcher(curl_options{}) {}

  /// Throws std::invalid_argument if libcurl cannot follow an option, and std::runtime_error if
  /// libcurl cannot start.
  explicit CurlFetcher(const curl_options& options)
      : engine_(std::make_shared<adapters_detail::curl_engine>(options)) {}

  /// Makes one exchange. Blocks; any thread may call it. Throws only std::bad_alloc.
  [[nodiscard]] fetch_response fetch(const fetch_request& request) const {
    return engine_->fetch(request);
  }

  /// Returns the number of connections that all copies have opened. It is less than the number of
  /// exchanges if connections were reused. Any thread may call it.
  [[nodiscard]] std::uint64_t connections_opened() const noexcept {
    return engine_->connections_opened();
  }

 protected:
  /// Makes a fetcher with other handles.
  explicit CurlFetcher(std::shared_ptr<adapters_detail::curl_engine> engine)
      : engine_(std::move(engine)) {}

 private:
  std::shared_ptr<adapters_detail::curl_engine> engine_;
};

static_assert(Fetcher<CurlFetcher>);

}  // namespace robots
