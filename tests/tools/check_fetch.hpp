// The command fetch of robots-check, which fetches pages politely.
#pragma once

#include "check_options.hpp"

#include <functional>
#include <string_view>

namespace robots::check {

/// Fetches the pages of the arguments, and prints what it did, hop by hop. Returns the exit status.
[[nodiscard]] status run_fetch(const settings& wanted,
                               const std::function<void(std::string_view)>& print);

}  // namespace robots::check
