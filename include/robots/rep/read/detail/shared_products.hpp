#pragma once

#include <robots/base/ascii.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace robots::rep_detail {

/// Words in `User-Agent` headers that name no crawler, in lower case: products that many programs
/// share, and what browsers write in comments.
inline constexpr auto shared_products = std::to_array<std::string_view>(
    {// Browsers and their engines: MDN, "User-Agent header" and "Browser detection using the user
     // agent string" (developer.mozilla.org/docs/Web/HTTP/Reference/Headers/User-Agent).
     "mozilla", "applewebkit", "khtml", "gecko", "chrome", "chromium", "headlesschrome", "crios",
     "safari", "version", "mobile", "firefox", "fxios", "edge", "edg", "edga", "edgios", "opera",
     "opr", "presto", "msie", "trident", "iemobile", "samsungbrowser", "seamonkey", "konqueror",
     "vivaldi", "yabrowser", "electron", "phantomjs",
     // Platforms, and the other words of browsers' comments: the same pages.
     "compatible", "like", "windows", "macintosh", "x11", "linux", "android", "cros", "iphone",
     "ipad", "ipod", "cpu", "intel", "u", "win64", "wow64", "x64", "wv", "tablet",
     // Client libraries, by the header that each sends unless its user sets another: the manuals of
     // curl and GNU Wget; Python's urllib.request, requests, urllib3, httpx and aiohttp (which
     // sends `Python/3.11 aiohttp/3.9.1`), PycURL and Scrapy; Go's net/http and colly; Java's
     // HttpURLConnection and java.net.http, Apache HttpClient, OkHttp; libwww-perl; Ruby's
     // Net::HTTP and Faraday; PHP and Guzzle; Node's undici, node-fetch, axios and got;
     // Boost.Beast.
     "curl", "libcurl", "wget", "python-urllib", "python-requests", "python-urllib3", "urllib3",
     "python-httpx", "python", "aiohttp", "pycurl", "scrapy", "go-http-client", "colly", "java",
     "java-http-client", "apache-httpclient", "okhttp", "libwww-perl", "lwp", "ruby", "faraday",
     "php", "guzzlehttp", "node", "undici", "node-fetch", "axios", "got", "boost.beast"});

/// Returns true for a product in the table above, in upper or lower case.
[[nodiscard]] constexpr bool is_shared_product(std::string_view name) noexcept {
  return std::any_of(
      shared_products.begin(), shared_products.end(),
      [name](std::string_view shared) { return base::equal_ignoring_case(name, shared); });
}

}  // namespace robots::rep_detail
