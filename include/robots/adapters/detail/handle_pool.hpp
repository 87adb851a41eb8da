#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Lends handles to any thread. Lends the handle that was returned last, since the connections of
/// this handle are the freshest. Makes a new handle if none is idle. The pool must outlive all lent
/// handles.
template <class Handle>
class handle_pool {
 public:
  using factory = std::function<std::unique_ptr<Handle>()>;

  handle_pool(factory make, std::size_t max_idle) : make_(std::move(make)), max_idle_(max_idle) {}

  struct giver {
    void operator()(Handle* handle) const noexcept {
      pool->give_back(std::unique_ptr<Handle>(handle));
    }

    handle_pool* pool = nullptr;
  };
  /// A handle for one call. The handle returns to the pool when the loan ends.
  using loan = std::unique_ptr<Handle, giver>;

  /// Lends a handle. Throws what the factory throws.
  [[nodiscard]] loan lend() {
    std::unique_ptr<Handle> handle;
    if (const std::lock_guard lock(mutex_); !idle_.empty()) {
      handle = std::move(idle_.back());
      idle_.pop_back();
    }
    return loan((handle ? std::move(handle) : make_()).release(), giver{this});
  }

 private:
  // If the pool is full, `handle` is destroyed after the release of the lock, since closing its
  // connections takes time.
  void give_back(std::unique_ptr<Handle> handle) noexcept {
    const std::lock_guard lock(mutex_);
    if (idle_.size() >= max_idle_) {
      return;
    }
    try {
      idle_.push_back(std::move(handle));
    } catch (...) {
      return;  // there is no memory to keep the handle, so it is destroyed
    }
  }

  factory make_;
  std::size_t max_idle_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Handle>> idle_;
};

}  // namespace robots::adapters_detail
