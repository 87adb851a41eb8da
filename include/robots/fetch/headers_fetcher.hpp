#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// Returns the headers to add to one request for `url`, at the date `now`. Any thread may call it.
/// `origin_headers` is a model.
using header_source = std::function<std::vector<http_header>(std::string_view url, wall_time now)>;

}  // namespace robots

namespace robots::fetch_detail {

/// Adds the headers of `source` to `request`, in place of its headers with the same names. Returns
/// the failure if the headers cannot be had, so that no request leaves without them. The text of
/// the failure has no value of a header, which can be a secret.
[[nodiscard]] inline std::optional<fetch_response> add_headers(fetch_request& request,
                                                               const header_source& source,
                                                               wall_time now) {
  const auto failure = [](std::string why) {
    return fetch_response{.error = fetch_error::local, .error_text = std::move(why)};
  };
  std::vector<http_header> added;
  try {
    added = source(request.url, now);
  } catch (...) {
    return failure(base::thrown_text("the function that makes the headers of a request"));
  }
  for (const http_header& one : added) {
    if (const std::string_view problem = detail::header_problem(one); !problem.empty()) {
      return failure("an added header " + std::string{problem});
    }
  }
  std::erase_if(request.headers, [&added](const http_header& own) {
    return std::any_of(added.begin(), added.end(), [&own](const http_header& one) {
      return base::equal_ignoring_case(own.name, one.name);
    });
  });
  std::move(added.begin(), added.end(), std::back_inserter(request.headers));
  return std::nullopt;
}

}  // namespace robots::fetch_detail

namespace robots {

/// A fetcher over a fetcher, which adds headers to each request: `From`, `Authorization`, a
/// signature.
///
///     request --> source(url, date) --> request with more headers --> the fetcher below -->
///     response
///                      | failure
///                      +--> fetch_error::local, and nothing is sent
///
/// A fetcher follows no redirect. So the function gets the URL of each hop, and the headers for one
/// origin never reach another origin. Give the cache and the client copies of the same fetcher, so
/// that the requests for robots.txt and for pages have the same headers.
///
///     robots::HeadersFetcher fetcher{
///         robots::CurlFetcher{},
///         robots::origin_headers{}
///             .everywhere("From", "bot@foo.example")
///             .only_at("https://example.com", "Authorization", "Bearer ...")};
///
/// A header of the function replaces one of the same name in the request. If the function throws,
/// or a header cannot be sent as it is, the exchange ends with `fetch_error::local`, which says
/// nothing about the site. It is a `Fetcher` or an `AsyncFetcher`, as the fetcher below is.
template <class F, Clock C = SteadyClock>
class HeadersFetcher {
 public:
  /// Adds the headers of `source` to the requests that `fetcher` sends. `clock` has the date.
  /// Throws `std::invalid_argument` if `source` is empty.
  explicit HeadersFetcher(F fetcher, header_source source, C clock = {})
      : fetcher_{std::move(fetcher)}, source_{std::move(source)}, clock_{std::move(clock)} {
    base::require(source_ != nullptr,
                  "HeadersFetcher: the function is empty: pass a callable such as origin_headers");
  }

  /// Makes one exchange.
  [[nodiscard]] fetch_response fetch(fetch_request request)
    requires Fetcher<F>
  {
    std::optional<fetch_response> failure =
        fetch_detail::add_headers(request, source_, wall_now(clock_));
    return failure ? *std::move(failure) : fetcher_.fetch(request);
  }

  /// Begins one exchange. After a failure of the function, calls `done` before it returns.
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done)
    requires AsyncFetcher<F>
  {
    std::optional<fetch_response> failure =
        fetch_detail::add_headers(request, source_, wall_now(clock_));
    failure ? done(*std::move(failure)) : fetcher_.async_fetch(std::move(request), std::move(done));
  }

  /// Returns the fetcher below.
  [[nodiscard]] F& fetcher() noexcept { return fetcher_; }

 private:
  F fetcher_;
  header_source source_;
  C clock_;
};

/// Deduces the type of the fetcher below. The clock is a `SteadyClock`.
template <class F>
HeadersFetcher(F, header_source) -> HeadersFetcher<F>;

}  // namespace robots
