#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// The statement of a site about text and data mining (TDMRep, final report of 2025-12-07).
struct tdm_reservation {
  /// True if the rights are reserved, false if they are not. Empty if nothing was said.
  std::optional<bool> reserved{};
  std::optional<std::string> policy{};  ///< the URL of the policy by which a licence can be had
  std::size_t entry = 0;  ///< the number of the deciding entry of tdmrep.json, 1-based, else 0

  [[nodiscard]] friend bool operator==(const tdm_reservation&, const tdm_reservation&) = default;
};

/// The maximum size of a tdmrep.json that is read, in octets. A longer file reserves the rights.
inline constexpr std::size_t max_tdmrep_bytes = 512'000;

/// How many octets of patterns and targets a reader of this folder compares at most, for one
/// answer. If that is not enough, the answer is the most restrictive one.
inline constexpr std::size_t max_compared_octets = std::size_t{1} << 23U;

/// Returns what `tdmrep`, the text of `/.well-known/tdmrep.json`, says about a URL. The first entry
/// whose `location` matches decides, not the longest. A location is a pattern as in robots.txt
/// (TDMRep, section 6.2).
///
/// `target` is an absolute URL or a path with query. The result is empty if no entry matches, if
/// the text is no JSON array, or if the first match has no valid `tdm-reservation`: one of `1`,
/// `"1"`, `true`, `0`, `"0"` and `false`. Accepts any octets. Compares at most
/// `max_compared_octets`, and reserves the rights if that is not enough.
[[nodiscard]] tdm_reservation read_tdmrep(std::string_view tdmrep, std::string_view target);

/// Reads the value of a `tdm-reservation` header or meta element: `1` or `0`, with or without
/// quotes. Returns an empty optional for any other text.
[[nodiscard]] std::optional<bool> parse_tdm_reservation(std::string_view value) noexcept;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/tdm_reservation.bodies.hpp>
#endif
