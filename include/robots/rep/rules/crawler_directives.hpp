#pragma once

#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// What is to be said of a robots.txt that came, obeyed or not.
struct file_findings {
  line_counts lines{};                    ///< how many there are, and how many mean nothing
  std::vector<diagnostic> diagnostics{};  ///< the first 32, in file order
};

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

namespace rep_detail {

/// Takes the directives of a text and keeps what concerns one crawler.
class crawler_collector {
 public:
  constexpr crawler_collector(std::string_view user_agent, const parse_options& options)
      : rules_(user_agent, options) {}

  constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      if (rules_.on_user_agent(line)) {
        found_.extensions.clear();
      }
      return;
    }
    const bool applies = rules_.on_other(line);
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
    }
  }

  constexpr void on_diagnostic(const diagnostic& found) {
    constexpr std::size_t most = 32;
    if (found_.findings.diagnostics.size() < most) {
      found_.findings.diagnostics.push_back(found);
    }
  }

  [[nodiscard]] constexpr crawler_directives finish(line_counts lines) && {
    found_.findings.lines = lines;
    // Made in place: rules that have just been written are slow to move.
    return {.rules = rules_.finish(),
            .file_delay = found_.file_delay,
            .extensions = std::move(found_.extensions),
            .sitemaps = std::move(found_.sitemaps),
            .host = found_.host,
            .findings = std::move(found_.findings)};
  }

 private:
  rule_collector rules_;
  crawler_directives found_;
};

}  // namespace rep_detail

/// Reads everything that `text` says to one crawler, in one pass.
///
/// `user_agent` is as for `compile`, and `rules` is what `compile` gives. Takes any octets, never
/// throws on their account; the cost is that of `compile`.
[[nodiscard]] constexpr crawler_directives directives_for(std::string_view text,
                                                          std::string_view user_agent,
                                                          const parse_options& options = {}) {
  rep_detail::crawler_collector collector{user_agent, options};
  const line_counts lines = scan(text, collector, options);
  return std::move(collector).finish(lines);
}

}  // namespace robots
