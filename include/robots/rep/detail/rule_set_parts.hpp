#pragma once

#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/detail/dialect_traits.hpp>
#include <robots/rep/explanation.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace robots::detail {

/// Everything that a `rule_set` keeps.
struct rule_set_parts {
  std::vector<char> text{};
  std::vector<compiled_rule> rules{};  ///< the one that decides comes first
  text_span token{};                   ///< of the crawler, in lower case
  std::optional<std::chrono::milliseconds> crawl_delay{};
  group_choice group = group_choice::none;
  const dialect_traits* traits = &rfc9309_traits;  ///< how targets are read
};

}  // namespace robots::detail
