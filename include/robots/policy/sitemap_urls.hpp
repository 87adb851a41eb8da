#pragma once

#include <robots/base/config.hpp>

#include <string>
#include <vector>

namespace robots {

class document;
struct origin;

/// Returns the URLs of the Sitemap lines of a robots.txt that was served at `where`, in file order,
/// without repetitions.
///
/// A relative value is resolved against the URL of the robots.txt (RFC 3986, section 5), although
/// the Sitemaps protocol demands absolute URLs. The origin is in normal form, so that different
/// spellings of one URL are the same; a sitemap may be at another origin. Skips empty values and
/// everything that is not an http or https URL. n log n in the number of lines.
[[nodiscard]] std::vector<std::string> sitemap_urls(const document& file, const origin& served_by);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/sitemap_urls.ipp>
#endif
