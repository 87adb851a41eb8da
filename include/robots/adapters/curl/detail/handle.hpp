#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace robots::adapters_detail {

static_assert(LIBCURL_VERSION_NUM >= 0x075500, "robots::CurlFetcher needs libcurl 7.85 or later");

/// Frees a handle of libcurl with the function `Free`.
template <auto Free>
struct curl_deleter {
  template <class T>
  void operator()(T* owned) const noexcept {
    Free(owned);
  }
};

using curl_easy = std::unique_ptr<CURL, curl_deleter<&curl_easy_cleanup>>;
using curl_multi = std::unique_ptr<CURLM, curl_deleter<&curl_multi_cleanup>>;
using curl_url_handle = std::unique_ptr<CURLU, curl_deleter<&curl_url_cleanup>>;

/// Starts libcurl, once per program. Never stops it, since other parts of the program can use it.
/// Throws `std::runtime_error` if libcurl cannot start.
inline void start_curl() {
  static const CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (result != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl cannot start: ") + curl_easy_strerror(result) +
                             ": check the installation of libcurl and its TLS library");
  }
}

/// Returns `handle`. Throws std::bad_alloc if `handle` is null, since libcurl only fails to make a
/// handle if there is no memory.
template <class Handle>
[[nodiscard]] Handle made(Handle handle) {
  if (!handle) {
    throw std::bad_alloc();
  }
  return handle;
}

[[nodiscard]] inline curl_easy make_curl_easy() { return made(curl_easy(curl_easy_init())); }
[[nodiscard]] inline curl_multi make_curl_multi() { return made(curl_multi(curl_multi_init())); }

class curl_strings {
 public:
  void add(const std::string& text) {
    curl_slist* const grown = curl_slist_append(list_.get(), text.c_str());
    if (grown == nullptr) {
      throw std::bad_alloc();
    }
    static_cast<void>(list_.release());
    list_.reset(grown);
  }

  /// Returns the list, or null if it is empty.
  [[nodiscard]] curl_slist* get() const noexcept { return list_.get(); }

 private:
  std::unique_ptr<curl_slist, curl_deleter<&curl_slist_free_all>> list_;
};

}  // namespace robots::adapters_detail
