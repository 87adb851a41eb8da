#include <robots/adapters/curl/curl_multi_fetcher.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/detail/settings.hpp>

#include <curl/curl.h>
#include <doctest/doctest.h>
#include <support/raw_server.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace {

int add_text(CURL* /*easy*/, curl_infotype kind, char* data, std::size_t size, void* trace) {
  if (kind == CURLINFO_TEXT) {
    static_cast<std::string*>(trace)->append(data, size);
  }
  return 0;
}

/// Returns libcurl's report about a TLS connection with these options to a server without TLS.
std::string trace_of_tls(const robots::curl_options& options) {
  const robots::test::raw_server server{"no TLS"};
  const robots::adapters_detail::curl_settings settings{options};
  const auto slot = robots::adapters_detail::plain_curl_slot(settings);
  CURL* const easy = slot({});
  std::string trace;
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port());
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, &add_text);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, static_cast<void*>(&trace));
  CHECK(curl_easy_perform(easy) != CURLE_OK);
  return trace;
}

}  // namespace

TEST_CASE("A handle trusts libcurl's certificate file, or its folder if there is no file") {
  const std::shared_ptr<CURL> plain{curl_easy_init(), &curl_easy_cleanup};
  const char* file = nullptr;
  curl_easy_getinfo(plain.get(), CURLINFO_CAINFO, &file);
  const std::string trace = trace_of_tls({});
  CAPTURE(trace);
  if (file != nullptr && trace.find("CApath: ") != std::string::npos) {
    CHECK(trace.find("CAfile: " + std::string{file}) != std::string::npos);
    CHECK(trace.find("CApath: none") != std::string::npos);
  }
}

TEST_CASE("A handle trusts the folder that the options name") {
  const std::string trace = trace_of_tls({.ca_path = "/"});
  CAPTURE(trace);
  if (trace.find("CApath: ") != std::string::npos) {
    CHECK(trace.find("CApath: /\n") != std::string::npos);
    CHECK(trace.find("CAfile: none") != std::string::npos);
  }
}
