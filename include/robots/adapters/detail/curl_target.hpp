// Where a URL leads, as libcurl reads it.
#pragma once

#include <robots/adapters/detail/curl_handle.hpp>

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <string>

namespace robots::adapters_detail {

struct curl_string_deleter {
  void operator()(char* text) const noexcept { curl_free(text); }
};

/// One part of a URL; empty when it is not there.
[[nodiscard]] inline std::string url_part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  const CURLUcode code = curl_url_get(url, part, &text, 0);
  const std::unique_ptr<char, curl_string_deleter> owned(text);
  return code == CURLUE_OK && owned ? std::string(owned.get()) : std::string{};
}

struct curl_target {
  std::string scheme;  ///< in lower case
  /// Decoded; an IPv6 address has its brackets, and an IPv4 address of whatever spelling
  /// (`2130706433`, `0x7f.1`) its four decimal parts.
  std::string host;
};

/// Nothing when libcurl would refuse `url`.
[[nodiscard]] inline std::optional<curl_target> read_target(const std::string& url) {
  const curl_url_handle handle = made(curl_url_handle(curl_url()));
  constexpr unsigned as_in_transfers =
      CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER;
  if (curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), as_in_transfers) != CURLUE_OK) {
    return std::nullopt;
  }
  return curl_target{url_part(handle.get(), CURLUPART_SCHEME),
                     url_part(handle.get(), CURLUPART_HOST)};
}

}  // namespace robots::adapters_detail
