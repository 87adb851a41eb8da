#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace robots::detail {

/// Items gathered one by one. The first `Few` are kept here, so that when there are no more, `take`
/// allocates once, and exactly.
///
/// `Item` is trivial, and `Make` turns it into what is taken.
template <class Item, class Make, std::size_t Few>
  requires std::is_trivially_default_constructible_v<Item>
class few_or_many {  // NOLINT(*-member-init): few_ is written before it is read
 public:
  using made = std::invoke_result_t<Make, const Item&>;

  /// Adds an item, which `write` writes in its place: an item written elsewhere and copied would
  /// have to wait until all its parts are stored. `most_to_come` is asked when items become many,
  /// for an upper bound of their number from this one on.
  template <class Write, class Bound>
  [[gnu::always_inline]] constexpr void add(Write write, Bound most_to_come) {
    if (few_size_ < Few) [[likely]] {
      write(few_[few_size_++]);
      return;
    }
    if (many_.empty()) [[unlikely]] {
      become_many(most_to_come());
    }
    if constexpr (std::is_same_v<Item, made>) {
      write(many_.emplace_back());
    } else {
      Item item;  // NOLINT(*-member-init): written next
      write(item);
      const made added = Make{}(item);
      many_.push_back(added);
    }
  }

  [[nodiscard]] constexpr std::vector<made> take() && {
    if (many_.empty() && few_size_ > 0) {
      reserve_and_move(few_size_);
    }
    return std::move(many_);
  }

 private:
  [[gnu::noinline]] constexpr void become_many(std::size_t most_to_come) {
    reserve_and_move(Few + std::min(most_to_come, most_reserved));
  }

  constexpr void reserve_and_move(std::size_t capacity) {
    many_.reserve(capacity);
    for (std::size_t i = 0; i < few_size_; ++i) {
      many_.push_back(Make{}(few_[i]));
    }
  }

  /// As many as a text of 64 KiB can need. More are reserved only once they are there.
  static constexpr std::size_t most_reserved = std::size_t{56} << 10U;

  std::array<Item, Few> few_;  // only what is written is read
  std::size_t few_size_ = 0;
  std::vector<made> many_;
};

}  // namespace robots::detail
