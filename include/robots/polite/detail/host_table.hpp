#pragma once

#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/detail/reservation_queue.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/time/clock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace robots::polite_detail {

/// A host that a gate knows.
struct known_host {
  host_state state;
  reservation_queue queue;
  std::atomic<std::uint64_t> withdrawals = 0;   // written with the lock
  std::stop_source sleepers{std::nostopstate};  // those who wait for the time of a reservation
};

/// The hosts of a gate, by key. Its owner guards it with a mutex.
class host_table {
 public:
  /// `options` outlive it.
  explicit host_table(const gate_options& options);
  host_table(const host_table&) = delete;
  host_table& operator=(const host_table&) = delete;
  ~host_table();

  /// Null for a host that is not known.
  [[nodiscard]] known_host* find(std::string_view key) const noexcept;

  /// Null where there is no room.
  [[nodiscard]] known_host* find_or_add(std::string_view key, time_point now);

  /// The key of a host, which stays for as long as the host does.
  [[nodiscard]] static const std::string& key_of(const known_host& where) noexcept;

  /// Lets go of what is not needed, since a host has changed.
  void settle(known_host& where) noexcept;

  /// The same, after free places were given to those who wait.
  void hand_on(known_host& where) noexcept;

  /// How many hosts are remembered.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct sites;

  const gate_options& options_;
  std::unique_ptr<sites> sites_;
};

}  // namespace robots::polite_detail

#ifndef ROBOTS_COMPILED
#include <robots/polite/detail/host_table.ipp>
#endif
