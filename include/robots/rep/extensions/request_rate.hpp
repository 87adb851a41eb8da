#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/visit_time.hpp>
#include <robots/rep/read/detail/parse_rate.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The number of requests that a site accepts in a period, from `Request-rate: 30/1m 0800-1300`.
/// Source: Sean Conner, An Extended Standard for Robot Exclusion, 1996. Never changes a verdict.
struct request_rate {
  std::uint32_t requests = 1;           ///< at least 1
  std::chrono::milliseconds per{1000};  ///< at least 1 ms, at most 136 years
  std::optional<visit_time> window{};   ///< the hours of the rate; empty: always

  /// Returns the time from one request to the next, rounded up: at least 1 ms.
  [[nodiscard]] constexpr std::chrono::milliseconds interval() const noexcept {
    const std::int64_t count = requests;
    return std::chrono::milliseconds{(per.count() + count - 1) / count};
  }

  [[nodiscard]] friend constexpr bool operator==(const request_rate&,
                                                 const request_rate&) = default;
};

/// Reads `requests/period`. The unit of the period is s, m, h or d; the default is seconds. A blank
/// and `hhmm-hhmm` in UTC may follow.
///
/// Returns an empty optional for anything else, for zero requests and for a period of zero. Numbers
/// that are too large count as the maximum.
[[nodiscard]] constexpr std::optional<request_rate> parse_request_rate(
    std::string_view value) noexcept {
  const auto stated = rep_detail::parse_rate(value);
  if (!stated) {
    return std::nullopt;
  }
  request_rate rate{.requests = stated->requests, .per = stated->per};
  if (stated->hours) {
    rate.window = visit_time{.from = stated->hours->from, .to = stated->hours->to};
  }
  return rate;
}

/// Reads the Request-rate lines among `lines`, in file order, without those that cannot be read.
/// Linear.
[[nodiscard]] constexpr std::vector<request_rate> request_rates(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::request_rate, parse_request_rate);
}

/// Reads the Request-rate lines that apply to a crawler. Linear in the file.
[[nodiscard]] constexpr std::vector<request_rate> request_rates(const document& file,
                                                                std::string_view user_agent = "*") {
  return request_rates(file.directives_for(user_agent));
}

/// Returns the slowest rate whose window contains a time. If there is none, returns the slowest
/// rate without a window. Otherwise, returns an empty optional. `utc` is as in
/// `visit_time::contains`.
[[nodiscard]] constexpr std::optional<request_rate> rate_at(std::span<const request_rate> rates,
                                                            std::chrono::minutes utc) noexcept {
  const auto place = [](const request_rate& rate) {
    return std::pair{rate.window.has_value(), rate.interval()};
  };
  std::optional<request_rate> slowest;
  for (const request_rate& rate : rates) {
    if (rate.window && !rate.window->contains(utc)) {
      continue;
    }
    if (!slowest || place(rate) > place(*slowest)) {
      slowest = rate;
    }
  }
  return slowest;
}

}  // namespace robots
