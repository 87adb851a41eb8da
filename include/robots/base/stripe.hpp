#pragma once

#include <atomic>
#include <cstddef>

namespace robots::base {

/// How many ways a thing is split that many threads write to. On a machine that runs more threads
/// at once, some share a stripe, which costs them time only when they meet.
inline constexpr std::size_t stripe_count = 32;

/// Octets apart at which two stripes share no cache line; two lines, since processors fetch them in
/// pairs.
inline constexpr std::size_t stripe_alignment = 128;

/// The stripe of the calling thread, below `stripe_count`: dealt out in turn, the same from then
/// on.
[[nodiscard]] inline std::size_t stripe_of_thread() noexcept {
  static constinit std::atomic<std::size_t> next{0};
  static constinit thread_local std::size_t mine = stripe_count;
  if (mine == stripe_count) [[unlikely]] {
    mine = next.fetch_add(1, std::memory_order_relaxed) % stripe_count;
  }
  return mine;
}

}  // namespace robots::base
