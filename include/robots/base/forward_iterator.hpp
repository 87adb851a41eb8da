#pragma once

#include <cstddef>
#include <iterator>

namespace robots::base {

/// A forward iterator over the values of a cursor.
///
/// A `Cursor` has `value()`, the current value; `next()`, which moves to the next one; and
/// `operator==`, which compares two positions in one range.
template <class Cursor>
class forward_iterator : private Cursor {
 public:
  using value_type = decltype(Cursor{}.value());       ///< the current element
  using difference_type = std::ptrdiff_t;              ///< as iterators need
  using iterator_category = std::input_iterator_tag;   ///< yields values, not references
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
  /// Moves to the next value.
  constexpr forward_iterator operator++(int) noexcept {
    const forward_iterator before = *this;
    ++*this;
    return before;
  }
  /// Returns true if both are at the same position.
  [[nodiscard]] friend constexpr bool operator==(const forward_iterator& a,
                                                 const forward_iterator& b) noexcept {
    return static_cast<const Cursor&>(a) == static_cast<const Cursor&>(b);
  }
};

}  // namespace robots::base
