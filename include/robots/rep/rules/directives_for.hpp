#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <string_view>

namespace robots {

/// Reads everything that `text` says to one crawler, in one pass.
///
/// `user_agent` is as for `compile`, and `rules` is what `compile` gives. Takes any octets, never
/// throws on their account; the cost is that of `compile`.
[[nodiscard]] ROBOTS_CONSTEXPR crawler_directives directives_for(std::string_view text,
                                                                 std::string_view user_agent,
                                                                 const parse_options& options = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/rules/directives_for.ipp>
#endif
