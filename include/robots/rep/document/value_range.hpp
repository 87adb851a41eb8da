#pragma once

#include <robots/rep/document/detail/document_line.hpp>
#include <robots/rep/read/directive.hpp>

#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace robots {

/// The values of all lines of one kind in a stretch of a `document`, as written, in file order.
///
/// A forward range of `std::string_view`. Lives as long as the document.
class value_range {
 public:
  /// Walks the values.
  class iterator {
   public:
    using value_type = std::string_view;                  ///< what it points at
    using difference_type = std::ptrdiff_t;               ///< as iterators need
    using iterator_category = std::forward_iterator_tag;  ///< multi-pass

    constexpr iterator() = default;

    /// The value of the current line.
    [[nodiscard]] constexpr std::string_view operator*() const noexcept {
      return at_->value(text_);
    }
    /// Moves to the next line of the kind.
    constexpr iterator& operator++() noexcept {
      ++at_;
      settle();
      return *this;
    }
    /// Moves to the next line of the kind.
    constexpr iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    /// Whether both stand on the same line.
    [[nodiscard]] friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.at_ == b.at_;
    }

   private:
    friend class value_range;

    constexpr iterator(const rep_detail::document_line* at, const rep_detail::document_line* end,
                       std::string_view text, directive_kind kind) noexcept
        : at_(at), end_(end), text_(text), kind_(kind) {
      settle();
    }

    constexpr void settle() noexcept {
      while (at_ != end_ && at_->kind != kind_) {
        ++at_;
      }
    }

    const rep_detail::document_line* at_ = nullptr;
    const rep_detail::document_line* end_ = nullptr;
    std::string_view text_;
    directive_kind kind_ = directive_kind::unknown;
  };

  /// Used by `document`.
  constexpr value_range(std::span<const rep_detail::document_line> lines, std::string_view text,
                        directive_kind kind) noexcept
      : lines_(lines), text_(text), kind_(kind) {}

  /// The first value.
  [[nodiscard]] constexpr iterator begin() const noexcept { return at(0); }
  /// Behind the last value.
  [[nodiscard]] constexpr iterator end() const noexcept { return at(lines_.size()); }
  /// Whether there are no values.
  [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }

 private:
  [[nodiscard]] constexpr iterator at(std::size_t index) const noexcept {
    const rep_detail::document_line* const first = lines_.data();
    return {first + index, first + lines_.size(), text_, kind_};
  }

  std::span<const rep_detail::document_line> lines_;
  std::string_view text_;
  directive_kind kind_;
};

}  // namespace robots
