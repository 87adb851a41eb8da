#pragma once

#include <robots/base/hash.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/detail/use_steps.hpp>
#include <robots/store/storage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::store_detail {

/// A key and its hash, which is computed before a lock is taken.
struct hashed_key {
  std::string_view text;
  std::size_t hash = base::text_hash{}(text);
};

/// An entry of a storage. In memory, the length of its key and the key follow it:
///
///     policy, times, epoch | used | next | rules | length | h o s t . e x a m p l e
///
/// Most entries are small, so each member counts. The order of the members avoids padding, and the
/// length needs no more than two octets.
struct entry_node : cache_entry {
  using length_type = std::uint16_t;
  static constexpr std::size_t longest_key = (std::numeric_limits<length_type>::max)();

  struct destroy {
    void operator()(entry_node* gone) const noexcept {
      std::destroy_at(gone);
      ::operator delete(gone);
    }
  };
  using owner = std::unique_ptr<entry_node, destroy>;

  [[nodiscard]] static owner make(std::string_view key) {
    void* const room = ::operator new(size_before_key() + key.size());
    owner added{new (room) entry_node{}};
    const auto length = static_cast<length_type>(key.size());
    std::memcpy(static_cast<char*>(room) + sizeof(entry_node), &length, sizeof(length));
    std::copy(key.begin(), key.end(), static_cast<char*>(room) + size_before_key());
    return added;
  }

  [[nodiscard]] std::string_view key() const noexcept {
    const char* const octets = reinterpret_cast<const char*>(this);
    length_type length = 0;
    std::memcpy(&length, octets + sizeof(entry_node), sizeof(length));
    return {octets + size_before_key(), length};
  }

  /// Returns the octets of memory that an entry with this key and policy needs.
  [[nodiscard]] static std::size_t bytes_of(std::string_view key, const cache_entry& entry) {
    return size_before_key() + key.size() + (entry.policy ? entry.policy->memory_bytes() : 0);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_of(key(), *this); }

  use_steps::mark used = 0;     ///< when the entry was last used
  entry_node* next = nullptr;   ///< the next entry in the same bucket or list
  const void* rules = nullptr;  ///< the rules of `policy`; a hit prefetches them for the query

 private:
  [[nodiscard]] static constexpr std::size_t size_before_key() noexcept {
    return sizeof(entry_node) + sizeof(length_type);
  }
};

/// Entries, in the order in which they were added. The list owns its entries.
class entry_list {
 public:
  entry_list() = default;
  entry_list(const entry_list&) = delete;
  entry_list& operator=(const entry_list&) = delete;
  ~entry_list() {
    while (take_first()) {
    }
  }

  void add(entry_node::owner owned) noexcept {
    owned->next = nullptr;
    entry_node* const added = owned.release();
    (last_ != nullptr ? last_->next : first_) = added;
    last_ = added;
  }

  /// Returns the first entry, or null if the list is empty.
  [[nodiscard]] entry_node::owner take_first() noexcept {
    entry_node* const taken = first_;
    if (taken != nullptr) {
      first_ = taken->next;
      last_ = first_ == nullptr ? nullptr : last_;
    }
    return entry_node::owner{taken};
  }

 private:
  entry_node* first_ = nullptr;
  entry_node* last_ = nullptr;
};

/// A hash table of entries. It owns its entries, which do not move.
///
///     buckets_[hash % number of buckets] --> entry --> next entry of the same bucket --> null
///
/// There are at most as many entries as buckets. A hit reads one cache line less than with the hash
/// tables of Boost. The search for old entries walks over the buckets, and continues where it has
/// stopped.
class entry_table {
 public:
  entry_table() = default;
  entry_table(entry_table&& other) noexcept
      : buckets_(std::exchange(other.buckets_, {})), size_(std::exchange(other.size_, 0)) {}
  entry_table& operator=(entry_table&& other) noexcept {
    buckets_.swap(other.buckets_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~entry_table() {
    for (entry_node*& bucket : buckets_) {
      while (bucket != nullptr) {
        static_cast<void>(unlink(bucket));
      }
    }
  }

  /// Returns the entry of a key, or null.
  [[nodiscard]] entry_node* find(const hashed_key& key) const noexcept {
    if (buckets_.empty()) {
      return nullptr;
    }
    entry_node* found = buckets_[place_of(key.hash)];
    while (found != nullptr && found->key() != key.text) {
      found = found->next;
    }
    return found;
  }

  /// Makes room for one more entry: doubles the number of buckets if necessary. Changes nothing if
  /// it throws `std::bad_alloc`.
  void make_room() {
    if (size_ < buckets_.size()) {
      return;
    }
    std::vector<entry_node*> before((std::max)(2 * buckets_.size(), fewest_buckets));
    before.swap(buckets_);
    size_ = 0;
    for (entry_node*& bucket : before) {
      while (bucket != nullptr) {
        entry_node::owner moved = unlink(bucket);
        const hashed_key key{moved->key()};
        add(key, std::move(moved));
      }
    }
  }

  /// Adds an entry whose key is new. Call `make_room` first.
  void add(const hashed_key& key, entry_node::owner added) noexcept {
    entry_node*& bucket = buckets_[place_of(key.hash)];
    added->next = bucket;
    bucket = added.release();
    ++size_;
  }

  /// Removes an entry of the table.
  [[nodiscard]] entry_node::owner take(entry_node& gone) noexcept {
    entry_node** link = &buckets_[place_of(hashed_key{gone.key()}.hash)];
    while (*link != &gone) {
      link = &(*link)->next;
    }
    --size_;
    return unlink(*link);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns the number of buckets, 0 or a power of two. It never becomes smaller.
  [[nodiscard]] std::size_t buckets() const noexcept { return buckets_.size(); }

  /// Returns the first entry of a bucket, or null.
  [[nodiscard]] entry_node* bucket(std::size_t place) const noexcept { return buckets_[place]; }

 private:
  static constexpr std::size_t fewest_buckets = 16;

  [[nodiscard]] std::size_t place_of(std::size_t hash) const noexcept {
    return hash & (buckets_.size() - 1);
  }

  [[nodiscard]] static entry_node::owner unlink(entry_node*& link) noexcept {
    return entry_node::owner{std::exchange(link, link->next)};
  }

  std::vector<entry_node*> buckets_;
  std::size_t size_ = 0;
};

}  // namespace robots::store_detail
