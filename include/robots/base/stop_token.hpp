#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <version>

#if defined(__cpp_lib_jthread) && !defined(ROBOTS_OWN_STOP_TOKEN)
#include <stop_token>
#endif

/// The part of <stop_token> that the library uses, for standard libraries without <stop_token>.
/// These are libc++ up to version 19, and Xcode's.
namespace robots::base {

/// The state that a source shares with its tokens and callbacks.
class stop_state {
 public:
  using listener = const std::function<void()>*;

  [[nodiscard]] bool requested() {
    const std::scoped_lock lock{mutex_};
    return requested_;
  }

  /// Calls all listeners and returns true if this is the first request. Else returns false.
  bool request() {
    std::unique_lock lock{mutex_};
    if (requested_) {
      return false;
    }
    requested_ = true;
    caller_ = std::this_thread::get_id();
    while (!listeners_.empty()) {
      running_ = listeners_.front();
      listeners_.pop_front();
      lock.unlock();
      (*running_)();
      lock.lock();
      running_ = nullptr;
      ended_.notify_all();
    }
    return true;
  }

  /// Adds a listener and returns true. If a stop was requested before, adds nothing and returns
  /// false; then the caller of `add` must call the listener.
  bool add(listener added) {
    const std::scoped_lock lock{mutex_};
    if (!requested_) {
      listeners_.push_back(added);
    }
    return !requested_;
  }

  /// Removes a listener. Waits until a running call of the listener ends, unless this thread makes
  /// that call.
  void remove(listener removed) {
    std::unique_lock lock{mutex_};
    listeners_.remove(removed);
    if (caller_ != std::this_thread::get_id()) {
      ended_.wait(lock, [&] { return running_ != removed; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<listener> listeners_;
  listener running_ = nullptr;
  std::thread::id caller_;
  bool requested_ = false;
};

/// Replaces `std::stop_token`.
class own_stop_token {
 public:
  own_stop_token() = default;
  explicit own_stop_token(std::shared_ptr<stop_state> state) : state_(std::move(state)) {}

  [[nodiscard]] bool stop_requested() const noexcept { return state_ && state_->requested(); }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }

 private:
  friend class own_stop_callback;

  std::shared_ptr<stop_state> state_;
};

/// Replaces `std::stop_source`.
class own_stop_source {
 public:
  [[nodiscard]] own_stop_token get_token() const noexcept { return own_stop_token{state_}; }
  [[nodiscard]] bool stop_requested() const noexcept { return state_->requested(); }
  bool request_stop() const noexcept { return state_->request(); }

 private:
  std::shared_ptr<stop_state> state_ = std::make_shared<stop_state>();
};

/// Replaces `std::stop_callback<std::function<void()>>`.
class own_stop_callback {
 public:
  own_stop_callback(const own_stop_token& token, std::function<void()> callback)
      : callback_(std::move(callback)), state_(token.state_) {
    if (state_ && !state_->add(&callback_)) {
      callback_();
    }
  }
  own_stop_callback(const own_stop_callback&) = delete;
  own_stop_callback& operator=(const own_stop_callback&) = delete;
  ~own_stop_callback() {
    if (state_) {
      state_->remove(&callback_);
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
      : source_(),
        thread_(std::forward<Run>(run), source_.get_token(),
                std::forward<Arguments>(arguments)...) {}
  own_jthread(own_jthread&& other) noexcept = default;
  own_jthread& operator=(own_jthread other) noexcept {
    source_ = std::exchange(other.source_, source_);
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

}  // namespace robots::base

namespace robots {

#if defined(__cpp_lib_jthread) && !defined(ROBOTS_OWN_STOP_TOKEN)
/// `std::stop_token`, or a class like it if the standard library has none.
using stop_token = std::stop_token;
/// `std::stop_source`, or a class like it.
using stop_source = std::stop_source;
/// `std::stop_callback`, or a class like it.
template <class Callback>
using stop_callback = std::stop_callback<Callback>;

namespace base {

using jthread = std::jthread;

}  // namespace base
#else
using stop_token = base::own_stop_token;
using stop_source = base::own_stop_source;
template <class Callback>
using stop_callback = base::own_stop_callback;

namespace base {

using jthread = own_jthread;

}  // namespace base
#endif

}  // namespace robots
