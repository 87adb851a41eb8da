#pragma once

#include <robots/base/text_nodes.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace robots::base {

/// A hash table from texts to values. A value does not move. Unlike the tables of Boost, it takes
/// the compiler little time, but each entry has its own memory.
template <class Value>
class text_table {
 public:
  /// Returns the value of a key, or null.
  [[nodiscard]] Value* find(std::string_view key) noexcept { return value_of(nodes_.find(key)); }
  [[nodiscard]] const Value* find(std::string_view key) const noexcept {
    return value_of(nodes_.find(key));
  }
  [[nodiscard]] bool contains(std::string_view key) const noexcept {
    return nodes_.find(key) != nullptr;
  }

  /// Returns the value of a key. If the table lacks the key, first adds it with a new value.
  Value& operator[](std::string_view key) {
    if (Value* const found = find(key)) {
      return *found;
    }
    auto added = std::make_unique<entry>(key);
    Value& value = added->value;
    nodes_.make_room();
    nodes_.add(std::move(added));
    return value;
  }

  /// Returns false if there is no such key.
  bool erase(std::string_view key) noexcept {
    const text_nodes::node* const found = nodes_.find(key);
    return found != nullptr && nodes_.take(*found) != nullptr;
  }

  void clear() noexcept { nodes_.clear(); }

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Calls `visit(key, value)` for each entry, in no particular order. `visit` may change the
  /// value, but not the table.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (text_nodes::node* next = nodes_.first(); next != nullptr; next = nodes_.after(*next)) {
      visit(next->key, *value_of(next));
    }
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    visit_while([&visit](std::string_view key, const Value& value) {
      visit(key, value);
      return true;
    });
  }

  /// Calls `visit(key, value)` until it returns false, at most once for each entry, in no
  /// particular order. `visit` must not change the table.
  template <class Visit>
  void visit_while(const Visit& visit) const {
    const text_nodes::node* next = nodes_.first();
    while (next != nullptr && visit(next->key, static_cast<const entry*>(next)->value)) {
      next = nodes_.after(*next);
    }
  }

 private:
  struct entry final : text_nodes::node {
    using node::node;
    Value value{};
  };

  [[nodiscard]] static Value* value_of(text_nodes::node* found) noexcept {
    return found == nullptr ? nullptr : &static_cast<entry*>(found)->value;
  }

  text_nodes nodes_;
};

}  // namespace robots::base
