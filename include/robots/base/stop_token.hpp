#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <version>

#ifdef __cpp_lib_jthread
#include <stop_token>
#endif

/// The part of <stop_token> that the library uses, for standard libraries without <stop_token>.
/// These libraries are libc++ up to version 19, and the library of Xcode. This file can go, and
/// `robots::stop_token` can be `std::stop_token`, when no supported platform has an
/// older libc++: then `__cpp_lib_jthread` is always defined.
namespace robots::base {

/// The state that a source shares with its tokens and callbacks.
struct stop_state {
  using listener = const std::function<void()>*;

  std::atomic<bool> is_requested = false;  // changes while `mutex` is locked
  std::mutex mutex;                        // guards the members below
  std::condition_variable ended;
  std::list<listener> listeners;
  listener running = nullptr;
  std::thread::id caller;
};

/// Replaces `std::stop_token`.
struct own_stop_token {
  [[nodiscard]] bool stop_requested() const noexcept { return state && state->is_requested; }
  [[nodiscard]] bool stop_possible() const noexcept { return state != nullptr; }

  std::shared_ptr<stop_state> state{};
};

/// Replaces `std::stop_source`.
class own_stop_source {
 public:
  [[nodiscard]] own_stop_token get_token() const noexcept { return {state_}; }
  [[nodiscard]] bool stop_requested() const noexcept { return state_->is_requested; }

  bool request_stop() const noexcept {
    const auto state = state_;  // a listener may destroy this source
    std::unique_lock lock{state->mutex};
    if (state->is_requested.exchange(true)) {
      return false;
    }
    state->caller = std::this_thread::get_id();
    while (!state->listeners.empty()) {
      state->running = state->listeners.front();
      state->listeners.pop_front();
      lock.unlock();
      (*state->running)();
      lock.lock();
      state->running = nullptr;
      state->ended.notify_all();
    }
    return true;
  }

 private:
  std::shared_ptr<stop_state> state_ = std::make_shared<stop_state>();
};

/// Replaces `std::stop_callback<std::function<void()>>`.
class own_stop_callback {
 public:
  own_stop_callback(const own_stop_token& token, std::function<void()> callback)
      : callback_(std::move(callback)), state_(token.state) {
    if (!state_) {
      return;
    }
    std::unique_lock lock{state_->mutex};
    if (!state_->is_requested) {
      state_->listeners.push_back(&callback_);
      return;
    }
    lock.unlock();
    callback_();
  }
  own_stop_callback(const own_stop_callback&) = delete;
  own_stop_callback& operator=(const own_stop_callback&) = delete;

  /// If another thread is calling the callback, waits until that call ends.
  ~own_stop_callback() {
    if (state_) {
      std::unique_lock lock{state_->mutex};
      state_->listeners.remove(&callback_);
      if (state_->caller != std::this_thread::get_id()) {
        state_->ended.wait(lock, [this] { return state_->running != &callback_; });
      }
    }
  }

 private:
  const std::function<void()> callback_;
  std::shared_ptr<stop_state> state_;
};

/// Replaces `std::jthread`. The function of the thread must take a token.
class own_jthread {
 public:
  own_jthread() = default;
  template <class Run, class... Arguments>
  explicit own_jthread(Run&& run, Arguments&&... arguments)
      : source_{},
        thread_(std::forward<Run>(run), source_.get_token(),
                std::forward<Arguments>(arguments)...) {}
  own_jthread(own_jthread&& other) noexcept = default;
  own_jthread& operator=(own_jthread other) noexcept {
    std::swap(source_, other.source_);
    thread_.swap(other.thread_);
    return *this;
  }
  ~own_jthread() {
    if (thread_.joinable()) {
      source_.request_stop();
      thread_.join();
    }
  }

 private:
  own_stop_source source_{};
  std::thread thread_{};
};

#ifdef __cpp_lib_jthread
using jthread = std::jthread;
#else
using jthread = own_jthread;
#endif

}  // namespace robots::base

namespace robots {

#ifdef __cpp_lib_jthread
/// `std::stop_token`, or `base::own_stop_token` if the standard library has no `std::stop_token`.
using stop_token = std::stop_token;
/// `std::stop_source`, or a class like it.
using stop_source = std::stop_source;
/// `std::stop_callback`, or a class like it.
template <class Callback>
using stop_callback = std::stop_callback<Callback>;
#else
using stop_token = base::own_stop_token;
using stop_source = base::own_stop_source;
template <class Callback>
using stop_callback = base::own_stop_callback;
#endif

}  // namespace robots
