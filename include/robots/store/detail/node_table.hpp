#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/store/detail/inline_text.hpp>
#include <robots/store/detail/use_steps.hpp>
#include <robots/store/storage.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::store_detail {

/// A key and its hash, which is taken before a lock.
struct hashed_key {
  explicit hashed_key(std::string_view key) noexcept : text(key), hash(base::text_hash{}(key)) {}

  std::string_view text;
  std::size_t hash;
};

/// An entry, its key, and when it was used. Two cache lines that processors fetch as a pair: all
/// that a look-up reads but the policy.
struct alignas(128) entry_node {
  use_steps::stamp used = 0;  // 0 while it is vacant
  cache_entry value{};
  std::size_t bytes = 0;        // of memory
  entry_node* next = nullptr;   // of those with the same place in the table, or of the vacant ones
  const void* rules = nullptr;  // what a query reads of the policy's rules, to be fetched ahead
  inline_text<44> key{};        // long enough for nearly all sites
};

/// Entries by their keys, in nodes that lie close together, stay where they are, and are used
/// again. No table of Boost's, as a look-up comes to the node by one pointer here, while a flat set
/// of pointers to nodes reads metadata first, and a flat map of nodes moves them.
class node_table {
 public:
  /// The node of a key; null when there is none.
  [[nodiscard]] entry_node* find(const hashed_key& key) const noexcept {
    if (heads_.empty()) {
      return nullptr;
    }
    entry_node* found = heads_[place_of(key.hash)];
    while (found != nullptr && found->key != key.text) {
      found = found->next;
    }
    return found;
  }

  /// A node for a key that has none. Changes nothing when it throws for want of memory.
  [[nodiscard]] entry_node& add(const hashed_key& key) {
    if (vacant_ == nullptr) {
      grow();
    }
    entry_node& added = *vacant_;
    added.key = key.text;
    vacant_ = added.next;
    link(added, key.hash);
    return added;
  }

  /// Makes the node vacant. Its value stays there, for the caller to take.
  void remove(entry_node& gone) noexcept {
    entry_node** link = &heads_[place_of(base::text_hash{}(gone.key.view()))];
    while (*link != &gone) {
      link = &(*link)->next;
    }
    *link = gone.next;
    gone.used = 0;
    gone.bytes = 0;
    gone.next = std::exchange(vacant_, &gone);
    --size_;
  }

  /// How many nodes are not vacant.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// How many nodes there are.
  [[nodiscard]] std::size_t slots() const noexcept { return chunks_.size() * chunk_size; }
  [[nodiscard]] entry_node& at(std::size_t slot) const noexcept {
    return (*chunks_[slot / chunk_size])[slot % chunk_size];
  }

 private:
  static constexpr std::size_t chunk_size = 32;  // 4 KiB

  using chunk = std::array<entry_node, chunk_size>;

  [[nodiscard]] std::size_t place_of(std::size_t hash) const noexcept {
    return hash & (heads_.size() - 1);
  }

  void link(entry_node& in, std::size_t hash) noexcept {
    in.next = std::exchange(heads_[place_of(hash)], &in);
    ++size_;
  }

  /// Makes more vacant nodes, while there are none.
  void grow() {
    const std::size_t all = slots() + chunk_size;
    if (heads_.size() < 2 * all) {
      heads_ = std::vector<entry_node*>(std::bit_ceil(2 * all));
      size_ = 0;
      for (std::size_t slot = 0; slot < slots(); ++slot) {
        link(at(slot), base::text_hash{}(at(slot).key.view()));
      }
    }
    chunks_.push_back(std::make_unique<chunk>());
    for (entry_node& each : *chunks_.back()) {
      each.next = std::exchange(vacant_, &each);
    }
  }

  std::vector<entry_node*> heads_;  // by hash; a power of two of them
  std::vector<std::unique_ptr<chunk>> chunks_;
  entry_node* vacant_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace robots::store_detail
