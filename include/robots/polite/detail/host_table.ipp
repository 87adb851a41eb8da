#pragma once

#include <robots/base/inline.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/polite/detail/host_table.hpp>

#include <algorithm>

namespace robots::polite_detail {

struct host_table::sites : base::site_table<known_host> {
  using site_table::site_table;

  [[nodiscard]] static time_point needed_until(const known_host& where,
                                               const gate_options& options) noexcept {
    return where.queue.idle() ? where.state.needed_until(options) : time_point::max();
  }
};

ROBOTS_INLINE host_table::host_table(const gate_options& options)
    : options_{options}, sites_{std::make_unique<sites>(options.max_hosts)} {}

ROBOTS_INLINE host_table::~host_table() = default;

ROBOTS_INLINE known_host* host_table::find(std::string_view key) const noexcept {
  return sites_->find(key);
}

ROBOTS_INLINE known_host* host_table::find_or_add(std::string_view key, time_point now) {
  return sites_->find_or_add(
      key, now, [this](const known_host& where) { return sites::needed_until(where, options_); },
      base::saturating_add(now, std::max(options_.longest_memory, options_.memory)));
}

ROBOTS_INLINE const std::string& host_table::key_of(const known_host& where) noexcept {
  return sites::key_of(where);
}

ROBOTS_INLINE void host_table::settle(known_host& where) noexcept {
  sites_->forget_after(where, sites::needed_until(where, options_));
}

ROBOTS_INLINE void host_table::hand_on(known_host& where) noexcept {
  const std::uint32_t taken = where.state.outstanding() + where.queue.granted();
  where.queue.grant(options_.concurrency - std::min(taken, options_.concurrency));
  settle(where);
}

ROBOTS_INLINE std::size_t host_table::size() const noexcept { return sites_->size(); }

}  // namespace robots::polite_detail
