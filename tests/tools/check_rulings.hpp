// The commands `rulings ...`, by which an operator reads and gives orders.
#pragma once

#include "check_options.hpp"

namespace robots::check {

/// Runs a command whose name begins with `rulings`. Prints the orders that it reads or gives.
/// Throws if the ledger cannot be reached.
[[nodiscard]] status run_rulings(const settings& wanted);

}  // namespace robots::check
