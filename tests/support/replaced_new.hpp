// Replaces the operators new and delete of a program whose allocations can fail. Exactly one file
// of the program includes this header, and defines `before_allocation`.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace robots::test {

/// Is called before each allocation of `size` octets. Throws `std::bad_alloc` if it shall fail.
void before_allocation(std::size_t size);

inline void* allocated(std::size_t size, std::size_t alignment) {
  before_allocation(size);
  // `aligned_alloc` needs a multiple of the alignment.
  if (void* got = std::aligned_alloc(alignment, (size / alignment + 1) * alignment)) {
    return got;
  }
  throw std::bad_alloc{};
}

}  // namespace robots::test

// If g++ inlines only some of these functions, it warns that new and delete do not match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return robots::test::allocated(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return robots::test::allocated(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* gone) noexcept { std::free(gone); }
[[gnu::noinline]] void operator delete(void* gone, std::size_t) noexcept { std::free(gone); }
[[gnu::noinline]] void operator delete(void* gone, std::align_val_t) noexcept { std::free(gone); }
[[gnu::noinline]] void operator delete(void* gone, std::size_t, std::align_val_t) noexcept {
  std::free(gone);
}
