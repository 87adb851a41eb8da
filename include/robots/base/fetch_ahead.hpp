#pragma once

#include <robots/base/config.hpp>

#include <cstddef>
#include <cstdint>

namespace robots::base {

/// Prefetches `Octets` octets from `start` into the processor's cache. `start` can be any address.
template <std::size_t Octets = 128>
inline void fetch_ahead([[maybe_unused]] const void* start) noexcept {
#ifdef __GNUC__
  constexpr std::size_t line = 64;
  for (std::size_t offset = 0; offset < Octets; offset += line) {
    const auto next = reinterpret_cast<std::uintptr_t>(start) + offset;
    __builtin_prefetch(reinterpret_cast<const void*>(next));  // NOLINT(*-no-int-to-ptr)
  }
#endif
}

}  // namespace robots::base
