#pragma once

#include <robots/base/config.hpp>
#include <robots/http/origin.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::rulings_detail {

enum class ruling_kind : std::uint8_t { site_override, halt, sign_off, quarantine };

/// A decision on a site, by a person or by the cache. A lifted ruling is kept with its stamp, so
/// that an older ruling that arrives later from another process is ignored.
struct ruling {
  ruling_kind kind{};                  ///< the kind of decision
  std::optional<url_scheme> scheme{};  ///< the scheme of the site; empty if the ruling applies to
                                       ///< both schemes
  /// The value of an override is its `site_override`. The value of a halt is 1 more than its
  /// `halt_reason`. A sign-off or a quarantine has the value 1. A lifted ruling has the value 0.
  std::uint8_t value = 0;
  /// The time of the ruling, in milliseconds since the epoch. The later of two rulings applies.
  std::int64_t stamp = 0;
  bool is_own = false;  ///< this process made the ruling

  /// Returns true if both rulings have the same kind and scheme.
  [[nodiscard]] bool replaces(const ruling& other) const noexcept {
    return kind == other.kind && scheme == other.scheme;
  }
};

/// The rulings on a host and port, in the form in which processes share them.
struct ruling_record {
  std::string site{};             ///< `site::key` without a scheme
  std::vector<ruling> rulings{};  ///< at most one ruling for each kind and scheme
};

/// Returns the stamp of a ruling that is made at `when`.
[[nodiscard]] inline std::int64_t stamp_of(wall_time when) noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(when).time_since_epoch().count();
}

/// Returns the key under which a shared store has the rulings on a site.
[[nodiscard]] inline std::string ruling_key(std::string_view bare_site) {
  return std::string{"ruling://"}.append(bare_site);
}

/// Returns true if a text begins like an encoded record, as no key of a site does.
[[nodiscard]] constexpr bool is_ruling_text(std::string_view text) noexcept {
  return text.starts_with("ruling 1 ");
}

[[nodiscard]] std::string encode(const ruling_record& record);

/// Reads the output of `encode`. Returns an empty optional for every other text. No text causes an
/// exception.
[[nodiscard]] std::optional<ruling_record> decode_rulings(std::string_view text);

}  // namespace robots::rulings_detail

#ifndef ROBOTS_COMPILED
#include <robots/rulings/ruling.ipp>
#endif
