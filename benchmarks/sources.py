"""Small files that use the library. compile_time.py and instructions/sources_cost.py compile them."""

CACHE = """
struct Fetcher {
  robots::fetch_response fetch(const robots::fetch_request&) { return {.status = 404}; }
};
bool ask(std::string_view url) {
  robots::basic_robots_cache<Fetcher> cache{
      {.user_agent = "FooBot", .fallback = robots::fallback_policy::rfc9309()}};
  return cache.check(url).allowed;
}
"""

REGEX = """\
#include <regex>
#include <string>
bool ask(const std::string& url) { return std::regex_match(url, std::regex{"/a.*b"}); }
"""

FWD = "#include <robots/fwd.hpp>\n"

ROBOTS = "#include <robots/robots.hpp>\n"

DOCUMENT = """\
#include <robots/parse.hpp>
bool ask(std::string_view text) { return robots::parse(text).allows("/private", "FooBot"); }
"""

CACHE_BY_CACHE_HPP = "#include <robots/cache.hpp>\n" + CACHE

CACHE_BY_ROBOTS_HPP = ROBOTS + CACHE

ADMISSION = """\
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache.hpp>
#include <robots/polite.hpp>
bool ask(std::string_view url) {
  robots::basic_robots_cache<robots::CurlFetcher> cache{
      {.user_agent = "FooBot", .fallback = robots::fallback_policy::rfc9309()}};
  robots::host_gate gate;
  robots::basic_admission admission{cache, gate};
  return admission.admit(url).reservation.start().reason == robots::admission_reason::go;
}
"""
