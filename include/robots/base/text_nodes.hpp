#pragma once

#include <robots/base/config.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::base {

/// The part of a hash table with texts as keys that does not depend on the type of the values. It
/// is no template, so each further type of value takes the compiler little time.
///
///     buckets_[hash % number of buckets] --> node --> next node of the same bucket --> null
///
/// There are at most as many nodes as buckets. The table owns its nodes, which do not move. A class
/// that is derived from `node` adds the value.
class text_nodes {
 public:
  struct node {
    explicit node(std::string_view own_key);
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    virtual ~node() = default;

    const std::string key;
    const std::size_t hash;
    node* next = nullptr;  ///< the next node of the same bucket
  };

  text_nodes() = default;
  text_nodes(text_nodes&& other) noexcept
      : buckets_(std::exchange(other.buckets_, {})), size_(std::exchange(other.size_, 0)) {}
  text_nodes& operator=(text_nodes&& other) noexcept {
    buckets_.swap(other.buckets_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~text_nodes() { clear(); }

  /// Returns the node of a key, or null.
  [[nodiscard]] node* find(std::string_view key) const noexcept;

  /// Makes room for one more node. Changes nothing if it throws `std::bad_alloc`.
  void make_room();

  /// Adds a node whose key is new. Call `make_room` first.
  void add(std::unique_ptr<node> added) noexcept;

  /// Removes a node of the table.
  std::unique_ptr<node> take(const node& gone) noexcept;

  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns the first node, or null if there is none.
  [[nodiscard]] node* first() const noexcept { return first_from(0); }

  /// Returns the node after `last`, in no particular order, or null if `last` is the last node.
  [[nodiscard]] node* after(const node& last) const noexcept;

 private:
  [[nodiscard]] std::size_t place_of(std::size_t hash) const noexcept {
    return hash & (buckets_.size() - 1);
  }
  [[nodiscard]] node* first_from(std::size_t place) const noexcept;

  std::vector<node*> buckets_;  // none, or a power of two
  std::size_t size_ = 0;
};

}  // namespace robots::base

#ifndef ROBOTS_COMPILED
#include <robots/base/text_nodes.bodies.hpp>
#endif
