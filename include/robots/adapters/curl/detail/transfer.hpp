#pragma once

#include <robots/adapters/coding/content_decoder.hpp>
#include <robots/adapters/curl/detail/descriptors.hpp>
#include <robots/adapters/curl/detail/header_lines.hpp>
#include <robots/adapters/curl/detail/raw_exchange.hpp>
#include <robots/adapters/curl/detail/response_reader.hpp>
#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/adapters/curl/detail/without_credentials.hpp>
#include <robots/base/ascii.hpp>
#include <robots/http/address_guard.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>
#ifndef _WIN32
#include <netinet/in.h>
#include <sys/socket.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

[[nodiscard]] constexpr bool breaks_line(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

/// Returns the error if `request` must not be sent, or else an empty optional.
[[nodiscard]] inline std::optional<fetch_response> refusal(const fetch_request& request,
                                                           const curl_settings& settings) {
  if (request.stop.stop_requested()) {
    return failed(fetch_error::cancelled, "the exchange was stopped before it began");
  }
  if (request.timeout.count() < 0) {
    return failed(fetch_error::timeout, "the timeout had passed before the exchange began");
  }
  constexpr std::size_t longest_url = 8'000'000;  // CURL_MAX_INPUT_LENGTH in libcurl's sources
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

/// Returns the IP address in `socket`, or an empty optional for another family of addresses.
[[nodiscard]] inline std::optional<detail::ip_address> address_in(const sockaddr& socket) noexcept {
  if (socket.sa_family == AF_INET) {
    const in_addr& address = reinterpret_cast<const sockaddr_in&>(socket).sin_addr;
    return detail::ip_address(std::bit_cast<std::array<std::uint8_t, 4>>(address));
  }
  if (socket.sa_family == AF_INET6) {
    const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(socket).sin6_addr;
    return detail::ip_address(std::bit_cast<std::array<std::uint8_t, 16>>(address));
  }
  return std::nullopt;
}

/// An exchange on an easy handle. The constructor sets the request, and the destructor removes the
/// handle from `multi`. Callbacks check each address before libcurl opens a socket, receive the
/// decoded body and count the octets of the headers. They end the transfer if a limit is exceeded
/// or the body of a redirect begins. After the transfer, `finish` reads the response.
///
/// libcurl refuses a header section with a line that has no colon. Then `begin_again` prepares a
/// second, raw exchange, whose octets this object reads itself:
///
///     libcurl: HTTP --> callbacks ----> decoder --> finish
///         | a header without a colon       ^
///         v                                |
///     libcurl: raw --> response_reader ----+
class curl_transfer {
 public:
  /// `settings` must already be applied to `easy`. `request` and `settings` must outlive this
  /// object. Precondition: `refusal(request, settings)` is empty.
  curl_transfer(CURLM* multi, CURL* easy, const fetch_request& request,
                const curl_settings& settings)
      : multi_(multi),
        easy_(easy),
        request_(request),
        settings_(settings),
        decoder_(request.max_bytes),
        header_room_(settings.options.max_header_bytes) {
    if (!detail::find_header(request.headers, "Accept-Encoding")) {
      add(lines_, "Accept-Encoding: " + std::string(accepted_codings));
    }
    for (const http_header& header : request.headers) {
      // The line `Name;` sends an empty value. The line `Name:` would omit the header.
      const std::string_view value = base::trim(header.value, base::is_blank);
      add(lines_, value.empty() ? header.name + ';' : header.name + ": " + std::string(value));
    }
    void* const self = this;
    set_option(easy_, CURLOPT_URL, request.url.c_str());
    set_option(easy_, CURLOPT_HTTPHEADER, lines_.get());
    set_option(easy_, CURLOPT_TIMEOUT_MS, curl_milliseconds(request.timeout));
    set_option(easy_, CURLOPT_PREREQFUNCTION, &on_connection);
    set_option(easy_, CURLOPT_PREREQDATA, self);
    set_option(easy_, CURLOPT_OPENSOCKETFUNCTION, &on_socket);
    set_option(easy_, CURLOPT_OPENSOCKETDATA, self);
    set_option(easy_, CURLOPT_WRITEFUNCTION, &on_text<&curl_transfer::take_octets>);
    set_option(easy_, CURLOPT_WRITEDATA, self);
    set_option(easy_, CURLOPT_HEADERFUNCTION, &on_text<&curl_transfer::count_header>);
    set_option(easy_, CURLOPT_HEADERDATA, self);
    set_option(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
    set_option(easy_, CURLOPT_DEBUGFUNCTION, &on_trace);
    set_option(easy_, CURLOPT_DEBUGDATA, self);
    set_option(easy_, CURLOPT_VERBOSE, traces_late_ ? 0L : 1L);
  }

  curl_transfer(const curl_transfer&) = delete;
  curl_transfer& operator=(const curl_transfer&) = delete;

  ~curl_transfer() {
    curl_multi_remove_handle(multi_, easy_);
    curl_easy_setopt(easy_, CURLOPT_VERBOSE, 0L);
    curl_easy_setopt(easy_, CURLOPT_DEBUGFUNCTION, static_cast<curl_debug_callback>(nullptr));
    curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  }

  /// Returns true if the exchange failed before a connection, since this process or the machine
  /// has no free file descriptor. Without one, name lookup and certificates fail, too.
  [[nodiscard]] bool lacks_descriptor(CURLcode code) const noexcept {
    const bool needs_some = code == CURLE_COULDNT_RESOLVE_HOST ||
                            code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT ||
                            code == CURLE_SSL_CACERT_BADFILE;
    return needs_some && (lacks_descriptor_ || !has_descriptors(exchange_descriptors));
  }

  /// Returns the number of the last socket that the exchange opened, or -1.
  [[nodiscard]] int last_socket() const noexcept { return socket_; }

  /// Returns true if libcurl refused the header section for a line without a colon. Then
  /// `begin_again` may follow. A raw exchange can go to an HTTP proxy, but not through a tunnel, a
  /// SOCKS proxy or a proxy with TLS.
  [[nodiscard]] bool may_begin_again(CURLcode code) const noexcept {
    constexpr std::size_t longest_request = 1'000'000;  // its URL fits into libcurl's limit
    return code == CURLE_WEIRD_SERVER_REPLY && !reader_ &&
           (proxy_ == proxy_use::never || (is_for_http_proxy(sent_) && !has_tls_)) &&
           std::string_view(error_text_.data()) == "Header without colon" && !sent_.empty() &&
           sent_.size() < longest_request;
  }

  /// Prepares the same request as a raw exchange, in the time that is left. The handle must not be
  /// used for another transfer afterwards. Returns the handle. Throws what `set_option` throws,
  /// without Gopher in libcurl, too.
  [[nodiscard]] CURL* begin_again() {
    is_reusable_ = false;
    prepare_raw(easy_, proxy_ == proxy_use::never ? request_.url : peer_url(), sent_);
    curl_multi_remove_handle(multi_, easy_);
    const std::chrono::microseconds taken(info<curl_off_t>(CURLINFO_TOTAL_TIME_T));
    reader_.emplace(settings_.options.max_header_bytes);
    headers_complete_ = false;
    has_tls_ = false;
    is_closed_ = false;
    error_text_ = {};
    if (request_.timeout.count() != 0) {
      const auto left = request_.timeout - std::chrono::ceil<std::chrono::milliseconds>(taken);
      set_option(easy_, CURLOPT_TIMEOUT_MS,
                 curl_milliseconds((std::max)(left, std::chrono::milliseconds{1})));
    }
    return easy_;
  }

  /// Returns true if the handle may make other transfers.
  [[nodiscard]] bool is_reusable() const noexcept { return is_reusable_; }

  [[nodiscard]] fetch_response finish(CURLcode code) {
    code = reader_ ? judge_raw(code) : code;
    const bool is_cut_off = has_redirect() && code != CURLE_ABORTED_BY_CALLBACK;
    if (code == CURLE_OK || is_cut_off || decoder_.is_over_limit()) {
      return received({});
    }
    if (error_ != fetch_error::none) {
      return failed(error_, why_);
    }
    if (headers_complete_ && (!decoder_.problem().empty() || is_whole_anyway(code))) {
      return received({});
    }
    if (headers_complete_ && (code == CURLE_BAD_CONTENT_ENCODING || code == CURLE_WRITE_ERROR)) {
      return received("the transfer coding of the response cannot be decoded");
    }
    const bool had_connection = info<curl_off_t>(CURLINFO_PRETRANSFER_TIME_T) > 0;
    if (code == CURLE_OUT_OF_MEMORY && had_connection && !headers_complete_) {
      // For a header line above 100 KiB, libcurl before 8.6 returns CURLE_OUT_OF_MEMORY.
      return failed(fetch_error::protocol, "a header line is longer than libcurl accepts");
    }
    // The shorter of `timeout` and `connect_timeout` ended the attempt. libcurl does not say which.
    const std::chrono::milliseconds timeout = request_.timeout;
    const bool connecting_ran_out =
        code == CURLE_OPERATION_TIMEDOUT && !had_connection &&
        (timeout.count() == 0 || settings_.options.connect_timeout < timeout);
    if (is_failure_of_proxy(code)) {
      return failed(fetch_error::proxy, proxy_name() + ": " + reason(code));
    }
    fetch_error error = connecting_ran_out ? fetch_error::connect : to_fetch_error(code);
    if (code == CURLE_COULDNT_CONNECT && proxy_ == proxy_use::never &&
        info<long>(CURLINFO_OS_ERRNO) == ECONNREFUSED) {
      error = fetch_error::connection_refused;
    }
    return judge_addresses(failed(error, reason(code)));
  }

 private:
  /// A writer returns this number to end the transfer. No text can have this size.
  static constexpr std::size_t refused = (std::numeric_limits<std::size_t>::max)();

  // The callbacks are `noexcept`, since no exception may pass through libcurl.

  template <auto Write>
  static std::size_t on_text(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    return (static_cast<curl_transfer*>(self)->*Write)({data, size * count});
  }

  /// libcurl traces TLS in parts of different sizes: 5 octets for a record header, 1 for an inner
  /// content type, at least 4 for a handshake message. Only an alert has 2 octets: the level and
  /// the description. The description of close_notify is 0 (RFC 8446, section 6.1). libcurl traces
  /// each line of a header section before it reads the line as a field.
  static int on_trace(CURL* /*easy*/, curl_infotype type, char* data, std::size_t size,
                      void* self) noexcept {
    auto& transfer = *static_cast<curl_transfer*>(self);
    if (type == CURLINFO_SSL_DATA_IN) {
      transfer.has_tls_ = true;
      transfer.is_closed_ = transfer.is_closed_ || (size == 2 && data[1] == 0);
    } else if (type == CURLINFO_HEADER_IN) {
      transfer.headers_.tolerate(data, size);
    } else if (type == CURLINFO_HEADER_OUT) {
      transfer.keep_sent({data, size});
    }
    return 0;
  }

  static curl_socket_t on_socket(void* self, curlsocktype /*purpose*/,
                                 curl_sockaddr* address) noexcept {
    auto& transfer = *static_cast<curl_transfer*>(self);
    if (!transfer.permits(address_in(address->addr))) {
      return CURL_SOCKET_BAD;
    }
    ++transfer.opened_;
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    const int opened = ::socket(address->family, type, address->protocol);
    transfer.lacks_descriptor_ = transfer.lacks_descriptor_ || (opened < 0 && is_shortage(errno));
    transfer.socket_ = opened;
    return opened;
  }

  /// Checks the address `peer` of an open connection before its use. Sessions of cpr can share
  /// connections. So a session without a guard may have opened this connection.
  static int on_connection(void* self, char* peer, char* /*own*/, int /*port*/,
                           int /*own_port*/) noexcept {
    auto& transfer = *static_cast<curl_transfer*>(self);
    transfer.sent_.clear();  // libcurl sends the request again on a new connection
    transfer.on_other_connection_ =
        !transfer.permits(detail::parse_ip_address(peer == nullptr ? "" : peer));
    if (transfer.traces_late_) {
      curl_easy_setopt(transfer.easy_, CURLOPT_VERBOSE, 1L);
    }
    return transfer.on_other_connection_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
  }

  [[nodiscard]] bool permits(const std::optional<detail::ip_address>& address) noexcept {
    // libcurl does not say whether an address belongs to a proxy. If the environment or a cpr
    // session can set a proxy, the guard must check the proxy's address.
    if (proxy_ == proxy_use::always || settings_.guard.permits_all() ||
        (address && (address == permitted_ || settings_.guard.permits(*address)))) {
      permitted_ = address;
      return true;
    }
    if (refused_++ == 0) {
      first_refused_ = address;
    }
    return false;
  }

  /// Returns `fetch_error::refused_address` if the guard refused all addresses, or refused to reuse
  /// a connection. Otherwise returns `failure`. In both cases, the error text also names the first
  /// refused address, if there is one.
  [[nodiscard]] fetch_response judge_addresses(fetch_response failure) const {
    if (refused_ == 0 || (failure.error == fetch_error::cancelled && !on_other_connection_)) {
      return failure;
    }
    std::string why = "an address outside IP";
    if (first_refused_) {
      why = to_string(*first_refused_) + " (" + std::string(detail::kind_of(*first_refused_)) + ')';
    }
    why += not_allowed;
    if (opened_ == 0 || on_other_connection_) {
      return failed(fetch_error::refused_address, std::move(why));
    }
    failure.error_text += "; " + why;
    return failure;
  }

  /// Returns a URL of the server at the other end of the connection, which can be a proxy.
  [[nodiscard]] std::string peer_url() const {
    const char* address = nullptr;
    curl_easy_getinfo(easy_, CURLINFO_PRIMARY_IP, &address);
    std::string host = address == nullptr ? "" : address;
    if (host.find(':') != std::string::npos) {
      host = '[' + host + ']';
    }
    return "http://" + host + ':' + std::to_string(info<long>(CURLINFO_PRIMARY_PORT)) + '/';
  }

  /// Keeps the request that libcurl sends, for `begin_again`.
  void keep_sent(std::string_view octets) noexcept {
    try {
      if (!reader_) {
        sent_.append(octets);
      }
    } catch (...) {
      sent_.clear();  // there is no memory to keep the request, so it is not sent again
    }
  }

  /// Reads octets of a raw exchange.
  std::size_t take_raw(std::string_view octets) noexcept {
    try {
      std::string body;
      reader_->take(octets, body);
      headers_complete_ = reader_->has_headers();
      if (!body.empty() && take_body(body) == refused) {
        return refused;
      }
    } catch (...) {
      return fail(fetch_error::local, "there is no memory for the body");
    }
    if (reader_->problem() != nullptr) {
      return fail(fetch_error::protocol, reader_->problem());
    }
    return reader_->is_complete() ? refused : octets.size();
  }

  /// Returns the code that libcurl would have returned for an exchange that ended with `code`.
  [[nodiscard]] CURLcode judge_raw(CURLcode code) const noexcept {
    if (code == CURLE_WRITE_ERROR && reader_->is_complete()) {
      return CURLE_OK;  // `take_raw` ended the exchange after the whole response
    }
    return code == CURLE_OK && headers_complete_ && !reader_->may_end() ? CURLE_PARTIAL_FILE : code;
  }

  std::size_t take_octets(std::string_view text) noexcept {
    return reader_ ? take_raw(text) : take_body(text);
  }

  std::size_t take_body(std::string_view text) noexcept {
    if (has_redirect()) {
      return refused;
    }
    try {
      if (!has_body_) {
        has_body_ = true;
        set_codings();
      }
      return decoder_.take(text) ? text.size() : refused;
    } catch (...) {
      return fail(fetch_error::local, "there is no memory for the body");
    }
  }

  std::size_t count_header(std::string_view line) noexcept {
    if (line.size() > header_room_ || ++header_lines_ > max_header_lines) {
      return fail(fetch_error::protocol, too_many_headers);
    }
    header_room_ -= line.size();
    if (line.starts_with("HTTP/")) {
      headers_complete_ = false;
      length_.reset();
    }
    constexpr std::string_view length = "content-length:";
    if (base::starts_with_ignoring_case(line, length)) {
      length_ = content_length(line.substr(length.size()), length_);
      if (!length_) {
        return fail(fetch_error::protocol, bad_length);
      }
    }
    has_coding_ = has_coding_ || base::starts_with_ignoring_case(line, "content-encoding");
    headers_complete_ = headers_complete_ || line == "\r\n" || line == "\n";
    if (headers_complete_ && traces_late_ && status() >= 200) {
      curl_easy_setopt(easy_, CURLOPT_VERBOSE, 0L);
    }
    return line.size();
  }

  std::size_t fail(fetch_error error, const char* why) noexcept {
    error_ = error;
    why_ = why;
    return refused;
  }

  template <class Number>
  [[nodiscard]] Number info(CURLINFO name) const noexcept {
    Number number = 0;
    curl_easy_getinfo(easy_, name, &number);
    return number;
  }

  [[nodiscard]] bool has_redirect() const noexcept {
    return headers_complete_ && detail::is_redirect(status());
  }

  [[nodiscard]] int status() const noexcept {
    return reader_ ? reader_->status() : static_cast<int>(info<long>(CURLINFO_RESPONSE_CODE));
  }

  static constexpr int wants_credentials = 407;  // RFC 9110, section 15.5.8

  /// Returns true if the exchange failed before the proxy could pass the request on. The time of
  /// the connection is 0 until the proxy has accepted it.
  [[nodiscard]] bool is_failure_of_proxy(CURLcode code) const noexcept {
    const bool has_no_proxy =
        code == CURLE_COULDNT_CONNECT ||
        (code == CURLE_OPERATION_TIMEDOUT && info<curl_off_t>(CURLINFO_CONNECT_TIME_T) == 0);
    return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY ||
           (has_no_proxy && proxy_ == proxy_use::always) ||
           info<long>(CURLINFO_HTTP_CONNECTCODE) == wants_credentials;
  }

  /// Returns the name of the proxy for messages, without its credentials.
  [[nodiscard]] std::string proxy_name() const {
    if (settings_.options.proxy) {
      return "the proxy " + without_credentials(*settings_.options.proxy);
    }
    const char* address = nullptr;
    curl_easy_getinfo(easy_, CURLINFO_PRIMARY_IP, &address);
    const bool is_known = address != nullptr && *address != '\0';
    return is_known ? "the proxy " + std::string(address) + ' ' + "port " +
                          std::to_string(info<long>(CURLINFO_PRIMARY_PORT))
                    : "the proxy";
  }

  /// Returns true if the body is whole although the transfer failed. A whole compressed stream with
  /// a right check value proves this. If the body should end with the connection, further streams
  /// may come before. If a length or chunks promise more, this must be the only stream, and nothing
  /// may follow: many servers send the length of the file before its compression.
  [[nodiscard]] bool is_whole_anyway(CURLcode code) {
    decoder_.finish();
    if (code == CURLE_RECV_ERROR) {
      return decoder_.is_proven() && !has_field("Content-Length") &&
             !has_field("Transfer-Encoding");
    }
    return (code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT) &&
           decoder_.is_one_stream();
  }

  /// Returns the field `name` of the response with this index, or null.
  [[nodiscard]] const curl_header* field(const char* name, std::size_t index = 0) const noexcept {
    constexpr int last_request = -1;
    curl_header* found = nullptr;
    const bool exists =
        curl_easy_header(easy_, name, index, CURLH_HEADER, last_request, &found) == CURLHE_OK;
    return exists ? found : nullptr;
  }

  [[nodiscard]] bool has_field(const char* name) const noexcept {
    return reader_ ? detail::find_header(reader_->headers(), name).has_value()
                   : field(name) != nullptr;
  }

  /// Tells the decoder the codings of the response.
  void set_codings() {
    constexpr const char* name = "Content-Encoding";
    std::string codings;
    if (reader_) {
      for (const http_header& header : reader_->headers()) {
        if (base::equal_ignoring_case(header.name, name)) {
          codings.append(header.value).append(",");
        }
      }
    }
    // libcurl compares the names of all fields, which takes longer than the rest of this function.
    const bool asks_libcurl = has_coding_ && !reader_;
    while (const curl_header* const next = asks_libcurl ? field(name, coding_fields_) : nullptr) {
      ++coding_fields_;
      codings.append(next->value).append(",");
    }
    decoder_.set_codings(codings);
  }

  /// Returns the fields of the response. Ignores those of interim responses, of a proxy's answer to
  /// CONNECT and of trailers.
  [[nodiscard]] std::vector<http_header> fields() const {
    if (reader_) {
      return reader_->headers();
    }
    std::vector<http_header> result;
    constexpr std::size_t usual_fields = 16;
    result.reserve(usual_fields);
    constexpr int last_request = -1;
    curl_header* field = nullptr;
    while ((field = curl_easy_nextheader(easy_, CURLH_HEADER, last_request, field)) != nullptr) {
      if (*field->name == '\0') {
        continue;  // a line that is no field; see `header_lines`
      }
      // libcurl leaves a CR in an empty value.
      result.push_back({field->name, std::string(base::trim(field->value, base::is_space))});
    }
    return result;
  }

  /// Returns the response. `problem` is a message if the body could not be received. If the
  /// body is faulty, returns an error for a 2xx status, or else a response without the body.
  [[nodiscard]] fetch_response received(std::string_view problem) {
    const int status = this->status();
    if (status < 200 || !headers_complete_) {
      return failed(fetch_error::protocol, "the connection ended before the header section did");
    }
    if (status == wants_credentials && proxy_ != proxy_use::never) {
      return failed(fetch_error::proxy, proxy_name() + " wants credentials (HTTP 407)");
    }
    fetch_response response{.status = status, .headers = fields()};
    // Returns true if a header with this name has a value other than `usual`. Ignores empty values.
    const auto has_other = [&](std::string_view name, std::string_view usual) {
      return std::ranges::any_of(response.headers, [&](const http_header& header) {
        return base::equal_ignoring_case(header.name, name) && !header.value.empty() &&
               !base::equal_ignoring_case(header.value, usual);
      });
    };
    const auto coding = detail::find_header(response.headers, "Transfer-Encoding");
    const bool has_coding = has_other("Transfer-Encoding", "chunked");
    // True if only the end of the connection marks the end of the body (RFC 9112, section 6.3).
    const bool ends_with_connection = status != 204 &&
                                      !detail::find_header(response.headers, "Content-Length") &&
                                      (!coding || coding->empty() || has_coding);
    if (!detail::is_redirect(status)) {
      if (!std::exchange(has_body_, true)) {
        set_codings();  // no octet came, so nobody has called it
      }
      decoder_.finish();
      problem = problem.empty() ? std::string_view(decoder_.problem()) : problem;
    }
    if (!decoder_.is_over_limit() && ends_with_connection && !decoder_.is_proven()) {
      if (has_coding || decoder_.has_stream()) {
        problem = "neither a length nor chunks mark the end of the encoded body";
      } else if (has_tls_ && !is_closed_) {
        // Someone on the network path may have cut off the body (RFC 9112, section 9.8).
        problem = "TLS ended without close_notify, perhaps before the body did";
      }
    }
    if (problem.empty()) {
      response.error_text = decoder_.remark();
      response.body = std::move(decoder_.body());
    } else if (status < 300) {
      return failed(fetch_error::protocol, std::string(problem));
    }
    response.truncated = problem.empty() && decoder_.is_over_limit();
    return response;
  }

  /// Returns libcurl's message, which can repeat the URL of the proxy with its password.
  [[nodiscard]] std::string reason(CURLcode code) const {
    return without_credentials_in(
        error_text_.front() != '\0' ? error_text_.data() : curl_easy_strerror(code),
        settings_.options.proxy.value_or(""));
  }

  CURLM* multi_;
  CURL* easy_;
  const fetch_request& request_;
  const curl_settings& settings_;
  proxy_use proxy_ = settings_.next_proxy();
  /// True to trace only from the request to the end of the headers. Otherwise, libcurl writes a
  /// dozen texts about each connection. TLS, also that of a proxy, must be traced from the start.
  const bool traces_late_ =
      proxy_ == proxy_use::never && base::starts_with_ignoring_case(request_.url, "http://");
  curl_strings lines_;
  content_decoder decoder_;                  // holds the decoded body, up to the limit
  std::string sent_{};                       // the request, as libcurl has sent it
  std::optional<response_reader> reader_{};  // reads the response of a raw exchange
  bool is_reusable_ = true;
  bool has_body_ = false;
  bool has_coding_ = false;  // true if a header can be a Content-Encoding
  std::size_t coding_fields_ = 0;
  std::size_t header_room_;
  std::size_t header_lines_ = 0;
  std::optional<std::uint64_t> length_{};  // the Content-Length of this header section
  bool headers_complete_ = false;          // true after the empty line; libcurl does not require it
  fetch_error error_ = fetch_error::none;  // the reason why a callback ended the transfer
  const char* why_ = "";
  // With OpenSSL, libcurl ignores a missing close_notify, but passes TLS data to `on_trace`. With
  // other TLS libraries, libcurl reports a missing close_notify, and `has_tls_` stays false.
  bool has_tls_ = false;
  bool is_closed_ = false;  // true after close_notify
  header_lines headers_{};
  bool lacks_descriptor_ = false;  // true if a socket could not be opened for want of a descriptor
  int socket_ = -1;                // the last socket that was opened
  unsigned opened_ = 0;            // sockets for permitted addresses
  unsigned refused_ = 0;           // refused addresses
  std::optional<detail::ip_address> permitted_{};  // the address that the guard permitted last
  std::optional<detail::ip_address> first_refused_{};
  bool on_other_connection_ = false;  // true if the guard refused to reuse a connection
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace robots::adapters_detail
