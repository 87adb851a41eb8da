// WEB::ROBOTS of Ferret, a query language for the web: its functions about a robots.txt, as JSON.
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/rep/document/to_json.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

int main(int argc, char** argv) {
  const std::string function{argc == 4 ? argv[1] : ""};
  try {
    robots::basic_robots_cache<robots::CurlFetcher> cache{
        {.user_agent = argc == 4 ? argv[3] : "FerretBot",
         .fallback = robots::fallback_policy::rfc9309(),
         .keep_text = true},
        robots::CurlFetcher{{.allowed_addresses = {"127.0.0.0/8"}}}};  // only for the test
    std::string json;
    if (function == "PARSE") {
      json = to_json(cache.get(argv[2])->document());
    } else if (function == "ALLOWS") {
      json = cache.allowed(argv[2]) ? "true" : "false";
    } else if (function == "MATCH") {
      json = to_json(cache.check(argv[2]).verdict);
    } else if (function == "SITEMAPS") {
      const robots::document file = cache.get(argv[2])->document();
      for (const auto sitemap : file.sitemaps()) {
        robots::base::append_json(json += json.empty() ? "[" : ",", sitemap);
      }
      json += json.empty() ? "[]" : "]";
    } else {
      throw std::invalid_argument{"give PARSE, ALLOWS, MATCH or SITEMAPS, a URL and a user agent"};
    }
    std::cout << json << '\n';
  } catch (const std::exception& error) {
    std::cerr << "robots-web-robots: " << error.what() << '\n';
    return 2;
  }
}
