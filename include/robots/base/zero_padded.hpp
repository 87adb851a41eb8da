#pragma once

#include <cstddef>
#include <string>

namespace robots::base {

/// Returns a decimal number with zeros in front if it has fewer than `digits` digits, such as
/// `007`. A number with more digits stays as it is.
[[nodiscard]] inline std::string zero_padded(std::string number, std::size_t digits) {
  number.insert(0, number.size() < digits ? digits - number.size() : 0, '0');
  return number;
}

}  // namespace robots::base
