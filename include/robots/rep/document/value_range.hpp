#pragma once

#include <robots/base/forward_iterator.hpp>
#include <robots/rep/document/detail/document_line.hpp>
#include <robots/rep/read/directive.hpp>

#include <span>
#include <string_view>

namespace robots {

namespace rep_detail {

/// A position among the lines of one kind.
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

}  // namespace rep_detail

/// The values of all lines of one kind in a part of a `document`, as written, in file order.
///
/// A forward range of `std::string_view`, valid as long as the document.
class value_range {
 public:
  using iterator = base::forward_iterator<rep_detail::value_cursor>;  ///< iterates over the values

  /// For `document` only.
  constexpr value_range(std::span<const rep_detail::document_line> lines, std::string_view text,
                        directive_kind kind) noexcept
      : first_(lines, text, kind) {}

  /// Returns the first value.
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{first_}; }
  /// Returns the end of the values.
  [[nodiscard]] constexpr iterator end() const noexcept { return {}; }
  /// Returns true if there are no values.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }

 private:
  rep_detail::value_cursor first_;
};

}  // namespace robots
