#pragma once

#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// Returns the number `name` of the last transfer of `easy`, or 0 if libcurl does not know it.
template <class Number>
[[nodiscard]] Number curl_info(CURL* easy, CURLINFO name) noexcept {
  Number number = 0;
  curl_easy_getinfo(easy, name, &number);
  return number;
}

[[nodiscard]] inline int received_status(CURL* easy) noexcept {
  return static_cast<int>(curl_info<long>(easy, CURLINFO_RESPONSE_CODE));
}

/// The Content-Length fields of one header section. If lengths differ or are malformed, nothing
/// shows whether the body is complete (RFC 9112, section 6.3). This class checks the lengths, since
/// libcurl does not: it uses the last length, and ignores a length that is too large.
class content_length {
 public:
  /// Adds the value of one field. Returns false if the value is not a number, or differs from an
  /// earlier value.
  [[nodiscard]] constexpr bool take(std::string_view value) noexcept {
    while (true) {
      const std::size_t comma = value.find(',');
      constexpr std::uint64_t too_large = 1'000'000'000'000'000'000;  // still fits into 63 bits
      const auto one =
          base::parse_decimal(base::trim(value.substr(0, comma), base::is_space), too_large);
      if (!one || *one == too_large || (said_ && *said_ != *one)) {
        return false;
      }
      said_ = one;
      if (comma == std::string_view::npos) {
        return true;
      }
      value.remove_prefix(comma + 1);
    }
  }

 private:
  std::optional<std::uint64_t> said_;
};

/// Receives the decoded body of an exchange, and counts the octets of the headers. Ends the
/// transfer if a limit is exceeded, or when the body of a redirect begins. This object must outlive
/// the transfer and must not move.
class curl_sink {
 public:
  /// Keeps at most `max_body` octets of the decoded body; 0 means no limit. Accepts at most
  /// `max_headers` octets of headers.
  curl_sink(CURL* easy, std::size_t max_body, std::size_t max_headers)
      : easy_(easy),
        body_room_(max_body == 0 ? (std::numeric_limits<std::size_t>::max)() : max_body),
        header_room_(max_headers) {
    // A result other than `size * count` makes libcurl end the transfer. The callbacks are
    // `noexcept`, since no exception may pass through libcurl.
    using writer = std::size_t (*)(char*, std::size_t, std::size_t, void*) noexcept;
    const writer on_body = [](char* data, std::size_t size, std::size_t count,
                              void* self) noexcept {
      return static_cast<curl_sink*>(self)->take_body({data, size * count});
    };
    const writer on_header = [](char* data, std::size_t size, std::size_t count,
                                void* self) noexcept {
      return static_cast<curl_sink*>(self)->count_header({data, size * count});
    };
    set_option(easy, CURLOPT_WRITEFUNCTION, on_body);
    set_option(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
    set_option(easy, CURLOPT_HEADERFUNCTION, on_header);
    set_option(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
  }
  curl_sink(const curl_sink&) = delete;
  curl_sink& operator=(const curl_sink&) = delete;
  ~curl_sink() = default;

  /// Returns true if the response is a redirect, whose body is not read.
  [[nodiscard]] bool has_redirect() const noexcept {
    return headers_complete && detail::is_redirect(received_status(easy_));
  }

  std::string body{};                     ///< the decoded body, up to the limit
  bool over_limit = false;                ///< true if the body is longer than the limit
  bool headers_complete = false;          ///< true after the empty line that ends the headers.
                                          ///< libcurl accepts headers without this line.
  fetch_error error = fetch_error::none;  ///< why the sink ended the transfer
  const char* error_text = "";

 private:
  std::size_t take_body(std::string_view text) noexcept {
    if (has_redirect()) {
      return refuse(text.size());
    }
    try {
      const std::string_view fitting = text.substr(0, body_room_);
      body.append(fitting);
      body_room_ -= fitting.size();
      over_limit = fitting.size() < text.size();
      return over_limit ? refuse(text.size()) : text.size();
    } catch (...) {
      return fail(text.size(), fetch_error::other, "there is no memory for the body");
    }
  }

  std::size_t count_header(std::string_view line) noexcept {
    // This limit saves time, since libcurl searches all earlier headers for each new header.
    constexpr std::size_t max_header_lines = 1'000;
    if (line.size() > header_room_ || ++header_lines_ > max_header_lines) {
      return fail(line.size(), fetch_error::protocol,
                  "the headers have more octets than max_header_bytes, or over 1000 lines");
    }
    header_room_ -= line.size();
    if (line.starts_with("HTTP/")) {
      headers_complete = false;
      length_ = {};
    }
    constexpr std::string_view length = "content-length:";
    if (base::starts_with_ignoring_case(line, length) &&
        !length_.take(line.substr(length.size()))) {
      return fail(line.size(), fetch_error::protocol,
                  "Content-Length is not a number, or has different values");
    }
    headers_complete = headers_complete || line == "\r\n" || line == "\n";
    return line.size();
  }

  [[nodiscard]] static std::size_t refuse(std::size_t size) noexcept { return size == 0 ? 1 : 0; }

  std::size_t fail(std::size_t size, fetch_error why, const char* text) noexcept {
    error = why;
    error_text = text;
    return refuse(size);
  }

  CURL* easy_;
  std::size_t body_room_;
  std::size_t header_room_;
  std::size_t header_lines_ = 0;
  content_length length_;
};

}  // namespace robots::adapters_detail
