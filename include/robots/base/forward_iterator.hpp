#pragma once

#include <cstddef>
#include <iterator>

namespace robots::base {

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
  /// Moves to the next value.
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

  /// Returns the first value.
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{first_}; }
  /// Returns the end of the values.
  [[nodiscard]] constexpr iterator end() const noexcept { return {}; }
  /// Returns true if there are no values.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }

 private:
  Cursor first_;
};

}  // namespace robots::base
