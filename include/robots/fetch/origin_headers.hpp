#pragma once

#include <robots/base/refuse_value.hpp>
#include <robots/http/message.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/time/clock.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The headers that a crawler adds to its requests, by the origin of each request. For a
/// `HeadersFetcher`.
///
///     robots::origin_headers headers;
///     headers.everywhere("From", "bot@foo.example");
///     headers.only_at("https://example.com", "Authorization", "Bearer ...");
///
/// An origin is a scheme, a host and a port (RFC 6454): headers for `https://example.com` go
/// neither to `http://example.com` nor to `https://www.example.com`. Names and values must be fit
/// for a header (RFC 9110, section 5). The messages of exceptions have no value, which can be a
/// secret.
class origin_headers {
 public:
  /// Adds a header to every request. Throws `std::invalid_argument` for a name or a value that no
  /// header can have.
  origin_headers& everywhere(std::string name, std::string value) {
    everywhere_.push_back(checked({std::move(name), std::move(value)}));
    return *this;
  }

  /// Adds a header to the requests to one origin, such as `https://example.com`. Throws
  /// `std::invalid_argument` for a text that is no origin, and as `everywhere` does.
  origin_headers& only_at(std::string_view url, std::string name, std::string value) {
    const std::optional<origin> place = detail::parse_origin(url);
    if (!place) {
      base::refuse_value(url, "is no origin: write it like https://example.com");
    }
    const std::string_view path = detail::without_scheme(url);
    if (const auto begin = path.find_first_of("/?#");
        begin != std::string_view::npos && path.substr(begin) != "/") {
      base::refuse_value(url, "has a path: headers are for a whole origin, so leave the path out");
    }
    by_origin_[to_string(*place)].push_back(checked({std::move(name), std::move(value)}));
    return *this;
  }

  /// Returns the headers of one request for `url`: those for everywhere, then those for its origin.
  [[nodiscard]] std::vector<http_header> operator()(std::string_view url,
                                                    wall_time /*now*/ = {}) const {
    std::vector<http_header> headers = everywhere_;
    const std::optional<origin> place = detail::parse_origin(url);
    const auto found = place ? by_origin_.find(to_string(*place)) : by_origin_.end();
    if (found != by_origin_.end()) {
      headers.insert(headers.end(), found->second.begin(), found->second.end());
    }
    return headers;
  }

 private:
  [[nodiscard]] static http_header checked(http_header one) {
    if (const std::string_view problem = detail::header_problem(one); !problem.empty()) {
      base::refuse_value(one.name, "cannot be a header: it " + std::string{problem});
    }
    return one;
  }

  std::vector<http_header> everywhere_;
  std::map<std::string, std::vector<http_header>, std::less<>> by_origin_;
};

}  // namespace robots
