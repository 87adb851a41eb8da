// Counts what a piece of code takes from the heap: this program's operator new and delete tell.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// What was taken since a scope began.
struct heap_use {
  std::uint64_t allocations = 0;
  std::size_t live = 0;  ///< octets asked for and not given back
};

/// While it lives, counts what its thread takes. Scopes do not nest.
class allocation_scope {
 public:
  allocation_scope();
  allocation_scope(const allocation_scope&) = delete;
  allocation_scope& operator=(const allocation_scope&) = delete;
  ~allocation_scope();

  [[nodiscard]] heap_use used() const;
};

}  // namespace bench
