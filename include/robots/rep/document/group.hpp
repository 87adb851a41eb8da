#pragma once

#include <robots/rep/document/detail/record.hpp>
#include <robots/rep/document/value_range.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

namespace robots {

/// One group of a robots.txt (RFC 9309, section 2.1), as it stands in the file: groups that name
/// the same crawler are not merged here.
struct group {
  value_range user_agents;                               ///< product tokens, as written
  value_range allow;                                     ///< patterns of Allow lines, as written
  value_range disallow;                                  ///< patterns of Disallow lines
  std::optional<std::chrono::milliseconds> crawl_delay;  ///< the first valid one
};

/// The groups of a `document`, in file order. A forward range of `group`.
class group_range {
 public:
  /// Walks the groups.
  class iterator {
   public:
    using value_type = group;                            ///< what it points at
    using difference_type = std::ptrdiff_t;              ///< as iterators need
    using iterator_category = std::input_iterator_tag;   ///< yields values, not references
    using iterator_concept = std::forward_iterator_tag;  ///< multi-pass

    constexpr iterator() = default;

    /// The current group.
    [[nodiscard]] constexpr group operator*() const noexcept {
      const auto here = rest_.first(size_);
      return {.user_agents = {here, text_, directive_kind::user_agent},
              .allow = {here, text_, directive_kind::allow},
              .disallow = {here, text_, directive_kind::disallow},
              .crawl_delay = delay(here)};
    }
    /// Moves to the next group.
    constexpr iterator& operator++() noexcept {
      rest_ = rest_.subspan(size_);
      settle();
      return *this;
    }
    /// Moves to the next group.
    constexpr iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    /// Whether both stand on the same group.
    [[nodiscard]] friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.rest_.size() == b.rest_.size();
    }

   private:
    friend class group_range;

    constexpr iterator(std::span<const detail::record> rest, std::string_view text) noexcept
        : rest_(rest), text_(text) {
      settle();
    }

    [[nodiscard]] static constexpr bool starts_group(const detail::record& line) noexcept {
      return line.starts_group;
    }

    constexpr void settle() noexcept {
      const auto first = std::ranges::find_if(rest_, starts_group);
      rest_ = rest_.subspan(static_cast<std::size_t>(first - rest_.begin()));
      if (rest_.empty()) {
        return;
      }
      const auto next = std::ranges::find_if(rest_.subspan(1), starts_group);
      size_ = static_cast<std::size_t>(next - rest_.subspan(1).begin()) + 1;
    }

    [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> delay(
        std::span<const detail::record> here) const noexcept {
      for (const detail::record& line : here) {
        if (line.kind != directive_kind::crawl_delay) {
          continue;
        }
        if (const auto value = detail::parse_delay(line.value(text_))) {
          return value;
        }
      }
      return std::nullopt;
    }

    std::span<const detail::record> rest_;
    std::string_view text_;
    std::size_t size_ = 0;
  };

  /// Used by `document`.
  constexpr group_range(std::span<const detail::record> records, std::string_view text) noexcept
      : records_(records), text_(text) {}

  /// The first group.
  [[nodiscard]] constexpr iterator begin() const noexcept { return {records_, text_}; }
  /// Behind the last group.
  [[nodiscard]] constexpr iterator end() const noexcept { return {records_.last(0), text_}; }
  /// Whether there are no groups.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }

 private:
  std::span<const detail::record> records_;
  std::string_view text_;
};

}  // namespace robots
