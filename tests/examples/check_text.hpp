// What robots-check prints for people.
#pragma once

#include "check_answer.hpp"
#include <robots/cache/cache_stats.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace robots::check {

/// How a line is laid out.
struct text_style {
  std::string_view fallback;   ///< name of the fallback policy in force
  std::size_t url_width = 40;  ///< columns kept for the URL
  bool colour = false;         ///< with ANSI colours
};

/// One line, without its end: verdict, URL, the rule and its line, the delay, where the rules came
/// from and how old they are.
[[nodiscard]] std::string to_text(const answer& about, const text_style& style);

/// A table of several lines.
[[nodiscard]] std::string to_text(const cache_stats& stats);

}  // namespace robots::check
