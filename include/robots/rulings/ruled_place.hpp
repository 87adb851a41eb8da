#pragma once

#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace robots::rulings_detail {

/// The origins that a ruling covers, or that a text of an operator names:
///
///     example.com            the host with both schemes and all ports
///     example.com:8080       port 8080 of the host with both schemes
///     https://example.com    one origin
struct ruled_place {
  std::string host{};
  std::optional<url_scheme> scheme{};  ///< empty: both schemes
  std::uint16_t port = 0;              ///< 0: all ports

  [[nodiscard]] bool covers(const origin& one) const {
    return host == one.host && (!scheme || *scheme == one.scheme) &&
           (port == 0 || port == one.port);
  }

  /// Returns true if some origin is in both places.
  [[nodiscard]] bool overlaps(const ruled_place& other) const {
    return host == other.host && (!scheme || !other.scheme || *scheme == *other.scheme) &&
           (port == 0 || other.port == 0 || port == other.port);
  }

  /// Grows with the precision of the place. An origin precedes a port, and a port a host.
  [[nodiscard]] int precision() const noexcept {
    if (scheme) {
      return 2;
    }
    return port != 0 ? 1 : 0;
  }
};

/// Returns the place that a site names.
[[nodiscard]] inline ruled_place place_of(const site& named) {
  return {.host = named.host,
          .scheme = named.scheme,
          .port = named.scheme ? named.origin_under(*named.scheme).port : named.port};
}

/// Returns the site without its scheme, which covers both schemes. `http://h:443` and
/// `https://h:80` stay as they are: without the scheme, their port would name the other scheme.
[[nodiscard]] inline site covering_both_schemes(site named) {
  if (named.port != detail::default_port(url_scheme::http) &&
      named.port != detail::default_port(url_scheme::https)) {
    named.scheme.reset();
  }
  return named;
}

}  // namespace robots::rulings_detail
