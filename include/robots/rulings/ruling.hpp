#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/origin.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::rulings_detail {

/// What a ruling is about.
enum class ruling_kind : std::uint8_t { site_override, halt, sign_off, quarantine };

/// What somebody or something has ruled on a site, and when. A ruling that was lifted stays as one
/// of the value 0, so that it wins over an older one.
struct ruling {
  ruling_kind kind{};                  ///< what it is about
  std::optional<url_scheme> scheme{};  ///< of the name of the site that it is about
  /// 0: nothing holds. A `site_override`; 1 more than a `halt_reason`; 1: signed off, in
  /// quarantine.
  std::uint8_t value = 0;
  /// Milliseconds since the epoch. Of two rulings, the later one holds.
  std::int64_t stamp = 0;
  bool is_own = false;  ///< this process made it

  /// Returns true if both are about the same.
  [[nodiscard]] bool replaces(const ruling& other) const noexcept {
    return kind == other.kind && scheme == other.scheme;
  }
};

/// The rulings on a host and port, as processes share them.
struct ruling_record {
  std::string site{};             ///< `site::key` without a scheme
  std::vector<ruling> rulings{};  ///< one for each kind and scheme
};

/// Returns the key of the record of a site in a shared store.
[[nodiscard]] inline std::string ruling_key(std::string_view bare_site) {
  return std::string{"ruling://"}.append(bare_site);
}

/// Returns true if a text may be an encoded record rather than the key of a site.
[[nodiscard]] constexpr bool is_ruling_text(std::string_view text) noexcept {
  return text.starts_with("ruling 1 ");
}

/// Returns a record as a short text.
[[nodiscard]] std::string encode(const ruling_record& record);

/// Reads what `encode` wrote. Returns nothing for any other text. Never throws on content.
[[nodiscard]] std::optional<ruling_record> decode_rulings(std::string_view text);

}  // namespace robots::rulings_detail

#ifndef ROBOTS_COMPILED
#include <robots/rulings/ruling.ipp>
#endif
