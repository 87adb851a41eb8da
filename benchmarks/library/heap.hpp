// The heap memory of this library.
#pragma once

#include "inputs/input.hpp"

#include <vector>

namespace bench {

/// Registers the rows of memory and allocations for each input.
void register_heap_rows(const std::vector<input>& inputs);

}  // namespace bench
