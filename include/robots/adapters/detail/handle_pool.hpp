#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Lends handles to any thread. Lends the handle that was returned last, since its connections are
/// the freshest. Makes a new handle if none is idle. The pool must outlive all lent handles.
template <class Handle>
class handle_pool {
 public:
  using factory = std::function<std::unique_ptr<Handle>()>;
  /// A handle for one call. The handle returns to the pool when the loan ends.
  using loan = std::unique_ptr<Handle, std::function<void(Handle*)>>;

  handle_pool(factory make, std::size_t max_idle) : make_{std::move(make)}, max_idle_{max_idle} {}

  /// Lends a handle. Throws what the factory throws.
  [[nodiscard]] loan lend() {
    loan idle = lend_idle();
    return idle ? std::move(idle) : lent(make_());
  }

  /// Like `lend`, but makes a new handle only if `may_make()` returns true. Otherwise returns an
  /// empty loan. Makes one handle at a time.
  template <class Condition>
  [[nodiscard]] loan lend_if(const Condition& may_make) {
    loan idle = lend_idle();
    if (idle) {
      return idle;
    }
    const std::scoped_lock lock{making_};
    return may_make() ? lent(make_()) : loan{};
  }

 private:
  [[nodiscard]] loan lend_idle() {
    const std::scoped_lock lock{mutex_};
    if (idle_.empty()) {
      return {};
    }
    loan idle = lent(std::move(idle_.back()));
    idle_.pop_back();
    return idle;
  }

  [[nodiscard]] loan lent(std::unique_ptr<Handle> handle) {
    return loan{handle.release(), [this](Handle* used) { keep(std::unique_ptr<Handle>{used}); }};
  }

  /// Keeps a handle if there is room. Otherwise, the caller still has the handle, and destroys it
  /// after `mutex_` is unlocked, since closing connections takes time.
  void keep(std::unique_ptr<Handle>&& handle) noexcept {
    const std::scoped_lock lock{mutex_};
    try {
      if (idle_.size() < max_idle_) {
        idle_.push_back(std::move(handle));
      }
    } catch (...) {
      return;  // there is no memory to keep the handle
    }
  }

  factory make_;
  std::size_t max_idle_;
  std::mutex making_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Handle>> idle_;
};

}  // namespace robots::adapters_detail
