// The store that the command line names, and the sites in it.
#pragma once

#ifdef ROBOTS_CHECK_REDIS
#include <robots/adapters/redis/redis_store.hpp>
#endif
#ifdef ROBOTS_CHECK_SQLITE
#include <robots/adapters/sqlite/sqlite_store.hpp>
#endif
#include <robots/policy/codec.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/rulings/old_records.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots::check {

inline constexpr std::string_view file_prefix = "sqlite:";

/// Returns true for `sqlite:PATH`, and false for a URL of `redis_options::url`. Throws
/// `std::invalid_argument` for any other name of a store.
[[nodiscard]] inline bool names_file(const std::string& name) {
  const bool is_file = name.starts_with(file_prefix);
  if (name == file_prefix || (!is_file && name.find("://") == std::string::npos)) {
    throw std::invalid_argument('"' + name + "\" is not a store: give sqlite:PATH or redis://HOST");
  }
  return is_file;
}

/// Returns the path in a name for which `names_file` returns true.
[[nodiscard]] inline std::string file_of(const std::string& name) {
  return name.substr(file_prefix.size());
}

[[noreturn]] inline void throw_not_built(const std::string& name, bool is_file) {
  throw std::invalid_argument('"' + name + "\": this robots-check was built without " +
                              (is_file ? "SQLite" : "hiredis") + ": build it with that library");
}

/// Opens the store of a name, `sqlite:PATH` or a URL of `redis_options::url`, and calls `use` with
/// it. Throws `std::invalid_argument` for any other name or if this program was built without that
/// store, and `store_error` for a file that cannot be used.
template <class Result, class Use>
Result with_store(const std::string& name, const Use& use) {
  const bool is_file = names_file(name);
#ifdef ROBOTS_CHECK_SQLITE
  if (is_file) {
    return use(SqliteStore{sqlite_options{.path = file_of(name)}});
  }
#endif
#ifdef ROBOTS_CHECK_REDIS
  if (!is_file) {
    return use(RedisStore{redis_options{.url = name}});
  }
#endif
  throw_not_built(name, is_file);
}

struct stored_site {
  std::string_view key;
  detail::decoded<detail::site_records> content;  ///< the records, or an error
  /// The rulings of an older version of the library if there are no records.
  std::optional<rulings_detail::old_record> rulings;
  std::chrono::milliseconds left;  ///< the rest of its lifetime in the store
  std::chrono::sys_seconds now;    ///< the time of the listing
};

/// Returns the time at which a record expires, or an empty optional if its lifetime is 1,000 years
/// or more.
[[nodiscard]] inline std::optional<std::chrono::sys_seconds> holds_until(
    const record_head& source) {
  constexpr std::chrono::seconds millennium = std::chrono::years{1'000};
  return source.lifetime < millennium ? std::optional{source.fetched_at + source.lifetime}
                                      : std::nullopt;
}

}  // namespace robots::check
