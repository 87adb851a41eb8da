#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/http/message.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::adapters_detail {

/// Returns the length in the `value` of a Content-Length field. Returns an empty optional if
/// `value` is not a number below 10^18 or a list of equal ones, or differs from `earlier` fields.
/// Without a valid length, the end of the body is unknown (RFC 9112, section 6.3). libcurl does not
/// compare lengths. libcurl uses the last length, and ignores a length that does not fit into 63
/// bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> content_length(
    std::string_view value, std::optional<std::uint64_t> earlier) noexcept {
  while (true) {
    const std::size_t comma = value.find(',');
    constexpr std::uint64_t too_large = 1'000'000'000'000'000'000;  // still fits into 63 bits
    const auto one =
        base::parse_decimal(base::trim(value.substr(0, comma), base::is_space), too_large);
    if (!one || *one == too_large || earlier.value_or(*one) != *one) {
      return std::nullopt;
    }
    if (comma == std::string_view::npos) {
      return one;
    }
    earlier = one;
    value.remove_prefix(comma + 1);
  }
}

/// For each new header, libcurl searches all earlier headers. This takes quadratic time.
inline constexpr std::size_t max_header_lines = 1'000;
inline constexpr const char* too_many_headers =
    "the headers have more octets than max_header_bytes, or over 1000 lines";
inline constexpr const char* bad_length = "Content-Length is not a number, or has different values";

/// Reads the octets of an HTTP/1 response, and skips lines among its headers that are no fields.
///
///     HTTP/1.1 200 OK
///     HTTP/1.1 200 OK              skipped: a repeated status line
///     Content-Type: text/plain
///     a stray line of text         skipped: no colon
///     Content-Length: 24
///
///     User-agent: ...
///
/// Browsers and nginx skip such lines, but libcurl 7.88 ends the transfer. This class makes no
/// system calls. `take` gets the octets as they arrive, in parts of any size. The end of the body
/// follows RFC 9112, section 6.3: a length, chunks, or the end of the connection.
class response_reader {
 public:
  /// `header_room` is the largest size of all headers and trailers together, in octets.
  explicit response_reader(std::size_t header_room) : header_room_(header_room) {}

  /// Reads `octets`, and appends those of the body to `body`. Ignores all octets after the end of
  /// the response or after a problem. Throws only `std::bad_alloc`.
  void take(std::string_view octets, std::string& body) {
    while (!octets.empty() && !is_over()) {
      if (place_ == place::sized_body || place_ == place::chunk || place_ == place::open_body) {
        octets.remove_prefix(take_body(octets, body));
      } else {
        octets.remove_prefix(take_line(octets));
      }
    }
  }

  /// Returns true after the last octet of a response that marks its end.
  [[nodiscard]] bool is_complete() const noexcept { return place_ == place::end; }

  /// Returns true if the response is whole when the connection ends now.
  [[nodiscard]] bool may_end() const noexcept {
    return is_complete() || place_ == place::open_body;
  }

  /// Returns true if further octets have no effect.
  [[nodiscard]] bool is_over() const noexcept { return is_complete() || problem_ != nullptr; }

  /// Returns true after the empty line that ends the headers of the final response.
  [[nodiscard]] bool has_headers() const noexcept {
    return place_ != place::status && place_ != place::headers;
  }

  /// The reason why the response cannot be read, or null.
  [[nodiscard]] const char* problem() const noexcept { return problem_; }

  /// The status; 0 before the first line.
  [[nodiscard]] int status() const noexcept { return status_; }

  /// The fields of the last header section. A folded field is one line.
  [[nodiscard]] const std::vector<http_header>& headers() const noexcept { return headers_; }

 private:
  enum class place {
    status,
    headers,
    sized_body,
    open_body,
    chunk_size,
    chunk,
    chunk_end,
    trailers,
    end
  };

  [[nodiscard]] bool is_in_section() const noexcept {
    return place_ == place::status || place_ == place::headers || place_ == place::trailers;
  }

  /// Returns the number of octets that were used.
  std::size_t take_body(std::string_view octets, std::string& body) {
    if (place_ == place::open_body) {
      body.append(octets);
      return octets.size();
    }
    const auto used = static_cast<std::size_t>((std::min<std::uint64_t>)(octets.size(), left_));
    body.append(octets.substr(0, used));
    left_ -= used;
    if (left_ == 0) {
      place_ = place_ == place::chunk ? place::chunk_end : place::end;
    }
    return used;
  }

  /// Reads octets up to the end of a line. Returns the number of octets that were used.
  std::size_t take_line(std::string_view octets) {
    const std::size_t end = octets.find('\n');
    const bool has_end = end != std::string_view::npos;
    const std::size_t used = has_end ? end + 1 : octets.size();
    constexpr std::size_t longest_chunk_line = 16'384;  // with its extensions
    const std::size_t room = is_in_section() ? header_room_ : longest_chunk_line - line_.size();
    if (used > room) {
      problem_ = is_in_section() ? too_many_headers : bad_chunk;
      return used;
    }
    header_room_ -= is_in_section() ? used : 0;
    line_.append(octets.substr(0, used));
    if (has_end) {
      line_.pop_back();
      if (line_.ends_with('\r')) {
        line_.pop_back();
      }
      read_line();
      line_.clear();
    }
    return used;
  }

