#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace robots {

/// A view of texts in one block, each with a line end behind it. A forward range of
/// `std::string_view`, which live as long as the block.
class line_list {
 public:
  /// Walks the texts.
  class iterator {
   public:
    using value_type = std::string_view;     ///< what it points at
    using difference_type = std::ptrdiff_t;  ///< as iterators need

    iterator() = default;
    /// The current text.
    [[nodiscard]] std::string_view operator*() const noexcept {
      return rest_.substr(0, rest_.find('\n'));
    }
    /// Moves to the next text.
    iterator& operator++() noexcept {
      rest_.remove_prefix((**this).size() + 1);
      return *this;
    }
    /// Moves to the next text.
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    /// Whether both stand on the same text.
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.rest_.size() == b.rest_.size();
    }

   private:
    friend class line_list;
    explicit iterator(std::string_view rest) noexcept : rest_{rest} {}
    std::string_view rest_{};
  };

  line_list() = default;
  /// Views the texts in `block`.
  explicit line_list(std::string_view block) noexcept : block_{block} {}

  /// The first text.
  [[nodiscard]] iterator begin() const noexcept { return iterator{block_}; }
  /// Behind the last text.
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Whether there are no texts.
  [[nodiscard]] bool empty() const noexcept { return block_.empty(); }
  /// Returns the number of texts. Linear in the block.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::count(block_.begin(), block_.end(), '\n'));
  }

  /// The first text. Precondition: there is one.
  [[nodiscard]] std::string_view front() const noexcept { return *begin(); }

  [[nodiscard]] friend bool operator==(const line_list&, const line_list&) = default;

 private:
  std::string_view block_;
};

static_assert(std::forward_iterator<line_list::iterator>);

}  // namespace robots
