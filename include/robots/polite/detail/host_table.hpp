#pragma once

#include <robots/base/text_hash.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::detail {

/// What is known of hosts, by key: a table that forgets what need not be remembered.
///
/// Each new host has a few of the old ones looked at in turn, so that the table stays near the
/// number of those that must be remembered, and no call takes long. Values stay where they are
/// while they are remembered. For one thread at a time.
template <class Value>
class host_table {
 public:
  /// At most `most` hosts.
  explicit host_table(std::size_t most) : most_(most) {}

  /// The value of a key; null when there is none. Constant time.
  [[nodiscard]] Value* find(std::string_view key) noexcept {
    const auto found = hosts_.find(key);
    return found == hosts_.end() ? nullptr : &found->second->value;
  }

  /// The value of a key, made if there is none. Null when there is no room: all that were looked at
  /// must be remembered. `forgettable(value)` tells what need not be. Constant time.
  template <class Forgettable>
  [[nodiscard]] Value* find_or_add(std::string_view key, const Forgettable& forgettable) {
    if (Value* found = find(key)) {
      return found;
    }
    constexpr std::size_t usual = 4;
    constexpr std::size_t thorough = 64;
    sweep(hosts_.size() < most_ ? usual : thorough, forgettable);
    if (hosts_.size() >= most_) {
      return nullptr;
    }
    auto made = std::make_unique<node>();
    made->key = key;
    node* const where = made.get();
    ring_.push_back(where);
    try {
      hosts_.emplace(std::string{key}, std::move(made));
    } catch (...) {
      ring_.pop_back();
      throw;
    }
    return &where->value;
  }

  /// How many hosts are remembered.
  [[nodiscard]] std::size_t size() const noexcept { return hosts_.size(); }

 private:
  struct node {
    Value value{};
    std::string key;
  };

  template <class Forgettable>
  void sweep(std::size_t steps, const Forgettable& forgettable) {
    for (std::size_t step = std::min(steps, ring_.size()); step > 0; --step) {
      hand_ = hand_ < ring_.size() ? hand_ : 0;
      node* const looked_at = ring_[hand_];
      if (!forgettable(std::as_const(looked_at->value))) {
        ++hand_;
        continue;
      }
      ring_[hand_] = ring_.back();
      ring_.pop_back();
      hosts_.erase(hosts_.find(looked_at->key));
    }
  }

  boost::unordered_flat_map<std::string, std::unique_ptr<node>, text_hash, std::equal_to<>> hosts_;
  std::vector<node*> ring_;
  std::size_t hand_ = 0;
  std::size_t most_;
};

}  // namespace robots::detail
