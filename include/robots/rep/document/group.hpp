#pragma once

#include <robots/rep/document/detail/document_parts.hpp>
#include <robots/rep/read/directive.hpp>

#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

namespace robots {

namespace rep_detail {

/// A forward iterator over the values of a cursor.
///
/// A `Cursor` has `value()`, which returns the current value, and `next()`, which moves to the next
/// value. `operator==` compares two positions in one range. A default cursor is at the end.
template <class Cursor>
class forward_iterator : private Cursor {
 public:
  using value_type = decltype(Cursor{}.value());       ///< the type of the values
  using difference_type = std::ptrdiff_t;              ///< the type that each iterator must have
  using iterator_category = std::input_iterator_tag;   ///< `*` returns values, not references
  using iterator_concept = std::forward_iterator_tag;  ///< multi-pass

  constexpr forward_iterator() = default;
  /// Starts at the position of `cursor`.
  constexpr explicit forward_iterator(const Cursor& cursor) noexcept : Cursor(cursor) {}

  /// Returns the current value.
  [[nodiscard]] constexpr value_type operator*() const noexcept { return Cursor::value(); }
  /// Moves to the next value.
  constexpr forward_iterator& operator++() noexcept {
    Cursor::next();
    return *this;
  }
  /// Moves to the next value. Returns an iterator at the position before the move.
  constexpr forward_iterator operator++(int) noexcept {
    const forward_iterator before = *this;
    ++*this;
    return before;
  }
  /// Returns true if both iterators are at the same position.
  [[nodiscard]] friend constexpr bool operator==(const forward_iterator& a,
                                                 const forward_iterator& b) noexcept {
    return static_cast<const Cursor&>(a) == static_cast<const Cursor&>(b);
  }
};

/// A forward range of the values from the position of a cursor to the end.
template <class Cursor>
class forward_range {
 public:
  using iterator = forward_iterator<Cursor>;  ///< iterates over the values

  /// Starts at the position of `first`.
  constexpr explicit forward_range(const Cursor& first) noexcept : first_(first) {}

  /// Returns an iterator to the first value.
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{first_}; }
  /// Returns the end of the values.
  [[nodiscard]] constexpr iterator end() const noexcept { return {}; }
  /// Returns true if there are no values.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }

 private:
  Cursor first_;
};

/// A position in a list of lines. The cursor skips lines of all kinds except one.
class value_cursor {
 public:
  constexpr value_cursor() = default;
  constexpr value_cursor(std::span<const document_line> rest, std::string_view text,
                         directive_kind kind) noexcept
      : rest_(rest), text_(text), kind_(kind) {
    skip_others();
  }

  [[nodiscard]] constexpr std::string_view value() const noexcept {
    return rest_.front().value(text_);
  }

  constexpr void next() noexcept {
    rest_ = rest_.subspan(1);
    skip_others();
  }

  [[nodiscard]] friend constexpr bool operator==(const value_cursor& a,
                                                 const value_cursor& b) noexcept {
    return a.rest_.size() == b.rest_.size();
  }

 private:
  constexpr void skip_others() noexcept {
    while (!rest_.empty() && rest_.front().kind != kind_) {
      rest_ = rest_.subspan(1);
    }
  }

  std::span<const document_line> rest_{};
  std::string_view text_{};
  directive_kind kind_ = directive_kind::unknown;
};

/// The values of all lines of one kind in a part of a `document`, as written, in file order. The
/// type is a forward range of `std::string_view`. A range is valid as long as the document.
using value_range = forward_range<value_cursor>;

}  // namespace rep_detail

/// One group of a robots.txt (RFC 9309, section 2.1), as in the file. Groups that name the same
/// crawler are not merged.
///
/// A line such as Crawl-delay between User-agent lines applies only to the crawlers above it, and
/// divides the group into parts. Each part is listed as a group with all rules. So a loop over the
/// rules of all parts takes time quadratic in the size of the group.
struct group {
  rep_detail::value_range user_agents;                   ///< product tokens, as written
  rep_detail::value_range allow;                         ///< patterns of Allow lines, as written
  rep_detail::value_range disallow;                      ///< patterns of Disallow lines, as written
  std::optional<std::chrono::milliseconds> crawl_delay;  ///< the first valid delay
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
    const auto values = [this](std::span<const document_line> lines, directive_kind kind) {
      return value_range{{lines, text_, kind}};
    };
    return {.user_agents = values(run, directive_kind::user_agent),
            .allow = values(all, directive_kind::allow),
            .disallow = values(all, directive_kind::disallow),
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

  /// Returns the distance from the first line to the next line in which the member that `mark`
  /// points to is true, or to the end. Returns 0 if there are no lines.
  [[nodiscard]] static constexpr std::size_t size_up_to(std::span<const document_line> lines,
                                                        bool document_line::* mark) noexcept {
    return lines.empty() ? 0 : 1 + lines_before(lines.subspan(1), mark).size();
  }

  std::span<const document_line> rest_{};
  std::string_view text_{};
  std::size_t run_size_ = 0;    // the number of lines up to the next part of the group
  std::size_t group_size_ = 0;  // the number of lines up to the next group
};

/// The groups of a `document`, in file order. The type is a forward range of `group`.
using group_range = forward_range<group_cursor>;

}  // namespace rep_detail

}  // namespace robots
