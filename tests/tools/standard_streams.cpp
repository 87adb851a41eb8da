#include "standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace robots::check {

bool open_standard_streams() {
  bool has_output = true;
  for (const int stream : std::array{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) {
      continue;
    }
    has_output = has_output && stream != STDOUT_FILENO;
    // `open` returns the lowest free number. That is `stream`, since all lower numbers are open.
    if (::open("/dev/null", O_RDWR) != stream) {
      throw std::system_error{errno, std::generic_category(), "cannot open /dev/null"};
    }
  }
  return has_output;
}

}  // namespace robots::check
