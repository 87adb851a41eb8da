#pragma once

#include <robots/base/ascii.hpp>

#include <cstddef>
#include <string_view>

namespace robots::adapters_detail {

/// Makes libcurl accept a header section whose first line after the status begins with a blank.
///
/// Such a line continues a field that does not exist. Browsers skip it, but libcurl 7.88 ends
/// the transfer when it stores the line. Before it stores a line, it passes the line to the debug
/// callback. There, this class replaces the blank by a colon. Then libcurl stores a field without a
/// name, which nothing reads.
class header_lines {
 public:
  /// Handles one line with its end. Can change its first octet.
  void tolerate(char* data, std::size_t size) noexcept {
    if (base::trim(std::string_view(data, size), base::is_space).empty()) {
      place_ = place::before;
    } else if (place_ == place::before) {
      place_ = place::after_status;
    } else {
      if (place_ == place::after_status && base::is_ws(*data)) {
        *data = ':';
      }
      place_ = place::after_field;
    }
  }

 private:
  enum class place { before, after_status, after_field };
  place place_ = place::before;
};

}  // namespace robots::adapters_detail
