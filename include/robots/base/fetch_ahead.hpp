#pragma once

#include <cstdint>

namespace robots::base {

/// Has the processor fetch the two cache lines from `start` on, for who will read them soon but has
/// other memory to wait for first. Reads nothing: any address will do.
inline void fetch_ahead(const void* start) noexcept {
  constexpr std::uintptr_t line = 64;
  const auto second = reinterpret_cast<std::uintptr_t>(start) + line;
  __builtin_prefetch(start);
  __builtin_prefetch(reinterpret_cast<const void*>(second));  // NOLINT(*-no-int-to-ptr)
}

}  // namespace robots::base
