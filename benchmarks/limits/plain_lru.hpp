// The simplest cache for robots.txt files. It evicts the entries that were not used for the longest
// time, and returns shared pointers. Any thread may call it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace bench {

/// It has a list, a hash table of the list's entries, and a mutex. A look-up copies a shared
/// pointer and reads the clock.
template <class Value>
class plain_lru {
 public:
  explicit plain_lru(std::size_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::shared_ptr<const Value> find(std::string_view key) {
    const auto now = std::chrono::steady_clock::now();
    const std::scoped_lock lock{mutex_};
    const auto found = index_.find(key);
    if (found == index_.end() || found->second->until <= now) {
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  void store(std::string_view key, std::shared_ptr<const Value> value) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::hours{24};
    const std::scoped_lock lock{mutex_};
    entries_.push_front({std::string{key}, std::move(value), until});
    index_[entries_.front().key] = entries_.begin();
    if (entries_.size() > capacity_) {
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
  }

 private:
  struct node {
    std::string key;
    std::shared_ptr<const Value> value;
    std::chrono::steady_clock::time_point until;
  };

  std::size_t capacity_;
  std::mutex mutex_;
  std::list<node> entries_;
  boost::unordered_flat_map<std::string_view, typename std::list<node>::iterator,
                            std::hash<std::string_view>>
      index_;
};

}  // namespace bench
