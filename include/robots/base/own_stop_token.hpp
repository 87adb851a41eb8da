#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

/// The part of <stop_token> that the library uses, for standard libraries without it: libc++ up to
/// version 19, and Xcode's. See `base/stop_token.hpp`.
namespace robots::base {

class own_stop_token;

/// A function that is called when a stop is requested.
class stop_listener {
 public:
  stop_listener() = default;
  stop_listener(const stop_listener&) = delete;
  stop_listener& operator=(const stop_listener&) = delete;
  virtual void stop() noexcept = 0;

 protected:
  ~stop_listener() = default;
};

/// The state that a source shares with its tokens and callbacks.
class stop_state {
 public:
  [[nodiscard]] bool requested() {
    const std::scoped_lock lock{mutex_};
    return requested_;
  }

  /// Calls all listeners if this is the first request.
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
      stop_listener* const called = running_;
      lock.unlock();
      called->stop();
      lock.lock();
      running_ = nullptr;
      ended_.notify_all();
    }
    return true;
  }

  /// Returns false if a stop has been requested already. Then the caller calls the listener.
  bool add(stop_listener* listener) {
    const std::scoped_lock lock{mutex_};
    if (!requested_) {
      listeners_.push_back(listener);
    }
    return !requested_;
  }

  /// Waits for a running call of the listener, unless this thread is in that call.
  void remove(stop_listener* listener) {
    std::unique_lock lock{mutex_};
    listeners_.remove(listener);
    if (caller_ != std::this_thread::get_id()) {
      ended_.wait(lock, [&] { return running_ != listener; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<stop_listener*> listeners_;
  stop_listener* running_ = nullptr;
  std::thread::id caller_;
  bool requested_ = false;
};

struct own_nostopstate_t {
  explicit own_nostopstate_t() = default;
};

/// Like `std::stop_token`.
class own_stop_token {
 public:
  own_stop_token() = default;
  explicit own_stop_token(std::shared_ptr<stop_state> state) : state_(std::move(state)) {}

  [[nodiscard]] bool stop_requested() const noexcept { return state_ && state_->requested(); }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }

 private:
  template <class Callback>
  friend class own_stop_callback;

  std::shared_ptr<stop_state> state_;
};

/// Like `std::stop_source`.
class own_stop_source {
 public:
  own_stop_source() : state_(std::make_shared<stop_state>()) {}
  explicit own_stop_source(own_nostopstate_t /*none*/) noexcept {}

  [[nodiscard]] own_stop_token get_token() const noexcept { return own_stop_token{state_}; }
  [[nodiscard]] bool stop_requested() const noexcept { return state_ && state_->requested(); }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }
  bool request_stop() const noexcept { return state_ && state_->request(); }

 private:
  std::shared_ptr<stop_state> state_;
};

/// Like `std::stop_callback`.
template <class Callback>
class own_stop_callback final : stop_listener {
 public:
  template <class From>
  own_stop_callback(const own_stop_token& token, From&& callback)
      : callback_(std::forward<From>(callback)), state_(token.state_) {
    if (state_ && !state_->add(this)) {
      callback_();
    }
  }
  own_stop_callback(const own_stop_callback&) = delete;
  own_stop_callback& operator=(const own_stop_callback&) = delete;
  ~own_stop_callback() {
    if (state_) {
      state_->remove(this);
    }
  }

 private:
  void stop() noexcept override { callback_(); }

  Callback callback_;
  std::shared_ptr<stop_state> state_;
};

template <class Callback>
own_stop_callback(own_stop_token, Callback) -> own_stop_callback<std::decay_t<Callback>>;

/// Like `std::jthread`, for a function that takes a token.
class own_jthread {
 public:
  own_jthread() noexcept : source_(own_nostopstate_t{}) {}
  template <class Run, class... Arguments>
  explicit own_jthread(Run&& run, Arguments&&... arguments)
      : source_(),
        thread_(std::forward<Run>(run), source_.get_token(),
                std::forward<Arguments>(arguments)...) {}
  own_jthread(own_jthread&& other) noexcept = default;
  own_jthread& operator=(own_jthread&& other) noexcept {
    if (this != &other) {
      end();
      source_ = std::move(other.source_);
      thread_ = std::move(other.thread_);
    }
    return *this;
  }
  own_jthread(const own_jthread&) = delete;
  own_jthread& operator=(const own_jthread&) = delete;
  ~own_jthread() { end(); }

  bool request_stop() const noexcept { return source_.request_stop(); }
  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }
  void join() { thread_.join(); }

 private:
  void end() noexcept {
    if (thread_.joinable()) {
      source_.request_stop();
      thread_.join();
    }
  }

  own_stop_source source_;
  std::thread thread_;
};

}  // namespace robots::base
