#pragma once

#include <robots/base/enum_text.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots {

/// What came of asking whether, and when, a URL may be fetched.
enum class admission_reason : std::uint8_t {
  go,           ///< it may, at the time of the reservation
  excluded,     ///< the host is excluded by the crawler's own configuration
  invalid_url,  ///< the text is no http or https URL
  disallowed,   ///< robots.txt, or what stands in for it, does not allow it
  skip_host,    ///< the site wants more delay than the options bear with
  busy,         ///< as many requests are under way at the host as may be, or others wait
  not_yet,      ///< it is too early; `schedule::at` says when it is not
  no_room,      ///< too many hosts must be remembered; try another host, or this one later
  stopped,      ///< the call was stopped
  too_late,     ///< the deadline of the call comes first
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(admission_reason reason) noexcept {
  return base::enum_text<admission_reason::too_late>(
      reason, {"go", "excluded", "invalid_url", "disallowed", "skip_host", "busy", "not_yet",
               "no_room", "stopped", "too_late"});
}

namespace polite_detail {

inline constexpr std::size_t admission_reasons =
    static_cast<std::size_t>(admission_reason::too_late) + 1;

}  // namespace polite_detail

/// How often each reason was the answer.
class admission_stats {
 public:
  /// One count for each reason, in the order of the enumerators.
  using counts = std::array<std::uint64_t, polite_detail::admission_reasons>;

  /// No answers so far.
  admission_stats() = default;
  /// These counts.
  explicit constexpr admission_stats(const counts& given) noexcept : counts_{given} {}

  /// How often `reason` was the answer.
  [[nodiscard]] constexpr std::uint64_t operator[](admission_reason reason) const noexcept {
    return counts_[static_cast<std::size_t>(reason)];
  }

  /// How many answers there were.
  [[nodiscard]] constexpr std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) {
      sum += count;
    }
    return sum;
  }

 private:
  counts counts_{};
};

namespace polite_detail {

/// Counts answers, from any thread.
class admission_counters {
 public:
  void add(admission_reason reason) noexcept {
    counts_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }

  [[nodiscard]] admission_stats read() const noexcept {
    admission_stats::counts now{};
    for (std::size_t i = 0; i < now.size(); ++i) {
      now[i] = counts_[i].load(std::memory_order_relaxed);
    }
    return admission_stats{now};
  }

 private:
  std::array<std::atomic<std::uint64_t>, admission_reasons> counts_{};
};

}  // namespace polite_detail

}  // namespace robots
