#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// The decoded body of a response, up to a limit.
class limited_body {
 public:
  /// Keeps at most `limit` octets; 0 means no limit.
  explicit limited_body(std::size_t limit) noexcept
      : room_(limit == 0 ? (std::numeric_limits<std::size_t>::max)() : limit) {}

  /// Appends `octets` as far as there is room. Returns false if there was not enough room.
  bool append(std::string_view octets) {
    const std::string_view fitting = octets.substr(0, room_);
    text.append(fitting);
    room_ -= fitting.size();
    is_over = is_over || fitting.size() < octets.size();
    return !is_over;
  }

  std::string text{};
  bool is_over = false;  ///< true if the body is longer than the limit

 private:
  std::size_t room_;
};

}  // namespace robots::adapters_detail
