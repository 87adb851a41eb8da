// Requests and checks that the tests of all fetchers share.
#pragma once

#include <robots/adapters/coding/content_decoder.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/http/message.hpp>

#include <doctest/doctest.h>
#include <support/certificate_authority.hpp>
#include <support/site_rules.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace robots::test {

/// Returns options that ignore the proxies of the machine and permit loopback addresses.
inline curl_options direct(std::size_t max_connections = 256) {
  curl_options options;
  options.max_connections = max_connections;
  options.proxy = "";
  options.allowed_addresses = {"127.0.0.0/8"};
  return options;
}

inline curl_options trusting(const certificate_authority& authority) {
  curl_options options = direct();
  options.ca_file = authority.ca_file();
  return options;
}

inline fetch_request get(std::string url) {
  fetch_request request;
  request.url = std::move(url);
  return request;
}

/// Checks that `response` has only the error `error` and a text.
inline void check_failed(const fetch_response& response, fetch_error error) {
  CAPTURE(response.error_text);
  CHECK(to_string(response.error) == to_string(error));
  CHECK(!response.error_text.empty());
  CHECK(response.status == 0);
  CHECK(response.headers.empty());
  CHECK(response.body.empty());
  CHECK(!response.truncated);
}

/// Checks that `response` is whole and has `status` and `body`.
inline void check_answered(const fetch_response& response, int status, std::string_view body) {
  CAPTURE(response.error_text);
  CHECK(to_string(response.error) == "none");
  CHECK(response.status == status);
  CHECK(response.body == body);
  CHECK(!response.truncated);
}

/// Checks that `response` has the first `size` octets of its body.
inline void check_truncated(const fetch_response& response, std::size_t size) {
  CAPTURE(response.error_text);
  CHECK(to_string(response.error) == "none");
  CHECK(response.status == 200);
  CHECK(response.truncated);
  CHECK(response.body.size() == size);
  CHECK(response.body.capacity() <= 2 * size + 64 * 1024);
}

/// Returns true if the fetchers decode brotli.
inline bool decodes_brotli() {
  return robots::adapters_detail::accepted_codings.find("br") != std::string_view::npos;
}

inline std::string value_of(const fetch_response& response, std::string_view name) {
  return std::string(robots::detail::find_header(response.headers, name).value_or("(none)"));
}

/// The timeout of exchanges that must time out.
inline constexpr std::chrono::milliseconds short_timeout{50};

}  // namespace robots::test
