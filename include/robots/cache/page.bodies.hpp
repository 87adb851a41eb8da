#pragma once

#include <robots/base/config.hpp>
#include <robots/cache/page.hpp>

#include <string_view>

namespace robots {

ROBOTS_INLINE page_statements any_robots_cache::page(std::string_view url,
                                                     const call_options& call) {
  return page_of(check(url, call), url, names(call));
}

}  // namespace robots
