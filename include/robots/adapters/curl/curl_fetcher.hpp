#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/curl_transfers.hpp>
#include <robots/adapters/curl/detail/descriptors.hpp>
#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/adapters/detail/handle_pool.hpp>
#include <robots/base/process.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace robots {

/// Fetches over libcurl, 7.85 or later.
///
/// Makes one GET request per call, over HTTP/1.1 or verified HTTPS. Returns `fetch_error::protocol`
/// for a URL with another scheme or with credentials, and for a request header with a line end.
/// Keeps no cookies and reads no netrc. If an address is not public and
/// `curl_options::allowed_addresses` does not list it, returns `fetch_error::refused_address`.
///
/// Asks for gzip and deflate, and for brotli and zstd if CMake found their libraries. Decodes the
/// body while it arrives. `max_bytes` limits the decoded body, so a compression bomb cannot fill
/// the memory. Does not read the body of a redirect.
///
/// A compressed body must reach the end mark of its format, with the right check value. The first
/// octets of the body decide about its format, since servers name wrong codings: text is taken as
/// text, and gzip is decoded under every name. If octets that belong to no stream follow, they are
/// ignored, and `error_text` says so. A whole gzip or zlib body needs no length. It may also be
/// shorter than Content-Length, which some servers set before they compress.
///
/// Returns `fetch_error::protocol` for three faults of a body. First, the body is neither text nor
/// compressed in a known way, or it is damaged or cut. Second, the body has an encoding without a
/// check value, but neither a length nor chunks mark its end. Third, only the end of the TLS
/// connection marks the end of the body, but the server sent no close_notify (RFC 9112, section
/// 9.8). If the status is not 2xx, returns a response without the faulty body instead. With
/// OpenSSL, the fetcher detects the third fault only if libcurl was built with verbose strings,
/// which is the default.
///
/// If the server closes a reused connection before sending any octet of the response, libcurl sends
/// the request again on a new connection (RFC 9112, section 9.3.1).
///
/// A line without a colon among the headers is skipped, as browsers do. libcurl ends an exchange at
/// such a line. Then the fetcher sends the same request once more and reads the response itself, in
/// the time that is left. If a proxy is in use, it does so only for an http URL and an HTTP proxy
/// without TLS. libcurl must be built with Gopher, which is the default. In the other cases, the
/// error is `fetch_error::protocol`.
///
/// While this process has no free file descriptor, an exchange waits for one, at most for its
/// timeout. Then it returns `fetch_error::local`. If the proxy fails or wants credentials, returns
/// `fetch_error::proxy`.
///
/// Copies share a pool of handles and connections. Any thread may call any copy. No lock is held
/// during network operations.
///
/// A libcurl before 7.87 can raise SIGPIPE while it writes TLS. Ignore SIGPIPE with such a libcurl.
class CurlFetcher {
 public:
  /// Makes a fetcher with default options.
  CurlFetcher() : CurlFetcher(curl_options{}) {}

  /// Throws `std::invalid_argument` if an option is not valid or this libcurl lacks a feature that
  /// the fetcher needs, and `std::runtime_error` if libcurl cannot start.
  explicit CurlFetcher(const curl_options& options)
      : CurlFetcher(options, &adapters_detail::plain_curl_slot, false) {}

  /// Makes one exchange, and blocks until it has ended. Throws only `std::bad_alloc`,
  /// and, in a child of the process that made the fetcher, `std::logic_error`.
  [[nodiscard]] fetch_response fetch(const fetch_request& request) const {
    home_.require("CurlFetcher");
    const auto web = lend(request);
    if (!web) {
      return adapters_detail::failed(fetch_error::local, adapters_detail::no_descriptor_text);
    }
    const auto response = std::make_shared<std::optional<fetch_response>>();
    web->async_fetch(request, [response](fetch_response answer) { *response = std::move(answer); });
    while (!response->has_value()) {
      // A network event or a stop request ends the wait early. If this libcurl lacks
      // `curl_multi_wakeup`, a stop request ends the wait within a second.
      web->run_once(std::chrono::seconds{1});
    }
    return std::move(**response);
  }

 protected:
  /// Makes a fetcher whose handles come from `make`. See `curl_settings` for `has_session`.
  CurlFetcher(const curl_options& options,
              const adapters_detail::curl_transfers::slot_factory& make, bool has_session) {
    const auto settings =
        std::make_shared<const adapters_detail::curl_settings>(options, has_session);
    handles_ = base::make_home<pool>(
        [settings, make] {
          return std::make_unique<adapters_detail::curl_transfers>(settings, make);
        },
        options.max_idle_handles);
    static_cast<void>(handles_->lend());
  }

 private:
  using pool = adapters_detail::handle_pool<adapters_detail::curl_transfers>;

  /// Lends a handle. While this process has no file descriptors for a new one, waits for a handle
  /// that another thread returns, at most for the timeout of `request`. Then returns an empty loan.
  [[nodiscard]] pool::loan lend(const fetch_request& request) const {
    using std::chrono::steady_clock;
    const auto may_make = [] {
      return adapters_detail::has_descriptors(adapters_detail::handle_descriptors);
    };
    const auto began = steady_clock::now();
    while (true) {
      pool::loan web = handles_->lend_if(may_make);
      // In milliseconds, since the longest timeouts have no value in the clock's nanoseconds.
      const auto waited =
          std::chrono::floor<std::chrono::milliseconds>(steady_clock::now() - began);
      const bool is_over = request.timeout.count() != 0 && waited >= request.timeout;
      if (web || is_over || request.stop.stop_requested()) {
        return web;
      }
      std::this_thread::sleep_for(adapters_detail::curl_transfers::descriptor_pause);
    }
  }

  base::home_process home_{};
  std::shared_ptr<pool> handles_;
};

static_assert(Fetcher<CurlFetcher>);

}  // namespace robots
