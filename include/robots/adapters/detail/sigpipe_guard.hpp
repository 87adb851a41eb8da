#pragma once

#include <signal.h>

namespace robots::adapters_detail {

/// While it exists, protects its thread from SIGPIPE. This signal ends a program that writes to a
/// socket whose other end is closed. The program's own handler of SIGPIPE does not change.
class sigpipe_guard {
 public:
  sigpipe_guard() noexcept {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    was_pending_ = is_pending();
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  sigpipe_guard(const sigpipe_guard&) = delete;
  sigpipe_guard& operator=(const sigpipe_guard&) = delete;
  ~sigpipe_guard() {
    if (int signal = 0; !was_pending_ && is_pending()) {
      ::sigwait(&pipe_, &signal);
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  [[nodiscard]] static bool is_pending() noexcept {
    sigset_t pending;
    ::sigpending(&pending);
    return ::sigismember(&pending, SIGPIPE) == 1;
  }

  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace robots::adapters_detail
