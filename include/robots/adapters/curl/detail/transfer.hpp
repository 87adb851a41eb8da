#pragma once

#include <robots/adapters/curl/detail/guard.hpp>
#include <robots/adapters/curl/detail/handle.hpp>
#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/adapters/curl/detail/sink.hpp>
#include <robots/base/ascii.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Finds out whether the TLS of an exchange ended with close_notify (RFC 8446, section 6.1).
///
/// With OpenSSL, libcurl does not notice that a connection closes without close_notify. With other
/// TLS libraries, libcurl itself reports a missing close_notify as an error, and sends no TLS
/// records to this object. This object must outlive the transfer and must not move.
class tls_trace {
 public:
  explicit tls_trace(CURL* easy) : easy_(easy) {
    // libcurl traces TLS in parts. A record header has 5 octets, an inner content type has 1, and a
    // handshake message has at least 4. Only an alert has exactly 2: the level and the description.
    // The description of close_notify is 0.
    set_option(
        easy, CURLOPT_DEBUGFUNCTION,
        +[](CURL*, curl_infotype type, char* data, std::size_t size, void* self) noexcept {
          if (type == CURLINFO_SSL_DATA_IN) {
            auto& trace = *static_cast<tls_trace*>(self);
            trace.seen_ = true;
            trace.closed_ = trace.closed_ || (size == 2 && data[1] == 0);
          }
          return 0;
        });
    set_option(easy, CURLOPT_DEBUGDATA, static_cast<void*>(this));
    set_option(easy, CURLOPT_VERBOSE, 1L);
  }
  tls_trace(const tls_trace&) = delete;
  tls_trace& operator=(const tls_trace&) = delete;
  ~tls_trace() {
    curl_easy_setopt(easy_, CURLOPT_VERBOSE, 0L);
    curl_easy_setopt(easy_, CURLOPT_DEBUGFUNCTION, static_cast<curl_debug_callback>(nullptr));
  }

  /// Returns true if there was TLS, but no close_notify.
  [[nodiscard]] bool without_close_notify() const noexcept { return seen_ && !closed_; }

 private:
  CURL* easy_;
  bool seen_ = false;
  bool closed_ = false;
};

