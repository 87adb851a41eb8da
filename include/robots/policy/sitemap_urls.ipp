#pragma once

#include <robots/base/config.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/url.hpp>
#include <robots/policy/sitemap_urls.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/document/group.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace robots {

ROBOTS_INLINE std::vector<std::string> sitemap_urls(const document& file, const origin& served_by) {
  const std::string base = to_string(served_by) + "/robots.txt";
  const auto values = file.sitemaps();
  std::vector<std::string> urls;
  urls.reserve(static_cast<std::size_t>(std::distance(values.begin(), values.end())));
  std::set<std::string_view> seen;  // views of `urls`, which never reallocates
  for (const std::string_view value : values) {
    const std::optional<std::string> resolved =
        value.empty() ? std::nullopt : resolve_reference(base, value);
    const auto place = resolved ? detail::parse_origin(*resolved) : std::nullopt;
    std::string url = place ? detail::url_at(*place, *resolved) : std::string{};
    if (place && !seen.contains(url)) {
      seen.insert(urls.emplace_back(std::move(url)));
    }
  }
  return urls;
}

}  // namespace robots
