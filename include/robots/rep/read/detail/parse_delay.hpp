#pragma once

#include <robots/base/decimal.hpp>
#include <robots/base/longest_delay.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

namespace rep_detail {

/// Reads the value of a Crawl-delay line: a decimal number of seconds, 0 or more. Rounds fractions
/// of a millisecond up, so that no crawler comes too early.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> parse_delay(
    std::string_view value) noexcept {
  const std::size_t point = (std::min)(value.find('.'), value.size());
  const std::string_view whole = value.substr(0, point);
  const std::string_view fraction = value.substr((std::min)(point + 1, value.size()));
  constexpr auto longest = static_cast<std::uint64_t>(longest_delay / std::chrono::seconds{1});
  const auto seconds = base::parse_decimal(whole, longest + 1);
  if ((!seconds && !whole.empty()) || (!base::parse_decimal(fraction) && !fraction.empty()) ||
      (whole.empty() && fraction.empty())) {
    return std::nullopt;
  }
  if (seconds > longest) {
    return std::chrono::seconds{longest};
  }
  constexpr std::size_t places = 3;
  auto milliseconds = static_cast<std::int64_t>(seconds.value_or(0));
  for (std::size_t i = 0; i < places; ++i) {
    milliseconds = milliseconds * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  const bool rest = fraction.find_first_not_of('0', places) != std::string_view::npos;
  return std::chrono::milliseconds{milliseconds + (rest ? 1 : 0)};
}

}  // namespace rep_detail

}  // namespace robots
