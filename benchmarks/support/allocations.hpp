// Counts what a piece of code takes from the heap: this program's operator new and delete tell.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// The memory allocated since a scope began.
struct heap_use {
  std::uint64_t allocations = 0;
  std::size_t live = 0;  ///< octets allocated and not freed
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
