#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/base/text_nodes.hpp>

#include <algorithm>

namespace robots::base {

ROBOTS_INLINE text_nodes::node::node(std::string_view own_key)
    : key(own_key), hash(text_hash{}(own_key)) {}

ROBOTS_INLINE text_nodes::node* text_nodes::find(std::string_view key) const noexcept {
  if (buckets_.empty()) {
    return nullptr;
  }
  node* found = buckets_[place_of(text_hash{}(key))];
  while (found != nullptr && found->key != key) {
    found = found->next;
  }
  return found;
}

ROBOTS_INLINE void text_nodes::make_room() {
  constexpr std::size_t fewest_buckets = 8;
  if (size_ < buckets_.size()) {
    return;
  }
  std::vector<node*> before((std::max)(2 * buckets_.size(), fewest_buckets));
  before.swap(buckets_);
  for (node* next : before) {
    while (next != nullptr) {
      node* const moved = std::exchange(next, next->next);
      moved->next = std::exchange(buckets_[place_of(moved->hash)], moved);
    }
  }
}

ROBOTS_INLINE void text_nodes::add(std::unique_ptr<node> added) noexcept {
  node*& bucket = buckets_[place_of(added->hash)];
  added->next = bucket;
  bucket = added.release();
  ++size_;
}

ROBOTS_INLINE std::unique_ptr<text_nodes::node> text_nodes::take(const node& gone) noexcept {
  node** link = &buckets_[place_of(gone.hash)];
  while (*link != &gone) {
    link = &(*link)->next;
  }
  --size_;
  return std::unique_ptr<node>{std::exchange(*link, gone.next)};
}

ROBOTS_INLINE void text_nodes::clear() noexcept {
  for (node*& bucket : buckets_) {
    while (bucket != nullptr) {
      const std::unique_ptr<node> gone{std::exchange(bucket, bucket->next)};
    }
  }
  size_ = 0;
}

ROBOTS_INLINE text_nodes::node* text_nodes::after(const node& last) const noexcept {
  return last.next != nullptr ? last.next : first_from(place_of(last.hash) + 1);
}

ROBOTS_INLINE text_nodes::node* text_nodes::first_from(std::size_t place) const noexcept {
  while (place < buckets_.size() && buckets_[place] == nullptr) {
    ++place;
  }
  return place < buckets_.size() ? buckets_[place] : nullptr;
}

}  // namespace robots::base
