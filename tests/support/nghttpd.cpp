#include "nghttpd.hpp"

#include "raw_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

extern "C" char** environ;

namespace robots::test {

nghttpd::nghttpd(const std::string& program, const certificate& identity) {
  std::filesystem::create_directory(documents_);
  // Between choosing a port and listening on it, somebody else may take it.
  constexpr int tries = 5;
  for (int i = 0; i < tries; ++i) {
    port_ = closed_port().number();
    start(program, identity);
    if (wait_until_listening()) {
      return;
    }
    end();
  }
  throw std::runtime_error("nghttpd does not listen");
}

nghttpd::~nghttpd() { end(); }

void nghttpd::start(const std::string& program, const certificate& identity) {
  const std::vector<std::string> arguments{program,
                                           "--verbose",
                                           "--address=127.0.0.1",
                                           "--htdocs=" + documents_,
                                           std::to_string(port_),
                                           identity.key_file,
                                           identity.certificate_file};
  std::vector<char*> words;
  for (const std::string& argument : arguments) {
    words.push_back(const_cast<char*>(argument.c_str()));
  }
  words.push_back(nullptr);
  constexpr mode_t owner_only = 0600;
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, log_.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, owner_only);
  posix_spawn_file_actions_adddup2(&streams, STDOUT_FILENO, STDERR_FILENO);
  const int error =
      ::posix_spawn(&child_, program.c_str(), &streams, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  if (error != 0) {
    child_ = 0;
    throw std::runtime_error("cannot run " + program);
  }
}

bool nghttpd::wait_until_listening() const {
  while (said("listen 127.0.0.1:") == 0) {
    siginfo_t ended{};
    // Leaves what has ended for end() to take note of.
    ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid != 0) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

void nghttpd::end() {
  if (child_ > 0) {
    int ended = 0;
    ::kill(child_, SIGTERM);
    ::waitpid(child_, &ended, 0);
    child_ = 0;
  }
}

void nghttpd::put(std::string_view name, std::string_view content) const {
  std::ofstream(std::filesystem::path(documents_) / name, std::ios::binary) << content;
}

std::string nghttpd::url(std::string_view path, std::string_view host) const {
  return "https://" + std::string(host) + ':' + std::to_string(port_) + std::string(path);
}

std::string nghttpd::connect_all_to(int its_port) const {
  return ':' + std::to_string(its_port) + ":127.0.0.1:" + std::to_string(port_);
}

std::size_t nghttpd::said(std::string_view words) const {
  std::ifstream stream(log_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos;
       at = text.find(words, at + words.size())) {
    ++count;
  }
  return count;
}

}  // namespace robots::test
