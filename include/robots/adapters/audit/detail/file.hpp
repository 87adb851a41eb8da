#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/zero_padded.hpp>

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
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace robots::adapters_detail {

/// The current file of a trail. The file has only whole entries: if the disk is full and only a
/// part of an entry fits, `write` removes this part.
class audit_file {
  using file_handle = std::shared_ptr<const int>;  // the last copy closes the descriptor

 public:
  /// Opens the last file, or makes the first. Throws `audit_error` if a file cannot be used.
  explicit audit_file(const audit_options& options) : path_{options.path} {
    base::require(!path_.empty(),
                  "audit_options: path is empty: set the start of the names of the files");
    lock_ = open(path_ + ".lock");
    number_ = std::max<std::uint64_t>(last_number(), 1);
    file_ = open(path_of(number_));
    mend(file_, path_of(number_));
    if (size_ == 0 && number_ > 1) {  // the file is empty: the trail ends in the file before it
      const std::string before = path_of(number_ - 1);
      mend(open(before, false), before);
      if (size_ == 0) {
        throw audit_error{"AuditTrail: " + before +
                          " has no entry, and neither has the file after it: restore it, or move "
                          "both away to start a new trail"};
      }
      size_ = 0;
    }
  }

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Returns the number and the hash of the last entry that the trail had when it was opened.
  [[nodiscard]] const audit_chain& end() const noexcept { return end_; }
  /// Returns the incomplete line that a killed process had left, or an empty text.
  [[nodiscard]] const std::string& torn() const noexcept { return torn_; }

  /// Returns the name of the file with this number, without its folder.
  [[nodiscard]] std::string name_of(std::uint64_t number) const {
    const std::string digits = base::zero_padded(std::to_string(number), 6);
    return std::filesystem::path{path_}.filename().string() + '.' + digits + ".jsonl";
  }

  /// Writes all lines. On failure, removes the written part and throws `std::system_error`.
  void write(std::string_view lines) {
    if (is_torn_ && ::ftruncate(*file_, static_cast<off_t>(size_)) != 0) {
      throw std::system_error{errno, std::generic_category()};
    }
    is_torn_ = false;
    for (std::string_view rest = lines; !rest.empty();) {
      const ssize_t done = ::write(*file_, rest.data(), rest.size());
      const int error = done < 0 ? errno : ENOSPC;
      if (done > 0) {
        rest.remove_prefix(static_cast<std::size_t>(done));
      } else if (error != EINTR) {
        is_torn_ = ::ftruncate(*file_, static_cast<off_t>(size_)) != 0;
        throw std::system_error{error, std::generic_category()};
      }
    }
    size_ += lines.size();
  }

  /// Syncs the file. Returns false if the disk may have lost data. The system reports each loss
  /// only once.
  [[nodiscard]] bool flush() const noexcept { return ::fdatasync(*file_) == 0 || errno == EINVAL; }

  /// Returns what another program did to the file since the last write, or an empty text.
  [[nodiscard]] std::string_view change() const {
    struct stat own{};
    if (::fstat(*file_, &own) != 0 || !S_ISREG(own.st_mode)) {
      return {};
    }
    if (own.st_nlink == 0) {
      return "deleted";
    }
    if (!is_named(file_, path_of(number_))) {
      return "moved";
    }
    const auto size = static_cast<std::uint64_t>(own.st_size);
    if (size == size_ || is_torn_) {
      return {};
    }
    return size < size_ ? "cut_off" : "appended";
  }

  /// Continues in the next file. If opening it fails, returns false and keeps the current file.
  [[nodiscard]] bool begin_next() {
    try {
      if (const std::string name = path_ + ".lock"; !is_named(lock_, name)) {
        lock_ = open(name);  // somebody has deleted the lock file
      }
      const std::uint64_t number = (std::max)(number_, last_number()) + 1;
      file_ = open(path_of(number));
      number_ = number;
      size_ = 0;
      is_torn_ = false;
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  [[nodiscard]] std::string path_of(std::uint64_t number) const {
    return (std::filesystem::path{path_}.parent_path() / name_of(number)).string();
  }

  /// Opens a file. If `locks` is true, also locks the file, and throws `audit_error` if another
  /// trail or process holds the lock.
  [[nodiscard]] static file_handle open(const std::string& name, bool locks = true) {
    const int opened = ::open(name.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (opened < 0) {
      throw audit_error{"AuditTrail: " + name +
                        " cannot be opened: " + std::generic_category().message(errno)};
    }
    file_handle file{new int{opened}, [](const int* closed) {
                       ::close(*closed);
                       std::default_delete<const int>{}(closed);
                     }};
    if (locks && ::flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw audit_error{
          "AuditTrail: " + name +
          " is in use by another trail or process: end that one, or set another path"};
    }
    return file;
  }

  [[nodiscard]] static bool is_named(const file_handle& opened, const std::string& name) {
    struct stat own{};
    struct stat named{};
    return ::fstat(*opened, &own) == 0 && ::stat(name.c_str(), &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
  }

  /// Returns the number in the name of the trail's last file, or 0 if the trail has no files.
  [[nodiscard]] std::uint64_t last_number() const {
    const std::filesystem::path whole{path_};
    const std::string start = whole.filename().string() + '.';
    const auto folder = whole.has_parent_path() ? whole.parent_path() : ".";
    std::uint64_t last = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      const std::string file = entry.path().stem().string();
      if (file.starts_with(start) && entry.path().extension() == ".jsonl") {
        const auto digits = std::string_view{file}.substr(start.size());
        last = (std::max)(last, base::parse_decimal(digits).value_or(0));
      }
    }
    return last;
  }

  /// Finds the last whole line of a file, and cuts off an incomplete line after it.
  void mend(const file_handle& file, const std::string& name) {
    struct stat found{};
    if (::fstat(*file, &found) != 0 || !S_ISREG(found.st_mode)) {
      return;
    }
    const auto all = static_cast<std::uint64_t>(found.st_size);
    constexpr std::uint64_t enough = 2 * audit_lines::longest;  // contains at least one whole line
    audit_lines lines{name, all > enough ? all - enough : 0};
    std::string last;
    std::string torn;
    while (const auto line = lines.next()) {
      (lines.is_whole() ? last : torn) = *line;
    }
    size_ = all - torn.size();
    if (size_ > 0) {
      const auto entry = audit_entry::read(last);
      if (!entry || !entry->is_whole()) {
        throw audit_error{"AuditTrail: " + name +
                          " does not end with an entry of a trail: run robots-check audit verify "
                          "to see why, and move it away to start a new trail"};
      }
      end_ = {entry->n(), entry->hash()};
    }
    torn_ += torn;
    if (!torn.empty() && ::ftruncate(*file, static_cast<off_t>(size_)) != 0) {
      throw audit_error{"AuditTrail: " + name +
                        " has an incomplete last line, which cannot be cut off: " +
                        std::generic_category().message(errno)};
    }
  }

  std::string path_;
  file_handle lock_;
  file_handle file_;
  std::uint64_t number_ = 1;
  std::uint64_t size_ = 0;  // octets of whole lines
  bool is_torn_ = false;    // true if a part of a line remains after these octets
  audit_chain end_;
  std::string torn_;
};

}  // namespace robots::adapters_detail
