#pragma once

#include <robots/rep/document/detail/document_line.hpp>
#include <robots/rep/document/value_range.hpp>
#include <robots/rep/read/directive.hpp>

#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

namespace robots {

/// One group of a robots.txt (RFC 9309, section 2.1), as it stands in the file: groups that name
/// the same crawler are not merged here.
///
/// A group is listed in parts, all with its rules, where a delay or another line that speaks to
/// crawlers stands between its User-agent lines, since that holds for those above it only. So to
/// walk the rules of all parts is quadratic in a group that has many.
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
      const auto run = rest_.first(run_size_);
      const auto all = rest_.first(group_size_);
      return {.user_agents = {run, text_, directive_kind::user_agent},
              .allow = {all, text_, directive_kind::allow},
              .disallow = {all, text_, directive_kind::disallow},
              .crawl_delay = rep_detail::first_delay(run, text_)};
    }
    /// Moves to the next group.
    constexpr iterator& operator++() noexcept {
      rest_ = rest_.subspan(run_size_);
      group_size_ -= run_size_;
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

    constexpr iterator(std::span<const rep_detail::document_line> rest,
                       std::string_view text) noexcept
        : rest_(rest), text_(text) {
      settle();
    }

    constexpr void settle() noexcept {
      using line = rep_detail::document_line;
      if (group_size_ == 0) {
        rest_ = rest_.subspan(lines_before(rest_, &line::starts_group).size());
        group_size_ =
            rest_.empty() ? 0 : 1 + lines_before(rest_.subspan(1), &line::starts_group).size();
      }
      if (group_size_ != 0) {
        run_size_ = 1 + lines_before(rest_.subspan(1, group_size_ - 1), &line::starts_run).size();
      }
    }

    std::span<const rep_detail::document_line> rest_;
    std::string_view text_;
    std::size_t run_size_ = 0;    // to the next User-agent lines that the same is said to
    std::size_t group_size_ = 0;  // to the next group
  };

  /// Used by `document`.
  constexpr group_range(std::span<const rep_detail::document_line> lines,
                        std::string_view text) noexcept
      : lines_(lines), text_(text) {}

  /// The first group.
  [[nodiscard]] constexpr iterator begin() const noexcept { return {lines_, text_}; }
  /// Behind the last group.
  [[nodiscard]] constexpr iterator end() const noexcept { return {lines_.last(0), text_}; }
  /// Whether there are no groups.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }

 private:
  std::span<const rep_detail::document_line> lines_;
  std::string_view text_;
};

}  // namespace robots
