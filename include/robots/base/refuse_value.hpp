#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/base/printable.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace robots::base {

/// Throws `std::invalid_argument` for a text that a programmer gave. The message has the text in
/// quotes, and then `advice`, such as "is no absolute URL: begin it with a scheme".
[[noreturn]] inline void refuse_value(std::string_view value, std::string_view advice) {
  raise(std::invalid_argument{'"' + printable(value) + "\" " + std::string{advice}});
}

}  // namespace robots::base
