// Fetches the robots.txt of one site.
#pragma once

#include "check_options.hpp"
#include "check_text.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/base/ascii.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/site.hpp>
#include <robots/time/steady_clock.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace robots::check {

/// Returns true for an argument that is a URL and no file.
[[nodiscard]] inline bool is_url(std::string_view argument) {
  return base::starts_with_ignoring_case(argument, "http://") ||
         base::starts_with_ignoring_case(argument, "https://");
}

/// Fetches the robots.txt of the site of `url`, and one octet more than the parser reads, so that
/// the parser notices a longer file. Throws if there is no file; the message says why.
[[nodiscard]] inline detail::retrieval_result fetch_robots(const settings& wanted,
                                                           const std::string& url) {
  const std::optional<site> asked = parse_site(url);
  if (!asked) {
    throw std::invalid_argument("not an http or https URL: \"" + url +
                                "\": " + detail::url_problem(url));
  }
  CurlFetcher fetcher{wanted.curl};
  SteadyClock clock;
  detail::retrieval_options options;
  options.user_agent = wanted.cache.user_agent;
  options.timeout = wanted.cache.timeout;
  options.max_bytes = wanted.cache.parse.max_bytes + 1;
  options.retry = wanted.cache.retry;
  detail::retrieval_result result = detail::run_retrieval(
      detail::retrieval{*asked, std::move(options), clock.now()}, fetcher, clock);
  if (result.outcome != outcome::success) {
    throw std::runtime_error("there is no file to read at " + result.final_url + ": " +
                             outcome_text(result));
  }
  return result;
}

}  // namespace robots::check
