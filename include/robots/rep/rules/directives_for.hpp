#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/detail/crawler_collector.hpp>

#include <string_view>
#include <utility>

namespace robots {

/// Reads everything in `text` for one crawler, in one pass.
///
/// `user_agent` is as for `compile`; the member `rules` is the result of `compile`. Accepts any
/// octets; they never make it throw. Costs the same as `compile`.
[[nodiscard]] constexpr crawler_directives directives_for(std::string_view text,
                                                          std::string_view user_agent,
                                                          const parse_options& options = {}) {
  rep_detail::crawler_collector collector{user_agent, options};
  const line_counts lines = scan(text, collector, options);
  return std::move(collector).finish(lines);
}

}  // namespace robots
