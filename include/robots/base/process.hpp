#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#ifndef _WIN32
#include <pthread.h>
#endif

/// Which process made an object?
///
///     parent:  cache ---- threads, connections, file locks
///                |
///              fork()
///                |
///     child:   copy of cache ---- no threads; the parent's connections; no file locks
///
/// The child has a copy of each object, but not of its threads. The connections of the copy are the
/// connections of the parent. If both processes used them, each would read replies to the other. So
/// an object with threads, connections or file locks belongs to the process that made it. In a
/// child, its functions throw, and its destructor leaves the threads and connections alone. This
/// file compares numbers of forks instead of process ids, since an id costs a system call and can
/// be used again.
namespace robots::base {

/// How many forks lead from the start of the program to this process.
inline std::atomic<unsigned> fork_count = 0;

/// Makes the system count the forks of this process, and returns their number.
[[nodiscard]] inline unsigned watched_fork_count() noexcept {
#ifndef _WIN32
  static const bool is_watched = ::pthread_atfork(nullptr, nullptr, [] { ++fork_count; }) == 0;
  static_cast<void>(is_watched);
#endif
  return fork_count.load(std::memory_order_relaxed);
}

/// A member of an object that belongs to one process. Remembers the process that made it. On
/// Windows, which has no `fork`, this is always the current process.
class home_process {
 public:
  home_process() noexcept : forks_{watched_fork_count()} {}

  /// Returns false in a child of the process that made this object.
  [[nodiscard]] bool is_here() const noexcept {
    return forks_ == fork_count.load(std::memory_order_relaxed);
  }

  /// Throws `std::logic_error` in a child of the process that made this object. `name` is the name
  /// of the object that has this member.
  void require(const char* name) const {
    if (!is_here()) {
      throw std::logic_error{
          std::string{name} +
          ": it was made before a fork, and belongs to the parent process: make it after the fork, "
          "in each process that uses it"};
    }
  }

 private:
  unsigned forks_;
};

/// In a child process, keeps the memory of an object of the parent until the process ends. Nothing
/// destroys the object, but the object still counts as reachable for a search for memory leaks.
inline void leave_to_parent(const void* object) noexcept {
  struct left {
    const void* object;
    left* next;
  };
  static std::atomic<left*> all = nullptr;
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the process owns it until it ends
  if (auto* const one = new (std::nothrow) left{object, all.load()}; one != nullptr) {
    while (!all.compare_exchange_weak(one->next, one)) {
    }
  }
}

/// Like the function above, for an object that the caller has as a value.
template <class T>
void leave_value_to_parent(T&& object) noexcept {
  leave_to_parent(new (std::nothrow) std::remove_reference_t<T>(std::forward<T>(object)));
}

/// Destroys an object in the process that made it. In a child, calls `leave_to_parent`.
template <class T>
class home_deleter {
 public:
  void operator()(T* object) const {
    home_.is_here() ? std::default_delete<T>{}(object) : leave_to_parent(object);
  }

 private:
  home_process home_{};
};

/// Owns an object that belongs to the process in which it was made.
template <class T>
using home_ptr = std::unique_ptr<T, home_deleter<T>>;

template <class T, class... Arguments>
[[nodiscard]] home_ptr<T> make_home(Arguments&&... arguments) {
  return home_ptr<T>{std::make_unique<T>(std::forward<Arguments>(arguments)...).release()};
}

}  // namespace robots::base
