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

/// Returns the values of all fields `name` in the final response, separated by commas.
[[nodiscard]] inline std::string field_values(CURL* easy, const char* name) {
  constexpr int last_request = -1;
  std::string values;
  curl_header* field = nullptr;
  for (std::size_t i = 0;
       curl_easy_header(easy, name, i, CURLH_HEADER, last_request, &field) == CURLHE_OK; ++i) {
    values.append(i == 0 ? "" : ", ").append(field->value);
  }
  return values;
}

/// Returns the number `name` of the last transfer of `easy`, or 0 if libcurl does not know it.
template <class Number>
[[nodiscard]] Number curl_info(CURL* easy, CURLINFO name) noexcept {
  Number number = 0;
  curl_easy_getinfo(easy, name, &number);
  return number;
}

/// Returns the status of the final response, or 0 if there is none.
[[nodiscard]] inline int received_status(CURL* easy) noexcept {
  return static_cast<int>(curl_info<long>(easy, CURLINFO_RESPONSE_CODE));
}

/// The Content-Length fields of one header section. If lengths differ or are malformed, nothing
/// shows whether the body is complete (RFC 9112, section 6.3). libcurl does not report this: it
/// uses the last length, and ignores a length that is too large.
class content_length {
 public:
  /// Adds the value of one field. Returns false if the value is not a number, or differs from an
  /// earlier value.
  [[nodiscard]] constexpr bool take(std::string_view value) noexcept {
    while (true) {
      const std::size_t comma = value.find(',');
      const auto one = number(base::trim(value.substr(0, comma), base::is_space));
      if (!one || (said_ && *said_ != *one)) {
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
  [[nodiscard]] static constexpr std::optional<std::uint64_t> number(std::string_view digits) {
    constexpr std::size_t most_digits = 18;  // numbers of this length fit into 63 bits
    return digits.size() > most_digits ? std::nullopt : base::parse_decimal(digits);
  }

  std::optional<std::uint64_t> said_;
};

/// Receives the decoded body of an exchange, and counts the octets of its headers. Ends the
/// transfer if a limit is exceeded, or when the body of a redirect begins. The sink must outlive
/// the transfer, and must not move.
class curl_sink {
 public:
  /// Keeps at most `max_body` octets of the decoded body; 0 means no limit. Accepts at most
  /// `max_headers` octets of headers.
  curl_sink(std::size_t max_body, std::size_t max_headers) noexcept
      : body_room_(max_body == 0 ? (std::numeric_limits<std::size_t>::max)() : max_body),
        header_room_(max_headers) {}

  curl_sink(const curl_sink&) = delete;
  curl_sink& operator=(const curl_sink&) = delete;
  ~curl_sink() = default;

  void attach(CURL* easy) {
    easy_ = easy;
    set_option(easy, CURLOPT_WRITEFUNCTION, &curl_sink::on_body);
    set_option(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
    set_option(easy, CURLOPT_HEADERFUNCTION, &curl_sink::on_header);
    set_option(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
  }

  /// Returns the decoded body, up to the limit.
  [[nodiscard]] std::string& body() noexcept { return body_; }
  /// Returns true if the sink ended the transfer, since the body is longer than the limit.
  [[nodiscard]] bool over_limit() const noexcept { return over_limit_; }
  /// Returns the error for which the sink ended the transfer, or `fetch_error::none`.
  [[nodiscard]] fetch_error error() const noexcept { return error_; }
  [[nodiscard]] const char* error_text() const noexcept { return error_text_; }
  /// Returns true if the last header section was complete, with its empty line. If the connection
  /// closes before this line, libcurl reports the response as complete.
  [[nodiscard]] bool headers_complete() const noexcept { return headers_complete_; }
  /// Returns true if the response is a redirect, whose body is not read.
  [[nodiscard]] bool has_redirect() const noexcept {
    return headers_complete_ && detail::is_redirect(received_status(easy_));
  }

 private:
  // A result other than `size * count` makes libcurl end the transfer. No exception may pass
  // through libcurl.
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    return static_cast<curl_sink*>(self)->take_body({data, size * count});
  }

  static std::size_t on_header(char* data, std::size_t size, std::size_t count,
                               void* self) noexcept {
    return static_cast<curl_sink*>(self)->count_header({data, size * count});
  }

  std::size_t take_body(std::string_view text) noexcept {
    if (has_redirect()) {
      return refuse(text.size());
    }
    try {
      const std::string_view fitting = text.substr(0, body_room_);
      body_.append(fitting);
      body_room_ -= fitting.size();
      over_limit_ = fitting.size() < text.size();
      return over_limit_ ? refuse(text.size()) : text.size();
    } catch (...) {
      return fail(text.size(), fetch_error::other, "there is no memory for the body");
    }
  }

  std::size_t count_header(std::string_view line) noexcept {
    if (line.size() > header_room_ || ++header_lines_ > max_header_lines) {
      return fail(line.size(), fetch_error::protocol,
                  "the headers have more octets than max_header_bytes, or over 1000 lines");
    }
    header_room_ -= line.size();
    if (line.starts_with("HTTP/")) {
      headers_complete_ = false;
      length_ = {};
    }
    constexpr std::string_view length = "content-length:";
    if (base::starts_with_ignoring_case(line, length) &&
        !length_.take(line.substr(length.size()))) {
      return fail(line.size(), fetch_error::protocol,
                  "Content-Length is not a number, or has different values");
    }
    if (line == "\r\n" || line == "\n") {
      headers_complete_ = true;
    }
    return line.size();
  }

  /// Limits the time, since libcurl searches its list of headers from the start for each header.
  static constexpr std::size_t max_header_lines = 1'000;

  [[nodiscard]] static std::size_t refuse(std::size_t size) noexcept { return size == 0 ? 1 : 0; }

  std::size_t fail(std::size_t size, fetch_error error, const char* why) noexcept {
    error_ = error;
    error_text_ = why;
    return refuse(size);
  }

  CURL* easy_ = nullptr;
  std::string body_;
  std::size_t body_room_;
  std::size_t header_room_;
  std::size_t header_lines_ = 0;
  content_length length_;
  bool over_limit_ = false;
  bool headers_complete_ = false;
  fetch_error error_ = fetch_error::none;
  const char* error_text_ = "";
};

}  // namespace robots::adapters_detail
