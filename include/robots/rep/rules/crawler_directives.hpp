#pragma once

#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace robots {

/// Everything that one robots.txt says to one crawler: what a policy is made of.
///
/// `directives_for` reads it in one pass, without a document in between. Only the rules own what
/// they need; the views point into the text that was read.
struct crawler_directives {
  rule_set rules{};  ///< with the crawler's Crawl-delay
  /// The first valid Crawl-delay before any group: a floor for politeness, never a rule.
  std::optional<std::chrono::milliseconds> file_delay{};
  /// The other lines that speak to the crawler (`is_for_crawler`), in file order. Ask
  /// `request_rates`, `visit_times`, `content_usages`, ... of `rep/extensions` what they say.
  std::vector<directive> extensions{};
  std::vector<std::string_view> sitemaps{};  ///< values of the Sitemap lines, as written
  std::optional<std::string_view> host{};    ///< the first value of a Host line that has one
  file_findings findings{};                  ///< how broken it is, and where
};

}  // namespace robots
