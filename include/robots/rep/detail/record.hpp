#pragma once

#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/directive.hpp>

#include <cstdint>

namespace robots::detail {

/// One directive as a `document` keeps it.
struct record {
  /// `written` is the value. Of a User-agent line, `compiled` is the value in lower case.
  compiled_rule rule{};
  text_span key{};
  std::uint32_t column = 0;
  directive_kind kind = directive_kind::unknown;
  bool starts_group = false;
  bool in_group = false;
  bool implied = false;  ///< stands in no line of its own, see `for_each_pattern`
};

}  // namespace robots::detail
