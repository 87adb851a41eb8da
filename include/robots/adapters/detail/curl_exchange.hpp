// One exchange: a request put on a handle, the transfer driven to its end, the response taken off.
#pragma once

#include <robots/adapters/detail/curl_errors.hpp>
#include <robots/adapters/detail/curl_guard.hpp>
#include <robots/adapters/detail/curl_handle.hpp>
#include <robots/adapters/detail/curl_settings.hpp>
#include <robots/adapters/detail/curl_sink.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::detail {

/// Whether `text` has an octet that would end a header line or a string of C.
[[nodiscard]] constexpr bool breaks_line(std::string_view text) noexcept {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

/// The longest string that libcurl takes (CURL_MAX_INPUT_LENGTH in its sources).
inline constexpr std::size_t longest_url = 8'000'000;

/// The answer to a request that must not reach the network; nothing when it may.
[[nodiscard]] inline std::optional<fetch_response> refusal(const fetch_request& request) {
  if (request.stop.stop_requested()) {
    return failed(fetch_error::cancelled, "stopped before it began");
  }
  if (request.timeout.count() < 0) {
    return failed(fetch_error::timeout, "no time was left to begin");
  }
  if (breaks_line(request.url) || request.url.size() > longest_url) {
    return failed(fetch_error::protocol, "the URL has a line end or a NUL in it, or no end");
  }
  for (const http_header& header : request.headers) {
    if (header.name.empty() || header.name.find(':') != std::string::npos ||
        breaks_line(header.name) || breaks_line(header.value)) {
      return failed(fetch_error::protocol, "a request header is no single line");
    }
  }
  return std::nullopt;
}

/// The lines of `headers`. To libcurl, `Name:` means to leave a header out and `Name;` to send it
/// empty.
[[nodiscard]] inline curl_strings header_lines(const std::vector<http_header>& headers) {
  curl_strings lines;
  for (const http_header& header : headers) {
    const std::string_view value = trim(header.value, is_blank);
    lines.add(value.empty() ? header.name + ';' : header.name + ": " + std::string(value));
  }
  return lines;
}

/// Keeps an easy handle in a multi handle for as long as it lives.
class curl_membership {
 public:
  curl_membership(CURLM* multi, CURL* easy) noexcept
      : multi_(multi), easy_(easy), added_(curl_multi_add_handle(multi, easy) == CURLM_OK) {}
  curl_membership(const curl_membership&) = delete;
  curl_membership& operator=(const curl_membership&) = delete;
  ~curl_membership() {
    if (added_) {
      curl_multi_remove_handle(multi_, easy_);
    }
  }

  [[nodiscard]] bool added() const noexcept { return added_; }

 private:
  CURLM* multi_;
  CURL* easy_;
  bool added_;
};

/// The result of the transfer in `multi` if it has ended.
[[nodiscard]] inline std::optional<CURLcode> ended(CURLM* multi) noexcept {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) {
      return message->data.result;
    }
  }
  return std::nullopt;
}

/// Runs the transfer in `multi` until it ends or `stop` is requested, which is
/// `CURLE_ABORTED_BY_CALLBACK`. Sleeps in poll(); a stop wakes it.
[[nodiscard]] inline CURLcode drive(CURLM* multi, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [multi]() noexcept { curl_multi_wakeup(multi); });
  // Timers and sockets of libcurl end the sleep earlier; this is for a libcurl that has no wakeup.
  constexpr int longest_sleep = 1000;
  while (true) {
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
    if (const auto result = ended(multi)) {
      return *result;
    }
    if (stop.stop_requested()) {
      return CURLE_ABORTED_BY_CALLBACK;
    }
    if (curl_multi_poll(multi, nullptr, 0, longest_sleep, nullptr) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
  }
}

/// Puts `easy` in `multi`, runs the transfer, and takes it out again. An unfinished transfer loses
/// its connection; the handles stay good.
[[nodiscard]] inline CURLcode transfer(CURLM* multi, CURL* easy, const std::stop_token& stop) {
  const curl_membership membership(multi, easy);
  return membership.added() ? drive(multi, stop) : CURLE_FAILED_INIT;
}

