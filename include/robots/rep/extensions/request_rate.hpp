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

class document;
struct directive;

/// How many requests a site takes in how long, from `Request-rate: 30/1m 0800-1300` (Sean Conner,
/// An Extended Standard for Robot Exclusion, 1996). Never changes a verdict.
struct request_rate {
  std::uint32_t requests = 1;           ///< at least 1
  std::chrono::milliseconds per{1000};  ///< at least 1 ms, at most 136 years
  std::optional<visit_time> window{};   ///< when it holds; nothing: always

  /// The time from one request to the next, rounded up: at least 1 ms.
  [[nodiscard]] constexpr std::chrono::milliseconds interval() const noexcept {
    const std::int64_t count = requests;
    return std::chrono::milliseconds{(per.count() + count - 1) / count};
  }

  [[nodiscard]] friend constexpr bool operator==(const request_rate&,
                                                 const request_rate&) = default;
};

/// Reads `requests/period`, the period in s (which may be left out), m, h or d, and after it, if it
/// holds at some hours only, a blank and `hhmm-hhmm` in UTC.
///
/// Nothing for anything else, and for zero requests or a period of zero. Larger numbers than fit
/// are read as the largest.
[[nodiscard]] constexpr std::optional<request_rate> parse_request_rate(
    std::string_view value) noexcept;

/// The Request-rate lines among `lines`, in file order; lines that cannot be read are left out.
/// Linear.
[[nodiscard]] constexpr std::vector<request_rate> request_rates(std::span<const directive> lines);

/// Those that apply to a crawler. Linear in the file.
[[nodiscard]] constexpr std::vector<request_rate> request_rates(const document& file,
                                                                std::string_view user_agent = "*");

/// The rate to keep at a time: of the rates whose window holds it, or else of those without one,
/// the slowest. Nothing when there is none. `utc` as in `visit_time::contains`.
[[nodiscard]] constexpr std::optional<request_rate> rate_at(std::span<const request_rate> rates,
                                                            std::chrono::minutes utc) noexcept;

constexpr std::optional<request_rate> parse_request_rate(std::string_view value) noexcept {
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

constexpr std::vector<request_rate> request_rates(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::request_rate, parse_request_rate);
}

constexpr std::vector<request_rate> request_rates(const document& file,
                                                  std::string_view user_agent) {
  return request_rates(file.directives_for(user_agent));
}

constexpr std::optional<request_rate> rate_at(std::span<const request_rate> rates,
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
