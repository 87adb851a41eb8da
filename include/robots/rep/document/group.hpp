#pragma once

#include <robots/base/forward_iterator.hpp>
#include <robots/rep/document/detail/document_line.hpp>
#include <robots/rep/document/value_range.hpp>
#include <robots/rep/read/directive.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace robots {

/// One group of a robots.txt (RFC 9309, section 2.1), as in the file: groups with the same crawler
/// are not merged.
///
/// A delay between User-agent lines is only for the crawlers above it. Such a line divides the
/// group into parts. Each part is listed as a group with all rules. So a loop over the rules of all
/// parts is quadratic in a group with many parts.
struct group {
  value_range user_agents;                               ///< product tokens, as written
  value_range allow;                                     ///< patterns of Allow lines, as written
  value_range disallow;                                  ///< patterns of Disallow lines
  std::optional<std::chrono::milliseconds> crawl_delay;  ///< the first valid one
};

namespace rep_detail {

/// A position among the groups of a document.
class group_cursor {
 public:
  constexpr group_cursor() = default;
  constexpr group_cursor(std::span<const document_line> rest, std::string_view text) noexcept
      : rest_(rest), text_(text) {
    settle();
  }

  [[nodiscard]] constexpr group value() const noexcept {
    const auto run = rest_.first(run_size_);
    const auto all = rest_.first(group_size_);
    return {.user_agents = {run, text_, directive_kind::user_agent},
            .allow = {all, text_, directive_kind::allow},
            .disallow = {all, text_, directive_kind::disallow},
            .crawl_delay = first_delay(run, text_)};
  }

  constexpr void next() noexcept {
    rest_ = rest_.subspan(run_size_);
    group_size_ -= run_size_;
    settle();
  }

  [[nodiscard]] friend constexpr bool operator==(const group_cursor& a,
                                                 const group_cursor& b) noexcept {
    return a.rest_.size() == b.rest_.size();
  }

 private:
  constexpr void settle() noexcept {
    if (group_size_ == 0) {
      rest_ = rest_.subspan(lines_before(rest_, &document_line::starts_group).size());
      group_size_ = size_up_to(rest_, &document_line::starts_group);
    }
    run_size_ = size_up_to(rest_.first(group_size_), &document_line::starts_run);
  }

  /// Returns the number of lines from the first one to the next with a mark, or 0 if there are no
  /// lines.
  [[nodiscard]] static constexpr std::size_t size_up_to(std::span<const document_line> lines,
                                                        bool document_line::* mark) noexcept {
    return lines.empty() ? 0 : 1 + lines_before(lines.subspan(1), mark).size();
  }

  std::span<const document_line> rest_{};
  std::string_view text_{};
  std::size_t run_size_ = 0;    // distance to the next User-agent lines for the same lines
  std::size_t group_size_ = 0;  // distance to the next group
};

}  // namespace rep_detail

/// The groups of a `document`, in file order. A forward range of `group`.
class group_range {
 public:
  using iterator = base::forward_iterator<rep_detail::group_cursor>;  ///< iterates over the groups

  /// For `document` only.
  constexpr group_range(std::span<const rep_detail::document_line> lines,
                        std::string_view text) noexcept
      : first_(lines, text) {}

  /// Returns the first group.
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{first_}; }
  /// Returns the end of the groups.
  [[nodiscard]] constexpr iterator end() const noexcept { return {}; }
  /// Returns true if there are no groups.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }

 private:
  rep_detail::group_cursor first_;
};

}  // namespace robots