/// A header's value without the white space around it; of an empty one, libcurl leaves a CR.
[[nodiscard]] inline std::string trimmed(const char* value) {
  return std::string(trim(value, [](char c) { return is_blank(c) || c == '\r' || c == '\n'; }));
}

/// The fields of the final response: not those of interim responses, of a proxy's answer to
/// CONNECT, or of the trailer section.
[[nodiscard]] inline std::vector<http_header> received_headers(CURL* easy) {
  constexpr int last_request = -1;
  std::vector<http_header> headers;
  curl_header* field = nullptr;
  while ((field = curl_easy_nextheader(easy, CURLH_HEADER, last_request, field)) != nullptr) {
    headers.push_back({field->name, trimmed(field->value)});
  }
  return headers;
}

[[nodiscard]] inline long received_status(CURL* easy) noexcept {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// Whether the last transfer of `easy` had its connection, TLS included, when it ended.
[[nodiscard]] inline bool had_connection(CURL* easy) noexcept {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds);
  return microseconds > 0;
}

/// How many connections the last transfer of `easy` had to open.
[[nodiscard]] inline long opened_connections(CURL* easy) noexcept {
  long count = 0;
  curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &count);
  return count;
}

/// The response to a transfer that ended well, or whose body was cut. Only of a success (2xx) does
/// the body matter: that of any other status is left out if it cannot be decoded.
[[nodiscard]] inline fetch_response received(CURL* easy, curl_sink& sink) {
  const long status = received_status(easy);
  if (status < 200 || !sink.headers_complete()) {
    return failed(fetch_error::protocol, "the connection ended before the header section did");
  }
  fetch_response response;
  response.status = static_cast<int>(status);
  response.headers = received_headers(easy);
  if (const std::string_view problem = sink.body_problem(); problem.empty()) {
    response.body = std::move(sink.body());
  } else if (status < 300) {
    return failed(fetch_error::protocol, std::string(problem));
  }
  response.truncated = sink.body_over_limit();
  return response;
}

/// Makes the exchange of `request` on handles that have their settings. `request` is one that
/// `refusal()` lets pass.
[[nodiscard]] inline fetch_response exchange(CURLM* multi, CURL* easy, const fetch_request& request,
                                             const curl_settings& settings) {
  curl_guard guard(settings);
  guard.attach(easy, request.url);
  const curl_strings lines = header_lines(request.headers);
  std::array<char, CURL_ERROR_SIZE> error_text{};
  curl_sink sink(request.max_bytes, settings.max_header_bytes());
  sink.attach(easy);
  set_option(easy, CURLOPT_URL, request.url.c_str());
  set_option(easy, CURLOPT_HTTPHEADER, lines.get());
  set_option(easy, CURLOPT_TIMEOUT_MS, curl_milliseconds(request.timeout));
  set_option(easy, CURLOPT_ERRORBUFFER, error_text.data());
  const CURLcode code = transfer(multi, easy, request.stop);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));

  if (code == CURLE_OK || sink.body_over_limit() || sink.body_refused()) {
    return received(easy, sink);
  }
  if (sink.headers_over_limit()) {
    return failed(fetch_error::protocol, "the header section is over max_header_bytes");
  }
  if (sink.length_unclear()) {
    return failed(fetch_error::protocol, "Content-Length is no number, or several");
  }
  if (code == CURLE_OUT_OF_MEMORY && had_connection(easy) && !sink.headers_complete()) {
    // What libcurl says of a line over 100 KiB before version 8.6.
    return failed(fetch_error::protocol, "a header line is longer than libcurl takes");
  }
  if (sink.out_of_memory()) {
    return failed(fetch_error::other, "no memory for the body");
  }
  // Of the two limits on connecting, libcurl does not say which ran out: it is the lower one.
  const bool connecting_ran_out =
      code == CURLE_OPERATION_TIMEDOUT && !had_connection(easy) &&
      (request.timeout.count() == 0 || settings.connect_timeout() < request.timeout);
  return guard.judge(
      failed(connecting_ran_out ? fetch_error::connect : to_fetch_error(code),
             error_text.front() != '\0' ? error_text.data() : curl_easy_strerror(code)));
}

}  // namespace robots::detail
