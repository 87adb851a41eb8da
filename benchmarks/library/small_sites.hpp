// Sites with a short file, or no file, as most sites of the web are.
#pragma once

#include <robots/fetch/fetcher.hpp>

#include <array>

namespace bench {

/// Answers like a site that has a short file, or no file.
struct small_site {
  const char* name;
  int status;
  const char* text;

  [[nodiscard]] robots::fetch_response fetch(const robots::fetch_request&) const {
    return {.status = status, .body = text};
  }
};

inline constexpr std::array<small_site, 4> small_sites{
    {{"no-file", 404, ""},
     {"allows-all", 200, "User-agent: *\nDisallow:\n"},
     {"sitemap", 200, "User-agent: *\nDisallow:\n\nSitemap: https://www.example.com/sitemap.xml\n"},
     {"four-rules", 200,
      "User-agent: *\nDisallow: /admin/\nDisallow: /private/\nAllow: /private/public\n"
      "Disallow: /*.php$\n"}}};

}  // namespace bench
