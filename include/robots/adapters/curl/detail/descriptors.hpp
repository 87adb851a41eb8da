#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>

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

/// Estimates whether this process has free file descriptors, mostly without a system call. The
/// system gives a new socket the lowest free number. So all lower numbers are in use, and few
/// higher ones:
///
///     0 ........ number of the last socket .. used by other exchanges .. free ........ limit
///
/// Near the limit, after a shortage and before the first socket, this object asks the system. A
/// wrong estimate does no harm, since an exchange that lacks a descriptor waits for one.
class descriptor_supply {
 public:
  /// Notes the number of a socket that an exchange has opened.
  void note_socket(int number) noexcept { last_socket_ = static_cast<std::size_t>(number); }

  /// Notes that an exchange lacked a descriptor.
  void note_shortage() noexcept { last_socket_.reset(); }

  /// Returns true if this process may open the descriptors of one more exchange, `number` of them,
  /// while `running` exchanges run.
  [[nodiscard]] bool has(std::size_t number, std::size_t running) const noexcept {
    // Most exchanges have one descriptor. Those that look up a name have more for a short time.
    constexpr std::size_t of_each = 2;
    const bool is_far_from_limit =
        last_socket_ && *last_socket_ + of_each * running + handle_descriptors < limit_;
    return is_far_from_limit || has_descriptors(number);
  }

 private:
  /// Returns the largest number of descriptors of this process, or 0 if it is unknown.
  [[nodiscard]] static std::size_t limit() noexcept {
    rlimit now{};
    return ::getrlimit(RLIMIT_NOFILE, &now) == 0 ? static_cast<std::size_t>(now.rlim_cur) : 0;
  }

  const std::size_t limit_ = limit();
  std::optional<std::size_t> last_socket_{};
};

}  // namespace robots::adapters_detail
