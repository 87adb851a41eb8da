#pragma once

#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/base/ascii.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// The schemes of raw exchanges. Gopher (RFC 1436) sends the text in the path of its URL and a line
/// end, and passes on all octets of the answer as they are. `gophers` is the same over TLS. So
/// libcurl does name lookup, connection, TLS, timeouts and the checks of addresses in a raw
/// exchange as it does for HTTP, in its blocking and its non-blocking interface:
///
///     request    GET /robots.txt HTTP/1.1 CR LF Host: example.com CR LF ... CR LF CR LF
///     URL        gopher://example.com:80/1GET%20%2Frobots%2Etxt%20HTTP%2F1%2E1%0D%0AHost...
inline constexpr const char* raw_schemes = "gopher,gophers";

/// Returns the part `part` of `url`, or an empty text.
[[nodiscard]] inline std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  curl_url_get(url, part, &text, CURLU_DEFAULT_PORT);
  const std::unique_ptr<char, curl_deleter<&curl_free>> owned(text);
  return text == nullptr ? std::string{} : std::string(text);
}

/// Returns the URL of a raw exchange that sends `sent` to the server of `url`. `sent` has the
/// octets of a request. The exchange also asks the server to close the connection after the
/// response.
[[nodiscard]] inline std::string raw_url(const std::string& url, std::string_view sent) {
  const curl_url_handle handle = made(curl_url_handle(curl_url()));
  curl_url_set(handle.get(), CURLUPART_URL, url.c_str(),
               CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME);
  const bool has_tls = base::equal_ignoring_case(part_of(handle.get(), CURLUPART_SCHEME), "https");
  std::string result = has_tls ? "gophers://" : "gopher://";
  result += part_of(handle.get(), CURLUPART_HOST) + ':' + part_of(handle.get(), CURLUPART_PORT);
  result += "/1";
  const auto append = [&result](std::string_view text) {
    for (const char c : text) {
      if (base::is_alpha(c) || base::is_digit(c)) {
        result += c;
      } else {
        const auto [high, low] = base::hex_digits(static_cast<unsigned char>(c));
        result.append({'%', high, low});
      }
    }
  };
  constexpr std::string_view line_end = "\r\n";
  sent.remove_suffix(sent.ends_with(line_end) ? line_end.size() : 0);  // Gopher sends the last one
  append(sent);
  append("Connection: close\r\n");
  return result;
}

/// Returns true if `sent`, the octets of a request, are for an HTTP proxy: its first line has a
/// whole URL (RFC 9112, section 3.2.2).
[[nodiscard]] inline bool is_for_http_proxy(std::string_view sent) noexcept {
  const std::string_view target = sent.substr((std::min)(sent.find(' '), sent.size() - 1) + 1);
  return base::starts_with_ignoring_case(target, "http://");
}

/// Sets `easy`, which has made a request over HTTP, to send its octets `sent` again in a raw
/// exchange with the server of `url`. Throws what `set_option` throws, and first of all if this
/// libcurl was built without Gopher.
inline void prepare_raw(CURL* easy, const std::string& url, std::string_view sent) {
  set_option(easy, CURLOPT_PROTOCOLS_STR, raw_schemes);
  set_option(easy, CURLOPT_URL, raw_url(url, sent).c_str());
  set_option(easy, CURLOPT_PROXY, "");
  set_option(easy, CURLOPT_FORBID_REUSE, 1L);
}

}  // namespace robots::adapters_detail
