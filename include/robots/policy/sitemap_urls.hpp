#pragma once

#include <robots/base/config.hpp>

#include <string>
#include <vector>

namespace robots {

class document;
struct origin;

/// The URLs of the Sitemap lines of a robots.txt that was served at `where`, in file order, each
/// once.
///
/// A value is resolved against the URL of the robots.txt (RFC 3986, section 5), though the
/// Sitemaps protocol asks for whole URLs. The origin comes out in normal form, as `parse_origin`
/// gives it, so that spellings of one URL are one; a sitemap may lie at another origin. Left out
/// are empty values and whatever is no http or https URL. n log n in the number of lines.
[[nodiscard]] std::vector<std::string> sitemap_urls(const document& file, const origin& served_by);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/sitemap_urls.ipp>
#endif
