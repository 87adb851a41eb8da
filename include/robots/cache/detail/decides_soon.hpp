#pragma once

#include <robots/policy/policy.hpp>

#include <cstdint>
#include <string_view>

namespace robots::cache_detail {

/// Whether `rules` decide on `url` within a tenth of a millisecond, whoever wrote either.
///
/// While a storage shows an entry, nobody can store, and whoever comes after one that wants to
/// store waits, too. Half a megabyte of wildcards takes 20 ms for a URL of 2,000 octets and a
/// second for one of 60,000: 1 ns for each rule and octet. Such a file must not hold up the other
/// sites.
[[nodiscard]] inline bool decides_soon(const policy& rules, std::string_view url) noexcept {
  constexpr std::uint64_t most = 65'536;
  return std::uint64_t{url.size()} * (rules.rules().size() + 1) <= most;
}

}  // namespace robots::cache_detail
