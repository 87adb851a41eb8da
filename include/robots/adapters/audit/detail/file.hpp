#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/crypto.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/enum_text.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace robots::adapters_detail {

class file_handle {
 public:
  file_handle() = default;
  explicit file_handle(int fd) noexcept : fd_{fd} {}
  file_handle(file_handle&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  file_handle& operator=(file_handle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~file_handle() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Reads the octets of a part of a file. Throws `audit_error` if the file has fewer.
[[nodiscard]] inline std::string read_at(int fd, std::uint64_t offset, std::size_t size,
                                         const std::string& name) {
  std::string octets(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t got =
        ::pread(fd, octets.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got <= 0 && !(got < 0 && errno == EINTR)) {
      throw audit_error{"AuditTrail: " + name + " cannot be read: " +
                        (got < 0 ? std::generic_category().message(errno) : "it was cut off")};
    }
    done += got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  return octets;
}

/// A change by another program to a file of the trail.
enum class file_change : std::uint8_t {
  none,
  moved,     ///< it has another name
  deleted,   ///< it is gone
  cut_off,   ///< it is shorter
  appended,  ///< it is longer
};

[[nodiscard]] constexpr std::string_view to_string(file_change change) noexcept {
  return base::enum_text<file_change::appended>(
      change, {"none", "moved", "deleted", "cut_off", "appended"});
}

/// The current file of a trail. It writes whole entries only. If the disk is full and only a part
/// of an entry fits, it removes that part.
class audit_file {
 public:
  /// Continues the last file, or begins the first. Throws `std::invalid_argument` without a path,
  /// and `audit_error` if another process writes the trail or a file cannot be used.
  explicit audit_file(const audit_options& options) : path_{options.path} {
    if (path_.empty()) {
      throw std::invalid_argument{"audit_options: set path"};
    }
    lock_ = open_locked(path_ + ".lock");
    number_ = std::max<std::uint64_t>(last_number(), 1);
    previous_ = number_ - 1;
    file_ = open_locked(path_of(number_));
    const content found = mended(file_, path_of(number_));
    size_ = found.size;
    torn_ = found.torn;
    end_ = found.end;
    if (size_ == 0 && number_ > 1) {
      const std::string before = path_of(number_ - 1);  // this file was only just begun
      const content previous = mended(open(before), before);
      if (previous.size == 0) {
        throw audit_error{"AuditTrail: " + before +
                          " is not there, and the file after it is empty"};
      }
      end_ = previous.end;
    }
  }

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Returns the number of the previous file; 0 for the first.
  [[nodiscard]] std::uint64_t previous() const noexcept { return previous_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Returns the end of the trail at the time when the file was opened.
  [[nodiscard]] const audit_chain& end() const noexcept { return end_; }
  /// Returns the incomplete line at the end of the file when it was opened: a process ended while
  /// it wrote.
  [[nodiscard]] const std::string& torn() const noexcept { return torn_; }

  /// Returns the name of the file with that number, without its folder.
  [[nodiscard]] std::string name_of(std::uint64_t number) const {
    std::string digits = std::to_string(number);
    digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
    return std::filesystem::path{path_}.filename().string() + '.' + digits + ".jsonl";
  }

  /// Writes whole lines: all of them, or none, and then returns the reason.
  [[nodiscard]] std::string write(std::string_view lines) {
    if (is_torn_ && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
      return std::generic_category().message(errno);
    }
    is_torn_ = false;
    for (std::string_view rest = lines; !rest.empty();) {
      const ssize_t done = ::write(file_.get(), rest.data(), rest.size());
      if (done < 0 && errno == EINTR) {
        continue;
      }
      if (done <= 0) {
        const int error = done < 0 ? errno : ENOSPC;
        is_torn_ = ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0;
        return std::generic_category().message(error);
      }
      rest.remove_prefix(static_cast<std::size_t>(done));
    }
    size_ += lines.size();
    return {};
  }

  /// Syncs the file to the disk. Returns false if a part may be missing; the system reports that
  /// only once. A FIFO or another special file needs no sync.
  [[nodiscard]] bool flush() const noexcept {
    return ::fdatasync(file_.get()) == 0 || errno == EINVAL;
  }

  /// Returns what another program has done to the file since the last write.
  [[nodiscard]] file_change change() const {
    struct stat own{};
    if (::fstat(file_.get(), &own) != 0 || !S_ISREG(own.st_mode)) {
      return file_change::none;
    }
    if (own.st_nlink == 0) {
      return file_change::deleted;
    }
    if (!is_named(file_, path_of(number_))) {
      return file_change::moved;
    }
    const auto size = static_cast<std::uint64_t>(own.st_size);
    return size == size_ || is_torn_ ? file_change::none
           : size < size_            ? file_change::cut_off
                                     : file_change::appended;
  }

  /// Continues in the next file. Returns false, and keeps this file, if no other file is possible
  /// or another process writes the trail now.
  [[nodiscard]] bool begin_next() {
    try {
      if (const std::string name = path_ + ".lock"; !is_named(lock_, name)) {
        lock_ = open_locked(name);  // somebody has deleted it
      }
      const std::uint64_t number = (std::max)(number_, last_number()) + 1;
      file_ = open_locked(path_of(number));
      previous_ = std::exchange(number_, number);
      size_ = 0;
      is_torn_ = false;
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  struct content {
    std::uint64_t size = 0;  ///< of whole lines
    std::string torn{};      ///< the text after them
    audit_chain end{};       ///< with the last of them
  };

  [[nodiscard]] std::string path_of(std::uint64_t number) const {
    return (std::filesystem::path{path_}.parent_path() / name_of(number)).string();
  }

  [[nodiscard]] static file_handle open(const std::string& name) {
    file_handle opened{::open(name.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0640)};
    if (!opened) {
      throw audit_error{"AuditTrail: " + name +
                        " cannot be opened: " + std::generic_category().message(errno)};
    }
    return opened;
  }

  /// Opens a file that no other trail has open. Throws `audit_error` if another one has it.
  [[nodiscard]] static file_handle open_locked(const std::string& name) {
    file_handle opened = open(name);
    if (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw audit_error{"AuditTrail: " + name + " is in use by another trail or process"};
    }
    return opened;
  }

  /// Returns true if `name` is the name of an open file.
  [[nodiscard]] static bool is_named(const file_handle& opened, const std::string& name) {
    struct stat own{};
    struct stat named{};
    return ::fstat(opened.get(), &own) == 0 && ::stat(name.c_str(), &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
  }

  /// Returns the highest number of the trail's files, or 0 if there is none.
  [[nodiscard]] std::uint64_t last_number() const {
    const std::filesystem::path whole{path_};
    const std::string start = whole.filename().string() + '.';
    const auto folder = whole.has_parent_path() ? whole.parent_path() : ".";
    std::uint64_t last = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with(start) && file.ends_with(".jsonl")) {
        const auto digits =
            std::string_view{file}.substr(start.size(), file.size() - start.size() - 6);
        last = (std::max)(last, base::parse_decimal(digits).value_or(0));
      }
    }
    return last;
  }

  /// Finds the last whole line, searching backwards, and cuts off the rest.
  [[nodiscard]] static content mended(const file_handle& file, const std::string& name) {
    content result;
    struct stat found{};
    if (::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0) {
      return result;
    }
    const auto whole = static_cast<std::uint64_t>(found.st_size);
    std::string tail;
    for (std::uint64_t wanted = 65'536;; wanted *= 2) {
      const std::uint64_t size = (std::min)(wanted, whole);
      tail = read_at(file.get(), whole - size, static_cast<std::size_t>(size), name);
      const std::size_t end = tail.rfind('\n');
      const bool has_line = end != std::string::npos && end > 0 &&
                            (size == whole || tail.rfind('\n', end - 1) != std::string::npos);
      if (has_line || size == whole) {
        break;
      }
    }
    const std::size_t end = tail.rfind('\n');
    result.torn = end == std::string::npos ? tail : tail.substr(end + 1);
    result.size = whole - result.torn.size();
    if (result.size > 0) {
      std::string_view line{tail.data(), end};
      line.remove_prefix(line.rfind('\n') + 1);
      const auto last = audit_entry::read(line);
      if (!last || !last->is_whole()) {
        throw audit_error{"AuditTrail: " + name +
                          " does not end with an entry of a trail; see what robots-check "
                          "audit verify says of it, and move it away to begin anew"};
      }
      result.end = {last->n(), last->hash()};
    }
    if (!result.torn.empty() && ::ftruncate(file.get(), static_cast<off_t>(result.size)) != 0) {
      throw audit_error{"AuditTrail: " + name +
                        " cannot be repaired: " + std::generic_category().message(errno)};
    }
    return result;
  }

  std::string path_;
  file_handle lock_;
  file_handle file_;
  std::uint64_t number_ = 1;
  std::uint64_t previous_ = 0;
  std::uint64_t size_ = 0;  // of whole lines
  bool is_torn_ = false;    // there is more after them, which could not be removed
  audit_chain end_;
  std::string torn_;
};

}  // namespace robots::adapters_detail