  void read_line() {
    if (line_.find('\0') != std::string::npos) {
      problem_ = "a header line has a NUL";
    } else if (is_in_section() && ++lines_ > max_header_lines) {
      problem_ = too_many_headers;
    } else if (place_ == place::status) {
      read_status();
    } else if (place_ == place::headers) {
      line_.empty() ? end_headers() : read_field();
    } else if (place_ == place::chunk_size) {
      read_chunk_size();
    } else if (place_ == place::chunk_end) {
      problem_ = line_.empty() ? nullptr : bad_chunk;
      place_ = place::chunk_size;
    } else if (line_.empty()) {
      place_ = place::end;  // the end of the trailers, which have no use
    }
  }

  /// Reads `HTTP/1.1 200 OK`. The reason may be absent (RFC 9112, section 4).
  void read_status() {
    constexpr std::string_view start = "HTTP/1.";
    const std::string_view line = line_;
    const std::string_view rest = line.starts_with(start) ? line.substr(start.size()) : "";
    const bool has_form = rest.size() >= 5 && base::is_digit(rest[0]) && rest[1] == ' ' &&
                          (rest.size() == 5 || base::is_ws(rest[5]));
    const auto number =
        has_form ? base::parse_decimal(rest.substr(2, 3), 1000) : std::optional<std::uint64_t>();
    if (!number || *number < 100) {
      problem_ = "the response does not begin with a status line of HTTP/1";
      return;
    }
    status_ = static_cast<int>(*number);
    headers_.clear();
    follows_field_ = false;
    place_ = place::headers;
  }

  void read_field() {
    const std::string_view line = line_;
    if (base::is_ws(line.front())) {
      // Continues the field above, if there is one (RFC 9112, section 5.2).
      if (follows_field_) {
        headers_.back().value.append(" ").append(base::trim(line, base::is_space));
      }
      return;
    }
    const std::size_t colon = line.find(':');
    const std::string_view name =
        base::trim(line.substr(0, colon == std::string_view::npos ? 0 : colon), base::is_space);
    // A name with a space is none: a sentence, or a status line whose reason has a colon.
    follows_field_ = !name.empty() && std::ranges::none_of(name, &base::is_space);
    if (follows_field_) {
      headers_.push_back(
          {std::string(name), std::string(base::trim(line.substr(colon + 1), base::is_space))});
    }
  }

  void end_headers() {
    if (status_ < 200) {
      place_ = place::status;  // an interim response
      return;
    }
    std::optional<std::uint64_t> length;
    bool has_coding = false;
    for (const http_header& header : headers_) {
      if (base::equal_ignoring_case(header.name, "Content-Length")) {
        length = content_length(header.value, length);
        if (!length) {
          problem_ = bad_length;
          return;
        }
      } else if (base::equal_ignoring_case(header.name, "Transfer-Encoding") &&
                 !header.value.empty()) {
        has_coding = true;
        if (!base::equal_ignoring_case(header.value, "chunked")) {
          problem_ = "the transfer coding of the response cannot be decoded";
          return;
        }
      }
    }
    left_ = length.value_or(0);
    const bool has_body = status_ != 204 && status_ != 304 && !detail::is_redirect(status_);
    if (!has_body || (!has_coding && length && left_ == 0)) {
      place_ = place::end;
    } else if (has_coding) {
      place_ = place::chunk_size;
    } else {
      place_ = length ? place::sized_body : place::open_body;
    }
  }

  /// Reads a size in hexadecimal digits. An extension may follow (RFC 9112, section 7.1.1).
  void read_chunk_size() {
    const std::string_view line = line_;
    std::string_view digits = base::trim(line.substr(0, line.find(';')), base::is_space);
    constexpr std::size_t most_digits = 15;  // fits into 63 bits
    bool is_good = !digits.empty();
    digits.remove_prefix((std::min)(digits.find_first_not_of('0'), digits.size()));
    is_good = is_good && digits.size() <= most_digits;
    left_ = 0;
    for (std::size_t i = 0; is_good && i < digits.size(); ++i) {
      const int digit = base::hex_value(digits[i]);
      is_good = digit >= 0;
      left_ = left_ * 16 + (is_good ? static_cast<std::uint64_t>(digit) : 0);
    }
    if (!is_good) {
      problem_ = bad_chunk;
      return;
    }
    place_ = left_ == 0 ? place::trailers : place::chunk;
  }

  static constexpr const char* bad_chunk = "the chunks of the response cannot be read";

  std::size_t header_room_;
  std::size_t lines_ = 0;  // lines of headers and trailers
  place place_ = place::status;
  std::string line_{};  // the part of a line that has arrived
  int status_ = 0;
  std::vector<http_header> headers_{};
  bool follows_field_ = false;  // true if the line before is a field or continues one
  std::uint64_t left_ = 0;      // the octets of the body or of the chunk that are still to come
  const char* problem_ = nullptr;
};

}  // namespace robots::adapters_detail
