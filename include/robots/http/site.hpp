#pragma once

#include <robots/http/origin.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Whose robots.txt a caller asks for: an origin, or a host with the scheme left open, which means
/// https and, when that cannot be reached, http (SPYDER).
struct site {
  std::optional<url_scheme> scheme;  ///< nothing: https, then http
  std::string host;                  ///< as in `origin`
  std::uint16_t port = 0;            ///< 0: the default of the scheme

  /// The origins to ask, the first that can be reached counts: one, or https and http.
  [[nodiscard]] std::vector<origin> origins() const;

  /// The URLs of the robots.txt files of `origins()`, in the same order.
  [[nodiscard]] std::vector<std::string> robots_urls() const;

  /// One text for every spelling of the same site: the origin (`https://example.com`,
  /// `http://example.com:8080`), or host and port (`example.com`, `example.com:8080`) when the
  /// scheme is open.
  [[nodiscard]] std::string key() const;

  [[nodiscard]] friend bool operator==(const site&, const site&) = default;
};

/// The site that a host, `host:port`, or an absolute http or https URL names; a path behind it is
/// ignored. Normalises and refuses as `parse_origin` does: nothing for what names no site. A port
/// that is the default of a given scheme comes out as 0; behind a bare host, 443 means https and 80
/// means http. Linear in the authority.
[[nodiscard]] std::optional<site> parse_site(std::string_view host_or_url);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/site.ipp>
#endif
