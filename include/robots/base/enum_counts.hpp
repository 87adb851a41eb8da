#pragma once

#include <robots/base/enum_text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace robots::base {

/// A count for each enumerator up to `Last`.
template <auto Last>
class enum_counts {
 public:
  using key = decltype(Last);
  static constexpr std::size_t size = static_cast<std::size_t>(Last) + 1;
  static_assert(!is_enumerator<static_cast<key>(size)>(), "`Last` is not the last enumerator");

  [[nodiscard]] constexpr std::uint64_t& operator[](key of) noexcept {
    return counts_[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] constexpr std::uint64_t operator[](key of) const noexcept {
    return counts_[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] constexpr std::uint64_t total() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

 private:
  std::array<std::uint64_t, size> counts_{};
};

}  // namespace robots::base
