// What an LmdbStore writes into its tables.
#pragma once

#include <robots/adapters/detail/lmdb_transaction.hpp>
#include <robots/base/fingerprint.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// From when until when something holds: milliseconds since 1970, by the clocks of its writers.
struct lmdb_time {
  std::int64_t since = 0;
  std::int64_t until = 0;

  [[nodiscard]] static std::int64_t now() noexcept {
    const auto today = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::floor<std::chrono::milliseconds>(today).count();
  }

  /// For so long from `present` on.
  [[nodiscard]] static constexpr lmdb_time from(std::int64_t present,
                                                std::chrono::milliseconds length) noexcept {
    constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
    return {present, length.count() < end - present ? present + length.count() : end};
  }

  /// How much is left of it; 0 when it is over. What was written more than a minute from now was
  /// so before the clock was set back: that is over, since it would hold for too long.
  [[nodiscard]] constexpr std::chrono::milliseconds left(std::int64_t present) const noexcept {
    constexpr std::int64_t minute = 60'000;
    const bool holds = until > present && since - minute <= present;
    return std::chrono::milliseconds{holds ? until - present : 0};
  }

  /// As it is stored, in 16 octets.
  [[nodiscard]] std::string text() const {
    return lmdb_text(static_cast<std::uint64_t>(since)) +
           lmdb_text(static_cast<std::uint64_t>(until));
  }

  /// What begins with 16 such octets; long over if it does not. No time before 1970 is read.
  [[nodiscard]] static lmdb_time read(std::string_view text) noexcept {
    if (text.size() < size) {
      return {};
    }
    const auto one = [&](std::size_t at) {
      return static_cast<std::int64_t>(lmdb_number(text.substr(at)) &
                                       std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    };
    return {one(0), one(size / 2)};
  }

  static constexpr std::size_t size = 16;
};

/// A value: its time, the length of its key, the key, and the octets that were published.
struct lmdb_entry {
  lmdb_time time{};
  std::string_view key{};
  std::string_view octets{};

  [[nodiscard]] std::string text() const {
    std::string whole = time.text() + lmdb_text(key.size());
    whole.reserve(whole.size() + key.size() + octets.size());
    return whole.append(key).append(octets);
  }

  /// What is stored; an entry without a key if that is none.
  [[nodiscard]] static lmdb_entry read(std::string_view text) noexcept {
    constexpr std::size_t start = lmdb_time::size + 8;
    if (text.size() < start) {
      return {};
    }
    const std::uint64_t key_size = lmdb_number(text.substr(lmdb_time::size));
    const std::string_view rest = text.substr(start);
    if (key_size > rest.size()) {
      return {};
    }
    return {lmdb_time::read(text), rest.substr(0, key_size), rest.substr(key_size)};
  }
};

/// A key as LMDB can have it, in no more than 511 octets. Those of long keys end with a hash, and
/// are longer than those of all others. Two keys may share one: entries tell whose they are.
[[nodiscard]] inline std::string stored_key(std::string_view key) {
  constexpr std::size_t start = 503;
  return key.size() < start ? std::string{key}
                            : std::string{key.substr(0, start)} + lmdb_text(base::fingerprint(key));
}

inline void drop_oldest(const lmdb_transaction& file, std::size_t count) {
  for (; count > 0; --count) {
    const auto oldest = file.from(lmdb_table::values, {});
    if (!oldest) {
      return;
    }
    const std::string number{oldest->first};
    const std::string key = stored_key(lmdb_entry::read(oldest->second).key);
    file.erase(lmdb_table::values, number);
    if (!key.empty() && file.get(lmdb_table::keys, key) == number) {
      file.erase(lmdb_table::keys, key);
    }
  }
}

}  // namespace robots::adapters_detail
