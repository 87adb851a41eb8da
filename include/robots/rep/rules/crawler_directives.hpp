#pragma once

#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// Everything that one robots.txt says to one crawler. The rules own their memory. All views refer
/// to the text that was read.
struct crawler_directives {
  rule_set rules{};  ///< the rules and the Crawl-delay for the crawler
  /// The first valid Crawl-delay that stands above the first group. This delay is for every
  /// crawler.
  std::optional<std::chrono::milliseconds> file_delay{};
  /// The lines for this crawler other than rules and Crawl-delay, such as Request-rate, in file
  /// order. `read_lines` reads them.
  std::vector<directive> extensions{};
  /// The License lines before all groups. They count for a crawler whose groups have none (RSL 1.0,
  /// section 4.4.2).
  std::vector<directive> file_licenses{};
  std::vector<std::string_view> sitemaps{};  ///< values of the Sitemap lines, as written
  std::optional<std::string_view> host{};    ///< the first Host value that is not empty
  file_findings findings{};                  ///< the problems of the file
};

namespace rep_detail {

class crawler_collector {
 public:
  constexpr crawler_collector(std::span<const std::string_view> user_agents,
                              const parse_options& options)
      : rules_(user_agents, options) {}

  constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      if (rules_.on_user_agent(line)) {
        found_.extensions.clear();
      }
      return;
    }
    const bool applies = rules_.on_other(line);
    if (is_rule(line.kind)) {
      return;
    }
    if (line.kind == directive_kind::sitemap) {
      found_.sitemaps.push_back(line.value);
    } else if (line.kind == directive_kind::host && !found_.host && !line.value.empty()) {
      found_.host = line.value;
    } else if (line.kind == directive_kind::crawl_delay) {
      if (!line.in_group && !found_.file_delay) {
        found_.file_delay = parse_delay(line.value);
      }
    } else if (applies && is_for_crawler(line.kind)) {
      found_.extensions.push_back(line);
    } else if (line.kind == directive_kind::license && !line.in_group) {
      found_.file_licenses.push_back(line);
    }
  }

  constexpr void on_diagnostic(const diagnostic& found) {
    constexpr std::size_t most = 32;
    if (found_.findings.diagnostics.size() < most) {
      found_.findings.diagnostics.push_back(found);
    }
  }

  [[nodiscard]] constexpr crawler_directives finish(file_findings::line_counts lines) && {
    found_.findings.lines = lines;
    found_.rules = rules_.finish();
    return std::move(found_);
  }

 private:
  rule_collector rules_;
  crawler_directives found_;
};

}  // namespace rep_detail

/// Reads everything in `text` for a crawler with several names, in one pass; see `compile`.
///
/// The member `rules` equals the result of `compile` for the same arguments. Accepts any octets,
/// and never throws because of them. Costs the same as `compile`.
[[nodiscard]] constexpr crawler_directives directives_for(
    std::string_view text, std::span<const std::string_view> user_agents,
    const parse_options& options = {}) {
  rep_detail::crawler_collector collector{user_agents, options};
  const file_findings::line_counts lines = scan(text, collector, options);
  return std::move(collector).finish(lines);
}

/// Reads everything in `text` for a crawler with one name.
[[nodiscard]] constexpr crawler_directives directives_for(std::string_view text,
                                                          std::string_view user_agent,
                                                          const parse_options& options = {}) {
  return directives_for(text, std::span{&user_agent, 1}, options);
}

}  // namespace robots
