#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/crawler_collector.hpp>
#include <robots/rep/rules/directives_for.hpp>

#include <utility>

namespace robots {

ROBOTS_CONSTEXPR crawler_directives directives_for(std::string_view text,
                                                   std::string_view user_agent,
                                                   const parse_options& options) {
  rep_detail::crawler_collector collector{user_agent, options};
  const line_counts lines = scan(text, collector, options);
  return std::move(collector).finish(lines);
}

}  // namespace robots
