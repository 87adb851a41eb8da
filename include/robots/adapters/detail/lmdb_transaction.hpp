// What LMDB does, with its errors as exceptions.
#pragma once

#include <robots/store/shared_store.hpp>

#include <lmdb.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::adapters_detail {

/// There is no room for a change; it may be tried again when something was dropped.
class lmdb_full : public store_error {
 public:
  using store_error::store_error;
};

/// Throws what an error of LMDB means to who calls a store.
inline void check_lmdb(int code) {
  if (code == MDB_SUCCESS) {
    return;
  }
  const std::string what = std::string{"LmdbStore: "} + ::mdb_strerror(code);
  switch (code) {
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
      throw lmdb_full{what};
    case MDB_MAP_RESIZED:
      throw store_error{what + ": give all programs that use the file the same max_bytes"};
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_PANIC:
      throw store_error{what + ": end the programs that use the file, and start them again"};
    default:
      throw store_error{what};
  }
}

/// The tables of a store.
///
/// - `values`: a number that grows with each publication -> an `lmdb_entry`. So the oldest come
///   first, and lie together.
/// - `keys`: key, as `stored_key` has it -> the number.
/// - `leases`: the same -> the time, as in an entry, and the token.
/// - `changes`: a number that grows with each -> when, by whom, and the key.
enum class lmdb_table : std::uint8_t { values, keys, leases, changes };

/// Their names in the file, and behind them the name of the entry that tells its format.
inline constexpr std::array<std::string_view, 5> lmdb_names{"values", "keys", "leases", "changes",
                                                            "robots-cpp store"};

/// A number in eight octets, the highest first: texts in the order of their numbers.
[[nodiscard]] inline std::string lmdb_text(std::uint64_t value) {
  std::string octets(8, '\0');
  for (std::size_t i = octets.size(); i > 0; --i, value >>= 8U) {
    octets[i - 1] = static_cast<char>(value & 0xFFU);
  }
  return octets;
}

/// The number at the start of a text of eight octets or more.
[[nodiscard]] inline std::uint64_t lmdb_number(std::string_view octets) noexcept {
  std::uint64_t value = 0;
  for (const char octet : octets.substr(0, 8)) {
    value = value << 8U | static_cast<unsigned char>(octet);
  }
  return value;
}

/// One transaction, of one thread. What it shows is there until it changes something or ends.
class lmdb_transaction {
 public:
  using pair = std::pair<std::string_view, std::string_view>;

  lmdb_transaction(MDB_txn* handle, std::array<MDB_dbi, 4> tables)
      : handle_{handle}, tables_{tables} {}

  [[nodiscard]] std::optional<std::string_view> get(lmdb_table where, std::string_view key) const {
    MDB_val wanted = value_of(key);
    MDB_val found{};
    const int code = ::mdb_get(handle_, table(where), &wanted, &found);
    if (code == MDB_NOTFOUND) {
      return std::nullopt;
    }
    check_lmdb(code);
    return text_of(found);
  }

  /// The first pair with this key or one behind it.
  [[nodiscard]] std::optional<pair> from(lmdb_table where, std::string_view key) const {
    return seek(where, key, key.empty() ? MDB_FIRST : MDB_SET_RANGE);
  }

  [[nodiscard]] std::optional<pair> last(lmdb_table where) const {
    return seek(where, {}, MDB_LAST);
  }

  void put(lmdb_table where, std::string_view key, std::string_view value,
           unsigned flags = 0) const {
    MDB_val wanted = value_of(key);
    MDB_val given = value_of(value);
    check_lmdb(::mdb_put(handle_, table(where), &wanted, &given, flags));
  }

  /// Appends to a table with numbers for keys. The number.
  std::uint64_t append(lmdb_table where, std::string_view value) const {
    const auto newest = last(where);
    const std::uint64_t number = newest ? lmdb_number(newest->first) + 1 : 1;
    put(where, lmdb_text(number), value, MDB_APPEND);
    return number;
  }

  void erase(lmdb_table where, std::string_view key) const {
    MDB_val wanted = value_of(key);
    const int code = ::mdb_del(handle_, table(where), &wanted, nullptr);
    check_lmdb(code == MDB_NOTFOUND ? MDB_SUCCESS : code);
  }

  [[nodiscard]] std::size_t size(lmdb_table where) const { return stat(where).ms_entries; }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t pages = 0;
    for (const lmdb_table each :
         {lmdb_table::values, lmdb_table::keys, lmdb_table::leases, lmdb_table::changes}) {
      const MDB_stat taken = stat(each);
      pages += taken.ms_branch_pages + taken.ms_leaf_pages + taken.ms_overflow_pages;
    }
    return pages * stat(lmdb_table::values).ms_psize;
  }

  [[nodiscard]] MDB_txn* handle() const noexcept { return handle_; }

  /// The number of the state that is seen.
  [[nodiscard]] std::uint64_t id() const noexcept { return ::mdb_txn_id(handle_); }

  /// A text as LMDB takes it, which does not change it.
  [[nodiscard]] static MDB_val value_of(std::string_view text) noexcept {
    return {.mv_size = text.size(), .mv_data = const_cast<char*>(text.data())};
  }

 private:
  [[nodiscard]] MDB_dbi table(lmdb_table where) const {
    return tables_[static_cast<std::size_t>(where)];
  }

  [[nodiscard]] static std::string_view text_of(const MDB_val& value) noexcept {
    return {static_cast<const char*>(value.mv_data), value.mv_size};
  }

  [[nodiscard]] MDB_stat stat(lmdb_table where) const {
    MDB_stat taken{};
    check_lmdb(::mdb_stat(handle_, table(where), &taken));
    return taken;
  }

  [[nodiscard]] std::optional<pair> seek(lmdb_table where, std::string_view key,
                                         MDB_cursor_op to) const {
    MDB_cursor* cursor = nullptr;
    check_lmdb(::mdb_cursor_open(handle_, table(where), &cursor));
    MDB_val found_key = value_of(key);
    MDB_val found{};
    const int code = ::mdb_cursor_get(cursor, &found_key, &found, to);
    ::mdb_cursor_close(cursor);
    if (code == MDB_NOTFOUND) {
      return std::nullopt;
    }
    check_lmdb(code);
    return pair{text_of(found_key), text_of(found)};
  }

  MDB_txn* handle_;
  std::array<MDB_dbi, 4> tables_;
};

}  // namespace robots::adapters_detail
