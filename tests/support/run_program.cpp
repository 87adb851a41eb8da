#include "support/run_program.hpp"

#include "support/temporary_folder.hpp"
#include "support/text_of.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

extern "C" char** environ;

namespace robots::test {
namespace {

void require(int error, const std::string& kind) {
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), kind);
  }
}

/// Opens files as the standard streams of a program. A pipe would block the program when the pipe
/// is full.
class redirections {
 public:
  redirections() { require(posix_spawn_file_actions_init(&actions_), "posix_spawn"); }
  redirections(const redirections&) = delete;
  redirections& operator=(const redirections&) = delete;
  ~redirections() { posix_spawn_file_actions_destroy(&actions_); }

  void open(int stream, const std::filesystem::path& file, int flags) {
    constexpr mode_t owner_only = 0600;
    require(posix_spawn_file_actions_addopen(&actions_, stream, file.c_str(), flags, owner_only),
            file.string());
  }

  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

std::vector<std::string> program_result::lines() const {
  std::vector<std::string> all;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    all.push_back(line);
  }
  return all;
}

program_result run_program(const std::string& program, const std::vector<std::string>& arguments,
                           std::string_view input) {
  const temporary_folder folder;
  const auto input_file = folder.path() / "in";
  const auto output_file = folder.path() / "out";
  const auto error_file = folder.path() / "err";
  std::ofstream(input_file, std::ios::binary) << input;

  redirections streams;
  streams.open(STDIN_FILENO, input_file, O_RDONLY);
  streams.open(STDOUT_FILENO, output_file, O_WRONLY | O_CREAT);
  streams.open(STDERR_FILENO, error_file, O_WRONLY | O_CREAT);

  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    words.push_back(const_cast<char*>(argument.c_str()));
  }
  words.push_back(nullptr);
  pid_t child = 0;
  require(posix_spawn(&child, program.c_str(), streams.get(), nullptr, words.data(), environ),
          program);
  int ended = 0;
  while (waitpid(child, &ended, 0) == -1) {
    require(errno == EINTR ? 0 : errno, program);
  }
  return {.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1,
          .output = text_of(output_file),
          .errors = text_of(error_file)};
}

}  // namespace robots::test
