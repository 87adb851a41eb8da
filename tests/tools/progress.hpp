// A line that shows the progress of long work.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace robots::check {

/// Shows the count and the time so far on standard error, once a second until it is destroyed.
/// Shows nothing if standard error is not a terminal.
class progress {
 public:
  explicit progress(std::string text, bool is_shown = true) : text_{std::move(text)} {
    if (is_shown && ::isatty(STDERR_FILENO) == 1) {
      writer_ = std::jthread{[this](const std::stop_token& stop) { write_until(stop); }};
    }
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() = default;

  void count() noexcept { ++count_; }

 private:
  void write_until(const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock{mutex_};
    do {
      const auto elapsed =
          std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
      const std::uint64_t counted = count_;
      // The cursor returns to the start of the line, so that the next message overwrites it.
      std::fprintf(stderr, "%s%s, %lld s\033[K\r",
                   (counted > 0 ? std::to_string(counted) + ' ' : "").c_str(), text_.c_str(),
                   static_cast<long long>(elapsed.count()));
    } while (!stopped_.wait_for(lock, stop, std::chrono::seconds{1},
                                [&stop] { return stop.stop_requested(); }));
    std::fputs("\033[K", stderr);
  }

  const std::string text_;
  std::atomic<std::uint64_t> count_ = 0;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread writer_;  // the last member, since its thread uses the others
};

}  // namespace robots::check
