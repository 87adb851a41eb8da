// A gate at which threads wait until a test opens it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace robots::test {

/// A gate is closed until `open()`, and stays open then. Any thread may call its members.
class gate {
 public:
  /// Waits until the gate is open.
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  /// Waits until `pass()` was called `count` times. The calls may still wait.
  void wait_for_arrivals(std::size_t count = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return arrived_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  bool open_ = false;
};

}  // namespace robots::test
