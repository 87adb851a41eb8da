#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace robots::detail {

/// Threads for work that nobody waits for, started when they are first needed and kept for more.
class background_threads {
 public:
  explicit background_threads(std::size_t most) noexcept : most_(most) {}
  background_threads(const background_threads&) = delete;
  background_threads& operator=(const background_threads&) = delete;

  /// Waits for the work under way.
  ~background_threads() {
    {
      const std::scoped_lock lock{mutex_};
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& each : threads_) {
      each.join();
    }
  }

  /// Begins `work` at once in a thread of its own; false, and nothing is begun, when all are busy.
  /// What `work` throws ends the program.
  [[nodiscard]] bool try_run(std::function<void()> work) {
    const std::scoped_lock lock{mutex_};
    if (idle_ > handed_.size()) {
      handed_.push_back(std::move(work));
      changed_.notify_one();
      return true;
    }
    if (threads_.size() == most_) {
      return false;
    }
    handed_.push_back(std::move(work));
    try {
      threads_.emplace_back([this] { serve(); });
    } catch (...) {
      handed_.pop_back();  // the system has no thread to give, or no memory for one
      return false;
    }
    return true;
  }

 private:
  void serve() {
    while (auto work = next()) {
      (*work)();
    }
  }

  [[nodiscard]] std::optional<std::function<void()>> next() {
    std::unique_lock lock{mutex_};
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !handed_.empty(); });
    --idle_;
    if (handed_.empty()) {
      return std::nullopt;
    }
    std::optional<std::function<void()>> work{std::move(handed_.back())};
    handed_.pop_back();
    return work;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> handed_;  // no more than there are threads coming for them
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace robots::detail
