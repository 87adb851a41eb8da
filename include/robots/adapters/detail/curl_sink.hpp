// Where libcurl puts what it receives, and where the limits on it are kept.
#pragma once

#include <robots/adapters/detail/content_length.hpp>
#include <robots/adapters/detail/curl_settings.hpp>
#include <robots/rep/detail/ascii.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace robots::detail {

/// Takes the body of one exchange and counts the octets of its header sections. Whatever is over a
/// limit ends the transfer. Must outlive the transfer and stay in its place.
class curl_sink {
 public:
  /// Keeps at most `max_body` octets of body, where 0 means no limit, and lets pass at most
  /// `max_headers` octets of header.
  curl_sink(std::size_t max_body, std::size_t max_headers) noexcept
      : body_room_(max_body == 0 ? std::numeric_limits<std::size_t>::max() : max_body),
        header_room_(max_headers) {}

  curl_sink(const curl_sink&) = delete;
  curl_sink& operator=(const curl_sink&) = delete;
  ~curl_sink() = default;

  void attach(CURL* easy) {
    set_option(easy, CURLOPT_WRITEFUNCTION, &curl_sink::on_body);
    set_option(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
    set_option(easy, CURLOPT_HEADERFUNCTION, &curl_sink::on_header);
    set_option(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
  }

  [[nodiscard]] std::string& body() noexcept { return body_; }
  [[nodiscard]] bool body_over_limit() const noexcept { return body_over_limit_; }
  [[nodiscard]] bool headers_over_limit() const noexcept { return headers_over_limit_; }
  /// Whether a header section leaves open how long its body is.
  [[nodiscard]] bool length_unclear() const noexcept { return length_unclear_; }
  /// Whether the last header section came to its empty line. libcurl takes a connection that is
  /// closed before it for the end of a response.
  [[nodiscard]] bool headers_complete() const noexcept { return headers_complete_; }
  [[nodiscard]] bool out_of_memory() const noexcept { return out_of_memory_; }

 private:
  // libcurl takes any number but `size * count` as the order to end the transfer, and its frames
  // know no exceptions.
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    return static_cast<curl_sink*>(self)->take_body(data, size * count);
  }

  static std::size_t on_header(char* data, std::size_t size, std::size_t count,
                               void* self) noexcept {
    return static_cast<curl_sink*>(self)->count_header({data, size * count});
  }

  std::size_t take_body(const char* data, std::size_t size) noexcept {
    const std::size_t taken = std::min(size, body_room_);
    try {
      body_.append(data, taken);
    } catch (...) {
      out_of_memory_ = true;
      return refuse(size);
    }
    body_room_ -= taken;
    if (taken == size) {
      return size;
    }
    body_over_limit_ = true;
    return refuse(size);
  }

  std::size_t count_header(std::string_view line) noexcept {
    if (line.size() > header_room_) {
      headers_over_limit_ = true;
      return refuse(line.size());
    }
    header_room_ -= line.size();
    if (line.starts_with("HTTP/")) {
      headers_complete_ = false;
      codings_ = 0;
      length_ = {};
    }
    if (!takes_length(line)) {
      length_unclear_ = true;
      return refuse(line.size());
    }
    if (++header_lines_ > max_header_lines || !takes_coding(line)) {
      headers_over_limit_ = true;
      return refuse(line.size());
    }
    if (line == "\r\n" || line == "\n") {
      headers_complete_ = true;
    }
    return line.size();
  }

  /// A body that is compressed more than once can be decoded into so much more than it is that the
  /// limit on what comes out is of no help.
  [[nodiscard]] bool takes_coding(std::string_view line) noexcept {
    constexpr std::string_view name = "content-encoding:";
    if (!starts_with_ignoring_case(line, name)) {
      return true;
    }
    const auto commas = std::count(line.begin(), line.end(), ',');
    codings_ += static_cast<std::size_t>(commas) + 1;
    return codings_ <= 1;
  }

  [[nodiscard]] bool takes_length(std::string_view line) noexcept {
    constexpr std::string_view name = "content-length:";
    return !starts_with_ignoring_case(line, name) || length_.take(line.substr(name.size()));
  }

  /// libcurl looks headers up one by one in a list.
  static constexpr std::size_t max_header_lines = 1'000;

  [[nodiscard]] static std::size_t refuse(std::size_t size) noexcept { return size == 0 ? 1 : 0; }

  std::string body_;
  std::size_t body_room_;
  std::size_t header_room_;
  std::size_t header_lines_ = 0;
  std::size_t codings_ = 0;
  content_length length_;
  bool body_over_limit_ = false;
  bool headers_over_limit_ = false;
  bool headers_complete_ = false;
  bool length_unclear_ = false;
  bool out_of_memory_ = false;
};

}  // namespace robots::detail
