#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/extensions/visit_time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
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
[[nodiscard]] ROBOTS_CONSTEXPR std::optional<request_rate> parse_request_rate(
    std::string_view value) noexcept;

/// The Request-rate lines among `lines`, in file order; lines that cannot be read are left out.
/// Linear.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<request_rate> request_rates(
    std::span<const directive> lines);

/// Those that apply to a crawler. Linear in the file.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<request_rate> request_rates(
    const document& file, std::string_view user_agent = "*");

/// The rate to keep at a time: of the rates whose window holds it, or else of those without one,
/// the slowest. Nothing when there is none. `utc` as in `visit_time::contains`.
[[nodiscard]] ROBOTS_CONSTEXPR std::optional<request_rate> rate_at(
    std::span<const request_rate> rates, std::chrono::minutes utc) noexcept;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/extensions/request_rate.ipp>
#endif
