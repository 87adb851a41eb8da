#pragma once

#include <robots/base/ascii.hpp>
#include <robots/fetch/retry_options.hpp>
#include <robots/http/origin.hpp>
#include <robots/rep/read/product_token.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace robots::detail {

class excluded_hosts;
class origin_breakers;

/// The options of a request for a robots.txt.
struct retrieval_options {
  std::string user_agent;  ///< the whole header value, such as `FooBot/1.0 (+https://foo.example)`
  /// The maximum number of redirects to follow. RFC 9309, section 2.3.1.2, asks for at least five.
  /// If this number is less than five, a further redirect leads to `outcome::server_error`, since
  /// RFC 9309 expects crawlers to follow that redirect.
  int max_redirects = 5;
  std::chrono::milliseconds timeout{5'000};  ///< the limit of each exchange; 0 means no limit
  std::shared_ptr<const excluded_hosts>
      excluded{};  ///< hosts to which no redirect may lead; null means no host
  std::function<bool(const origin&)> may_ask{};  ///< false for an origin that must not be asked
  /// The maximum number of octets of the body to keep; 0 means no limit (RFC 9309, section 2.5).
  std::size_t max_bytes = 512'000;
  retry_options retry{};                        ///< the tries and the waits between them
  std::shared_ptr<origin_breakers> breakers{};  ///< the breakers of all origins; null means none
  std::uint64_t seed = 0;                       ///< the seed of the jitter
  /// If true, a redirect to the robots.txt of another site ends the retrieval as
  /// `outcome::redirected`, and the caller looks up that site. Redirects to another path, or to a
  /// URL with a query, are still followed.
  bool leave_to_other_sites = false;
};

/// Throws `std::invalid_argument` if the user agent is empty, names no crawler or has a
/// control character, or if a number is outside its range. The message says what to change.
inline void validate(const retrieval_options& options) {
  if (options.user_agent.empty()) {
    throw std::invalid_argument{
        "user_agent is empty: name your crawler, for example "
        "\"FooBot/1.0 (+https://foo.example/bot)\""};
  }
  if (product_token(options.user_agent).empty()) {
    throw std::invalid_argument{"user_agent \"" + base::printable(options.user_agent) +
                                "\" has no product token: begin it with the crawler's name, as in "
                                "FooBot/1.0"};
  }
  if (product_token(options.user_agent) == "*") {
    throw std::invalid_argument{
        "user_agent is \"*\", which stands for every crawler: give the name of yours, as in "
        "FooBot/1.0"};
  }
  for (const char c : options.user_agent) {
    const auto octet = static_cast<unsigned char>(c);
    if ((octet < 0x20 && c != '\t') || octet == 0x7F) {
      throw std::invalid_argument{"user_agent \"" + base::printable(options.user_agent) +
                                  "\" has a control character: remove it"};
    }
  }
  if (options.max_redirects < 0) {
    throw std::invalid_argument{"max_redirects is " + std::to_string(options.max_redirects) +
                                ": use 0 or more; with 0, none is followed"};
  }
  if (options.timeout.count() < 0) {
    throw std::invalid_argument{"timeout is " + std::to_string(options.timeout.count()) +
                                " ms: use 0 or more; with 0, there is no limit"};
  }
  validate(options.retry);
}

}  // namespace robots::detail
