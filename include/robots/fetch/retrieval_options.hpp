#pragma once

#include <robots/fetch/redirect_options.hpp>
#include <robots/fetch/retry_options.hpp>
#include <robots/http/origin.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace robots::detail {

class excluded_hosts;
class origin_breakers;

/// The options of a retrieval of which each value is valid.
struct unchecked_retrieval_options {
  std::shared_ptr<const excluded_hosts>
      excluded{};  ///< hosts to which no redirect may lead; null means no host
  /// Returns false for an origin to which no redirect may lead. See `asks_before_tries`, too.
  std::function<bool(const origin&)> may_ask{};
  /// Returns false for a URL to which no redirect may lead. Decides instead of `may_ask`, which
  /// then is only about tries. Empty: see `may_ask`.
  std::function<bool(const std::string& url)> may_follow{};
  std::shared_ptr<origin_breakers> breakers{};  ///< the circuit breakers; null means none
  std::uint64_t seed = 0;                       ///< the seed of the random part of waits
  /// If true, a redirect to the robots.txt of another site ends the retrieval, and the caller looks
  /// up that site. Redirects to another path, or to a URL with a query, are still followed.
  bool leave_to_other_sites = false;
  /// If true, the retrieval also ends with `outcome::cancelled` before a retry, or before a request
  /// to the next origin, if `may_ask` returns false for the origin.
  bool asks_before_tries = false;
  /// If not null, gets the number of each try in which an exchange has timed out. Any thread may
  /// read the number during the retrieval.
  std::shared_ptr<std::atomic<int>> timed_out_tries{};
  /// The path of the file at each origin, and the header `Accept` of each request. The texts must
  /// live as long as the retrieval.
  std::string_view path = "/robots.txt";
  std::string_view accept = "text/plain, */*;q=0.1";
};

/// The options of a retrieval. A retrieval consists of all requests for one robots.txt.
/// `cache_options` also has some of these members, and describes them.
struct retrieval_options : unchecked_retrieval_options {
  std::string user_agent;
  int max_redirects = 5;
  redirect_options redirects{};
  std::chrono::milliseconds timeout{5'000};
  /// The maximum number of octets of the body to keep; 0 means no limit (RFC 9309, section 2.5).
  std::size_t max_bytes = 512'000;
  retry_options retry{};
};

/// Throws `std::invalid_argument` if an option is invalid. The message says what to change.
void validate(const retrieval_options& options);

/// Valid `retrieval_options`. A cache checks its options once, and makes many retrievals from them.
class valid_retrieval_options {
 public:
  /// Throws what `validate` throws.
  valid_retrieval_options(retrieval_options options) : options_{std::move(options)} {
    validate(options_);
  }

  /// The members that can differ for each retrieval.
  [[nodiscard]] unchecked_retrieval_options& unchecked() noexcept { return options_; }

  [[nodiscard]] retrieval_options take() && noexcept { return std::move(options_); }

 private:
  retrieval_options options_;
};

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/retrieval_options.bodies.hpp>
#endif
