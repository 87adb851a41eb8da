// Owners of what libcurl hands out.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace robots::adapters_detail {

static_assert(LIBCURL_VERSION_NUM >= 0x075500, "robots::CurlFetcher needs libcurl 7.85 or later");

struct curl_easy_deleter {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
struct curl_multi_deleter {
  void operator()(CURLM* handle) const noexcept { curl_multi_cleanup(handle); }
};
struct curl_url_deleter {
  void operator()(CURLU* handle) const noexcept { curl_url_cleanup(handle); }
};
struct curl_slist_deleter {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

using curl_easy = std::unique_ptr<CURL, curl_easy_deleter>;
using curl_multi = std::unique_ptr<CURLM, curl_multi_deleter>;
using curl_url_handle = std::unique_ptr<CURLU, curl_url_deleter>;

/// Starts libcurl, once in the life of the program. It is not stopped again, since other parts of
/// the program may use it too. Throws std::runtime_error when it cannot start.
inline void start_curl() {
  static const CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (result != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl cannot start: ") + curl_easy_strerror(result));
  }
}

/// `handle`, or std::bad_alloc: the one reason for which libcurl refuses to make one.
template <class Handle>
[[nodiscard]] Handle made(Handle handle) {
  if (!handle) {
    throw std::bad_alloc();
  }
  return handle;
}

[[nodiscard]] inline curl_easy make_curl_easy() { return made(curl_easy(curl_easy_init())); }
[[nodiscard]] inline curl_multi make_curl_multi() { return made(curl_multi(curl_multi_init())); }

/// A list of strings in libcurl's form.
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

  /// The list; a null pointer when it is empty.
  [[nodiscard]] curl_slist* get() const noexcept { return list_.get(); }

 private:
  std::unique_ptr<curl_slist, curl_slist_deleter> list_;
};

}  // namespace robots::adapters_detail
