#pragma once

#include <robots/base/forward_iterator.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace robots {

namespace policy_detail {

/// A place in a block of texts.
struct line_cursor {
  std::string_view rest{};

  [[nodiscard]] std::string_view value() const noexcept { return rest.substr(0, rest.find('\n')); }
  void next() noexcept { rest.remove_prefix(value().size() + 1); }

  [[nodiscard]] friend bool operator==(const line_cursor& a, const line_cursor& b) noexcept {
    return a.rest.size() == b.rest.size();
  }
};

}  // namespace policy_detail

/// A view of texts in one block, with a line end after each. It is a forward range of
/// `std::string_view`, and is valid as long as the block.
class line_list {
 public:
  using iterator = base::forward_iterator<policy_detail::line_cursor>;  ///< iterates over the texts

  line_list() = default;
  /// Views the texts in `block`.
  explicit line_list(std::string_view block) noexcept : block_{block} {}

  /// Returns the position of the first text.
  [[nodiscard]] iterator begin() const noexcept { return iterator{{.rest = block_}}; }
  /// Returns the end position.
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Returns true if there are no texts.
  [[nodiscard]] bool empty() const noexcept { return block_.empty(); }
  /// Returns the number of texts. Linear in the block.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::count(block_.begin(), block_.end(), '\n'));
  }

  /// Returns the first text. Precondition: there is one.
  [[nodiscard]] std::string_view front() const noexcept { return *begin(); }

  [[nodiscard]] friend bool operator==(const line_list&, const line_list&) = default;

 private:
  std::string_view block_;
};

static_assert(std::forward_iterator<line_list::iterator>);

}  // namespace robots
