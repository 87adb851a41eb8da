#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace robots {

/// Texts without line ends, kept one behind the other in one block: for lists of a great many short
/// ones. A forward range of `std::string_view`, which live as long as the list.
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

  /// Adds a text at the end.
  void push_back(std::string_view text) {
    block_.append(text).push_back('\n');
    ++size_;
  }

  /// Gives back the memory that is not needed.
  void shrink_to_fit() { block_.shrink_to_fit(); }

  /// The first text.
  [[nodiscard]] iterator begin() const noexcept { return iterator{block_}; }
  /// Behind the last text.
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Whether there are no texts.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// How many texts there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The first text. Precondition: there is one.
  [[nodiscard]] std::string_view front() const noexcept { return *begin(); }

  /// Octets of memory held beside this object.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return block_.capacity(); }

  [[nodiscard]] friend bool operator==(const line_list&, const line_list&) = default;

 private:
  std::string block_;  // each text with a line end
  std::size_t size_ = 0;
};

static_assert(std::forward_iterator<line_list::iterator>);

}  // namespace robots
