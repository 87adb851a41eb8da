#pragma once

#include <robots/rep/read/line_counts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace robots {

/// The limit for malformed lines in a file. A file exceeds the limit if it has at least `lines`
/// malformed lines, and their share of the lines with content is more than `share`. A file that is
/// not a robots.txt, or has only malformed lines, always exceeds the limit (source: the pipeline
/// guide). So does a file whose Disallow patterns all begin with neither `/` nor `*`.
struct malformed_limit {
  double share = 0.10;    ///< the share of malformed lines among lines that are not blank, 0 to 1
  std::size_t lines = 5;  ///< the minimum number of malformed lines for which `share` applies
  /// If true, lines that are understood by a guess count as malformed, too; see
  /// `line_counts::guessed`. If empty, `fallback.counts_guessed_lines()` decides in a cache, which
  /// is true for `strict()`; elsewhere, these lines do not count.
  std::optional<bool> guessed_lines{};

  /// Returns true if a file with these counts exceeds the limit.
  [[nodiscard]] constexpr bool exceeded_by(line_counts counts) const noexcept {
    const std::uint32_t malformed =
        counts.malformed + (guessed_lines.value_or(false) ? counts.guessed : 0);
    const bool all = malformed != 0 && malformed == counts.non_blank;
    return counts.not_robots_txt || counts.all_disallows_dead || all ||
           (malformed >= lines && malformed > share * counts.non_blank);
  }
};

}  // namespace robots