/// Returns true if `text` has an octet that would end a header line or a C string.
[[nodiscard]] constexpr bool breaks_line(std::string_view text) noexcept {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

/// The maximum size of a string that libcurl accepts (CURL_MAX_INPUT_LENGTH in its sources).
inline constexpr std::size_t longest_url = 8'000'000;

/// Returns the response for a request that must not be sent, or an empty optional if the request
/// may be sent.
[[nodiscard]] inline std::optional<fetch_response> refusal(const fetch_request& request,
                                                           const curl_settings& settings) {
  if (request.stop.stop_requested()) {
    return failed(fetch_error::cancelled, "the exchange was stopped before it began");
  }
  if (request.timeout.count() < 0) {
    return failed(fetch_error::timeout, "the timeout had passed before the exchange began");
  }
  if (breaks_line(request.url) || request.url.size() > longest_url) {
    return failed(fetch_error::protocol, "the URL has a line end, a NUL, or more than " +
                                             std::to_string(longest_url) + " octets");
  }
  for (const http_header& header : request.headers) {
    if (header.name.empty() || header.name.find(':') != std::string::npos ||
        breaks_line(header.name) || breaks_line(header.value)) {
      return failed(fetch_error::protocol,
                    "a request header has an empty name, a colon in its name, a line end or a NUL");
    }
  }
  return refusal_by_proxy(request.url, settings);
}

/// Returns `headers` as lines for libcurl. The line `Name;` sends a header with an empty value; the
/// line `Name:` would omit the header.
[[nodiscard]] inline curl_strings header_lines(const std::vector<http_header>& headers) {
  curl_strings lines;
  for (const http_header& header : headers) {
    const std::string_view value = base::trim(header.value, base::is_blank);
    add(lines, value.empty() ? header.name + ';' : header.name + ": " + std::string(value));
  }
  return lines;
}

/// Returns true if the last transfer of `easy` had opened its connection, including TLS.
[[nodiscard]] inline bool had_connection(CURL* easy) noexcept {
  return curl_info<curl_off_t>(easy, CURLINFO_PRETRANSFER_TIME_T) > 0;
}

/// Returns true if a field `name` has a value that is neither empty nor `usual`.
[[nodiscard]] inline bool has_other(const std::vector<http_header>& headers, std::string_view name,
                                    std::string_view usual) {
  return std::ranges::any_of(headers, [&](const http_header& field) {
    return base::equal_ignoring_case(field.name, name) && !field.value.empty() &&
           !base::equal_ignoring_case(field.value, usual);
  });
}

/// Returns true if only the end of the connection marks the end of the body (RFC 9112, section
/// 6.3).
[[nodiscard]] inline bool ends_with_connection(const fetch_response& response) {
  constexpr int no_content = 204;
  const auto coding = detail::find_header(response.headers, "Transfer-Encoding");
  return response.status != no_content &&
         !detail::find_header(response.headers, "Content-Length") &&
         (!coding || coding->empty() ||
          has_other(response.headers, "Transfer-Encoding", "chunked"));
}

/// Returns the response of a transfer. `problem` is libcurl's message if the body could not be
/// decoded, and is empty otherwise. With a 2xx status, a faulty body makes the response an error.
/// With any other status, a faulty body is left out of the response.
[[nodiscard]] inline fetch_response received(CURL* easy, curl_sink& sink, const tls_trace& tls,
                                             std::string_view problem) {
  const int status = received_status(easy);
  if (status < 200 || !sink.headers_complete) {
    return failed(fetch_error::protocol, "the connection ended before the header section did");
  }
  fetch_response response{.status = status};
  // Reads the fields of the final response, without the fields of interim responses, of a proxy's
  // answer to CONNECT, and of the trailer section.
  constexpr int last_request = -1;
  curl_header* field = nullptr;
  while ((field = curl_easy_nextheader(easy, CURLH_HEADER, last_request, field)) != nullptr) {
    // libcurl leaves a CR in an empty value.
    response.headers.push_back(
        {field->name, std::string(base::trim(field->value, base::is_space))});
  }
  if (!sink.over_limit && ends_with_connection(response)) {
    if (has_other(response.headers, "Content-Encoding", "identity") ||
        has_other(response.headers, "Transfer-Encoding", "chunked")) {
      // libcurl decodes the body, but does not check that the body is complete.
      problem = "neither a length nor chunks mark the end of the encoded body";
    } else if (tls.without_close_notify()) {
      // Without close_notify, someone on the network path may have cut off the body (RFC 9112,
      // section 9.8).
      problem = "TLS ended without close_notify, perhaps before the body did";
    }
  }
  if (problem.empty()) {
    response.body = std::move(sink.body);
  } else if (status < 300) {
    return failed(fetch_error::protocol, std::string(problem));
  }
  response.truncated = sink.over_limit;
  return response;
}

/// An exchange on an easy handle to which `curl_settings` were applied. The constructor sets the
/// request. After the transfer, `finish` reads the response. This object must outlive the transfer
/// and must not move.
class curl_transfer {
 public:
  /// `refusal()` must have accepted `request`. The request and the settings must outlive this
  /// object.
  curl_transfer(CURL* easy, const fetch_request& request, const curl_settings& settings)
      : easy_(easy),
        request_(&request),
        settings_(&settings),
        guard_(easy, settings),
        lines_(header_lines(request.headers)),
        sink_(easy, request.max_bytes, settings.options().max_header_bytes),
        tls_(easy) {
    set_option(easy_, CURLOPT_URL, request.url.c_str());
    set_option(easy_, CURLOPT_HTTPHEADER, lines_.get());
    set_option(easy_, CURLOPT_TIMEOUT_MS, curl_milliseconds(request.timeout));
    set_option(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
  }

  curl_transfer(const curl_transfer&) = delete;
  curl_transfer& operator=(const curl_transfer&) = delete;

  ~curl_transfer() {
    curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  }

  [[nodiscard]] fetch_response finish(CURLcode code) {
    const bool redirected = sink_.has_redirect() && code != CURLE_ABORTED_BY_CALLBACK;
    if (code == CURLE_OK || redirected || sink_.over_limit) {
      return received(easy_, sink_, tls_, {});
    }
    if (sink_.error != fetch_error::none) {
      return failed(sink_.error, sink_.error_text);
    }
    // libcurl reports octets after the end of the encoded body as a write error.
    if (sink_.headers_complete &&
        (code == CURLE_BAD_CONTENT_ENCODING || code == CURLE_WRITE_ERROR)) {
      return received(easy_, sink_, tls_, reason(code));
    }
    if (code == CURLE_OUT_OF_MEMORY && had_connection(easy_) && !sink_.headers_complete) {
      // Before version 8.6, libcurl reports a header line above 100 KiB as out of memory.
      return failed(fetch_error::protocol, "a header line is longer than libcurl accepts");
    }
    // libcurl does not say which of the two timeouts ended the attempt to connect, but the shorter
    // timeout passes first.
    const std::chrono::milliseconds timeout = request_->timeout;
    const bool connecting_ran_out =
        code == CURLE_OPERATION_TIMEDOUT && !had_connection(easy_) &&
        (timeout.count() == 0 || settings_->options().connect_timeout < timeout);
    fetch_error error = connecting_ran_out ? fetch_error::connect : to_fetch_error(code);
    if (code == CURLE_COULDNT_CONNECT && guard_.proxy() == proxy_use::never &&
        curl_info<long>(easy_, CURLINFO_OS_ERRNO) == ECONNREFUSED) {
      error = fetch_error::connection_refused;
    }
    return guard_.judge(failed(error, reason(code)));
  }

 private:
  [[nodiscard]] const char* reason(CURLcode code) const noexcept {
    return error_text_.front() != '\0' ? error_text_.data() : curl_easy_strerror(code);
  }

  CURL* easy_;
  const fetch_request* request_;
  const curl_settings* settings_;
  curl_guard guard_;
  curl_strings lines_;
  curl_sink sink_;
  tls_trace tls_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace robots::adapters_detail
