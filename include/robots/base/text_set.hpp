#pragma once

#include <robots/base/text_nodes.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace robots::base {

/// A hash table of texts, like `text_table` without values.
class text_set {
 public:
  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    return nodes_.find(text) != nullptr;
  }

  /// Returns false if the set has the text already.
  bool insert(std::string_view text) {
    if (contains(text)) {
      return false;
    }
    auto added = std::make_unique<text_nodes::node>(text);
    nodes_.make_room();
    nodes_.add(std::move(added));
    return true;
  }

  /// Returns false if there is no such text.
  bool erase(std::string_view text) noexcept {
    const text_nodes::node* const found = nodes_.find(text);
    return found != nullptr && nodes_.take(*found) != nullptr;
  }

  void clear() noexcept { nodes_.clear(); }

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Calls `visit(text)` for each text, in no particular order. `visit` must not change the set.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const text_nodes::node* next = nodes_.first(); next != nullptr;
         next = nodes_.after(*next)) {
      visit(next->key);
    }
  }

 private:
  text_nodes nodes_;
};

}  // namespace robots::base
