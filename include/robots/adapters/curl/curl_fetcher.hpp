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
/// Makes one GET a call, over HTTP or verified HTTPS, whichever version the two ends agree on.
/// A URL of another scheme or with credentials in it, and a request header with a line end in it,
/// are refused with `fetch_error::protocol`. `timeout` and `stop` act during name lookup,
/// connecting and transfer. No cookie is kept and no netrc read. No connection is opened to an
/// address that is not of the internet, unless `curl_options::allowed_addresses` has it: the error
/// is `fetch_error::refused_address`.
///
/// libcurl asks for the codings that it decodes, and decodes before `max_bytes` is applied, so a
/// small bomb stays small; a body over the limit ends the transfer at once and is a response,
/// `truncated`. Content that libcurl cannot decode is `fetch_error::protocol`, and so is encoded
/// content that ends with its connection: libcurl does not tell whether it was cut, so only a
/// length or chunks show that it is whole. With a status other than 2xx, which says all that there
/// is to know, it is a response without a body instead.
///
/// Speaks HTTP/1.1 and nothing newer: a robots.txt gains nothing from HTTP/2.
///
/// A redirect (301, 302, 303, 307, 308) is a response without a body, which is not read. A body
/// that ends with its TLS connection is `fetch_error::protocol` unless that ended with close_notify
/// (RFC 9112, section 9.8); a libcurl on OpenSSL tells only if it was built with its verbose
/// strings, as it is by default.
///
/// When a connection that was kept turns out to be closed before any octet of the answer, libcurl
/// asks again on a new one (RFC 9112, section 9.3.1): the server may see such a request twice.
///
/// Copies share one pool of handles and connections. Any thread may call any copy at any time: each
/// call takes a handle. Nothing is locked while the network works.
///
/// A libcurl before 7.87 may raise SIGPIPE while it writes TLS; such a program should ignore it.
class CurlFetcher {
 public:
  /// A fetcher with default options.
  CurlFetcher() : CurlFetcher(curl_options{}) {}

  /// Throws std::invalid_argument if libcurl cannot follow an option, and
  /// std::runtime_error when libcurl cannot start.
  explicit CurlFetcher(const curl_options& options)
      : engine_(std::make_shared<adapters_detail::curl_engine>(options)) {}

  /// Makes one exchange. Blocks; any thread. Throws nothing but std::bad_alloc.
  [[nodiscard]] fetch_response fetch(const fetch_request& request) const {
    return engine_->fetch(request);
  }

  /// Connections opened so far by all copies; below the number of exchanges when some were used
  /// again. Any thread.
  [[nodiscard]] std::uint64_t connections_opened() const noexcept {
    return engine_->connections_opened();
  }

 protected:
  /// A fetcher over other handles.
  explicit CurlFetcher(std::shared_ptr<adapters_detail::curl_engine> engine)
      : engine_(std::move(engine)) {}

 private:
  std::shared_ptr<adapters_detail::curl_engine> engine_;
};

static_assert(Fetcher<CurlFetcher>);

}  // namespace robots
