// A program that runs during a test.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

extern "C" char** environ;

namespace robots::test {

/// Runs a program, given by its path. The destructor kills it.
class child_process {
 public:
  /// Starts a program, and appends its output to the file `log`. Throws std::runtime_error if the
  /// program cannot be run.
  child_process(const std::vector<std::string>& command, const std::string& log) {
    std::vector<char*> words;
    for (const std::string& word : command) {
      words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    constexpr mode_t owner_only = 0600;
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, owner_only);
    posix_spawn_file_actions_adddup2(&streams, STDOUT_FILENO, STDERR_FILENO);
    const int error =
        ::posix_spawn(&child_, words.front(), &streams, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&streams);
    if (error != 0) {
      throw std::runtime_error("cannot run " + command.front());
    }
  }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process() {
    if (child_ != 0) {
      ::kill(child_, SIGKILL);
      wait();
    }
  }

  /// Waits for the end of the program. Returns its exit status, or -1 if a signal ended it.
  int wait() {
    int ended = 0;
    ::waitpid(std::exchange(child_, 0), &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  }

  /// Stops the program until `resume`, like a machine that no longer answers.
  void freeze() const { ::kill(child_, SIGSTOP); }
  void resume() const { ::kill(child_, SIGCONT); }

  /// Returns true if the program has ended by itself.
  [[nodiscard]] bool has_ended() const {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid != 0;
  }

 private:
  pid_t child_ = 0;
};

}  // namespace robots::test
