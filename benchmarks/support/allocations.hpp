// Counts the heap allocations of a piece of code, through this program's operator new and delete.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// The memory allocated since a scope began.
struct heap_use {
  std::uint64_t allocations = 0;
  std::size_t live = 0;  ///< octets allocated and not freed
};

/// Counts the allocations of its thread while it exists. Scopes do not nest.
class allocation_scope {
 public:
  allocation_scope();
  allocation_scope(const allocation_scope&) = delete;
  allocation_scope& operator=(const allocation_scope&) = delete;
  ~allocation_scope();

  [[nodiscard]] heap_use used() const;
};

}  // namespace bench
