#pragma once

#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace robots {

/// Everything that one robots.txt says to one crawler. Policies are made from it.
///
/// `directives_for` reads it in one pass without making a document. The rules own their memory; all
/// views refer to the text.
struct crawler_directives {
  rule_set rules{};  ///< with the crawler's Crawl-delay
  /// The first valid Crawl-delay before any group. Crawlers should wait at least that long, but it
  /// is not a rule.
  std::optional<std::chrono::milliseconds> file_delay{};
  /// The other lines for this crawler (`is_for_crawler`), in file order. Read them with
  /// `request_rates`, `visit_times` and `content_usages` of `rep/extensions`.
  std::vector<directive> extensions{};
  std::vector<std::string_view> sitemaps{};  ///< values of the Sitemap lines, as written
  std::optional<std::string_view> host{};    ///< the first value of a Host line that has one
  file_findings findings{};                  ///< the problems of the file
};

}  // namespace robots
