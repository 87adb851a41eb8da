#pragma once

#include <robots/base/config.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/cache/detail/valid_options.hpp>
#include <robots/policy/judge.hpp>

#include <utility>

namespace robots::cache_detail {

ROBOTS_INLINE valid_options validated(cache_options options) {
  detail::valid_retrieval_options retrieval{retrieval_options_of(options)};
  detail::validate(judge_options_of(options));
  require_names(options.names.empty() ? "user_agent" : "names", names_of(options),
                options.parse.dialect, false);
  for (const crawler_names& other : options.other_agents) {
    require_names("other_agents", other, options.parse.dialect, true);
  }
  options.names = names_of(options);
  using base::require;
  const auto longest = options.longest_call.count();
  require(longest >= 0, "longest_call", longest, " ms: use 0 for no limit, or more");
  return {std::move(options), std::move(retrieval)};
}

}  // namespace robots::cache_detail
