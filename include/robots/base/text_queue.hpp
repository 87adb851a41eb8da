#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace robots::base {

/// A queue of texts of bounded size, and a thread that hands them to a function: whoever adds one
/// never waits for that function, however long it takes.
class text_queue {
 public:
  /// Takes texts in their order, as many at once as wait, and may change them. Does not throw.
  using writer = std::function<void(std::vector<std::string>& texts)>;

  /// At most about `capacity` octets wait, or are being written. Throws what `std::thread` throws.
  text_queue(std::size_t capacity, writer write)
      : capacity_{capacity}, write_{std::move(write)}, thread_{[this] { run(); }} {}
  text_queue(const text_queue&) = delete;
  text_queue& operator=(const text_queue&) = delete;

  /// Ends when what waits is written.
  ~text_queue() {
    {
      const std::scoped_lock lock{mutex_};
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Adds a text, unless there is no room: then it is gone, and this is false. Any thread.
  [[nodiscard]] bool push(std::string text) {
    {
      const std::scoped_lock lock{mutex_};
      const std::size_t size = sizeof(std::string) + text.size();
      if (size > capacity_ - used_) {
        return false;
      }
      waiting_.push_back(std::move(text));
      used_ += size;
      ++pushed_;
    }
    changed_.notify_all();
    return true;
  }

  /// Returns when all that was added before is written. Any thread but the writing one.
  void flush() {
    std::unique_lock lock{mutex_};
    const std::uint64_t last = pushed_;
    changed_.wait(lock, [&] { return written_ >= last; });
  }

 private:
  void run() {
    std::vector<std::string> texts;
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (waiting_.empty()) {
        return;
      }
      texts.swap(waiting_);
      const std::size_t size = used_;
      const std::size_t count = texts.size();
      lock.unlock();
      write_(texts);
      texts.clear();
      lock.lock();
      used_ -= size;
      written_ += count;
      changed_.notify_all();
    }
  }

  const std::size_t capacity_;
  const writer write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> waiting_;
  std::size_t used_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t written_ = 0;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace robots::base
