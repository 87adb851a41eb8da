#pragma once

#include <robots/policy/decision.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/usage/page_statements.hpp>

#include <string_view>

namespace robots {

/// Begins the statements of a page with the facts of a decision about its URL: the answer, and the
/// lines about use of the robots.txt in force. `names` says who the crawler is. Add the headers and
/// the meta elements of the page to the result.
///
/// If a fallback or a ruling decided without a robots.txt, the place `statement_place::robots_txt`
/// is unread. A missing robots.txt counts as read, since it says nothing. Takes linear time in the
/// number of lines about use.
[[nodiscard]] page_statements page_of(const decision& decided, std::string_view url,
                                      const crawler_names_view& names);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/page_of.bodies.hpp>
#endif
