// The commands `rulings ...`, by which an operator reads and gives orders.
#pragma once

#include "check_options.hpp"
#include <robots/rulings/ruling_ledger.hpp>

#include <memory>
#include <string>

namespace robots::check {

/// Opens the ledger of a name that `with_store` also takes.
[[nodiscard]] std::shared_ptr<RulingLedger> open_ledger(const std::string& name);

/// Runs a command whose name begins with `rulings`. Prints the orders that it reads or gives.
/// Throws if the ledger cannot be reached.
[[nodiscard]] status run_rulings(const settings& wanted);

}  // namespace robots::check
