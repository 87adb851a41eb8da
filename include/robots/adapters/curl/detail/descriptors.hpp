#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace robots::adapters_detail {

/// The file descriptors of an exchange: a socket, two for the wait for a name, and one for a file
/// of names or certificates.
inline constexpr std::size_t exchange_descriptors = 4;

/// The file descriptors for a new multi handle, which needs two to be woken, and one exchange.
inline constexpr std::size_t handle_descriptors = exchange_descriptors + 2;

inline constexpr const char* no_descriptor_text =
    "this process has no free file descriptor: raise its limit (ulimit -n), or lower "
    "curl_options::max_connections or the number of threads";

/// Returns true if an error of the system means that it has no more file descriptors or sockets.
[[nodiscard]] constexpr bool is_shortage(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/// Returns true if this process may open `number` file descriptors, at most
/// `handle_descriptors`. Takes about a microsecond.
[[nodiscard]] inline bool has_descriptors(std::size_t number) noexcept {
  std::array<int, handle_descriptors> copies{};
  std::size_t opened = 0;
  bool has_all = true;
  while (has_all && opened < (std::min)(number, copies.size())) {
    copies[opened] = ::fcntl(0, F_DUPFD_CLOEXEC, 0);
    if (copies[opened] < 0) {
      has_all = !is_shortage(errno);
      break;  // without a standard input, nothing is known
    }
    ++opened;
  }
  while (opened > 0) {
    ::close(copies[--opened]);
  }
  return has_all;
}

}  // namespace robots::adapters_detail
