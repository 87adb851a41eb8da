#pragma once

#include <cstddef>
#include <cstdint>

namespace robots::base {

/// Has the processor fetch so many octets from `start` on, for who will read them soon but has
/// other memory to wait for first. Reads nothing: any address will do.
template <std::size_t Octets = 128>
inline void fetch_ahead(const void* start) noexcept {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < Octets; at += line) {
    const auto next = reinterpret_cast<std::uintptr_t>(start) + at;
    __builtin_prefetch(reinterpret_cast<const void*>(next));  // NOLINT(*-no-int-to-ptr)
  }
}

}  // namespace robots::base
