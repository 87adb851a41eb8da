#pragma once

#include <robots/rep/document/detail/document_builder.hpp>
#include <robots/rep/document/detail/find_basis.hpp>
#include <robots/rep/document/detail/token_pool.hpp>
#include <robots/rep/document/group.hpp>
#include <robots/rep/document/value_range.hpp>
#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/group_selection.hpp>
#include <robots/rep/rules/detail/names_collector.hpp>
#include <robots/rep/rules/detail/normal_target.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// Everything that one robots.txt says (WEB::ROBOTS's PARSE). Made by `parse`.
///
/// Owns a copy of the text, which all views and ranges that it gives out point into: keep the
/// document as long as them. A value that many threads may ask at once. A `user_agent` is a product
/// token or a whole `User-Agent` header value; "*" asks for what holds for crawlers that are not
/// named. A `target` is an absolute URL or a path with query.
class document {
 public:
  /// An empty file: everything is allowed.
  constexpr document() = default;

  /// Whether the crawler may fetch `target`.
  [[nodiscard]] constexpr bool allows(std::string_view target,
                                      std::string_view user_agent = "*") const {
    return match(target, user_agent).allowed;
  }

  /// The same with the deciding rule. The views in the result live as long as this document.
  ///
  /// Linear in the number of lines, and in the target for each rule that is tried; to ask many
  /// times for one crawler, ask `rules_for(user_agent)`. Allocates only to keep, once, the token of
  /// a crawler that the file does not name.
  [[nodiscard]] constexpr verdict match(std::string_view target,
                                        std::string_view user_agent = "*") const {
    const detail::dialect_traits& traits = detail::traits_of(options_.dialect);
    return detail::with_normal_target(target, traits, [&](auto cursor) {
      const detail::agent_matcher agent{user_agent};
      if (traits.robots_txt_always_allowed && detail::is_robots_txt(cursor)) {
        return verdict{.user_agent = normalized(agent)};
      }
      const detail::decision_basis basis = detail::find_basis(parts_, options_, agent, cursor);
      verdict result{.user_agent = basis.group == group_choice::everyone ? "*" : normalized(agent)};
      if (basis.rule != nullptr) {
        const bool allow = basis.rule->kind == directive_kind::allow;
        result.allowed = allow;
        result.directive = allow ? rule_kind::allow : rule_kind::disallow;
        result.pattern = basis.rule->value(all_text());
        result.line = basis.rule->line;
      }
      return result;
    });
  }

  /// The values of the Sitemap lines, as written, wherever they stand (RFC 9309, section 2.2.4).
  [[nodiscard]] constexpr value_range sitemaps() const noexcept {
    return values(directive_kind::sitemap);
  }

  /// The value of the first Host line that has one. Has no effect on any verdict.
  [[nodiscard]] constexpr std::optional<std::string_view> host() const noexcept {
    for (const std::string_view value : values(directive_kind::host)) {
      if (!value.empty()) {
        return value;
      }
    }
    return std::nullopt;
  }

  /// The values of all lines of one kind, as written, in file order.
  [[nodiscard]] constexpr value_range values(directive_kind kind) const noexcept {
    return {parts_.records, all_text(), kind};
  }

  /// The Crawl-delay that applies to a crawler, in milliseconds, rounded up; nothing when its
  /// groups have none. A crawler with groups of its own does not take over the delay of `*`.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay(
      std::string_view user_agent = "*") const {
    detail::rule_collector collector{user_agent, options_};
    tell(collector);
    return collector.crawl_delay();
  }

  /// The first valid Crawl-delay before any group: the file's own. A floor for politeness, never a
  /// rule.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> file_delay() const noexcept {
    for (const detail::record& line : parts_.records) {
      if (line.in_group) {
        break;
      }
      if (line.kind != directive_kind::crawl_delay) {
        continue;
      }
      if (const auto delay = detail::parse_delay(line.value(all_text()))) {
        return delay;
      }
    }
    return std::nullopt;
  }

  /// Every directive in file order, of unknown kinds too.
  [[nodiscard]] constexpr std::vector<directive> directives() const {
    std::vector<directive> result;
    for (const detail::record& line : parts_.records) {
      if (!line.implied) {
        result.push_back(line.as_directive(all_text()));
      }
    }
    return result;
  }

  /// The directives, User-agent lines aside, of the groups that apply to a crawler, in file order:
  /// those of its own groups, or of the groups of `*` when none names it.
  [[nodiscard]] constexpr std::vector<directive> directives_for(std::string_view user_agent) const {
    std::vector<directive> found;
    const detail::agent_matcher agent{user_agent};
    detail::group_selection groups;
    for (const detail::record& line : parts_.records) {
      if (line.kind == directive_kind::user_agent) {
        if (groups.on_user_agent(agent.compare(line.value(all_text())), line.starts_group)) {
          found.clear();
        }
      } else if (groups.on_other(line.kind) && !line.implied) {
        found.push_back(line.as_directive(all_text()));
      }
    }
    return found;
  }

  /// The groups in file order, not merged.
  [[nodiscard]] constexpr group_range groups() const noexcept {
    return {parts_.records, all_text()};
  }

  /// What the author of the file should know, by line. Empty for a clean file.
  [[nodiscard]] constexpr std::span<const diagnostic> diagnostics() const noexcept {
    return parts_.diagnostics;
  }

  /// How the text was read.
  [[nodiscard]] constexpr const parse_options& options() const noexcept { return options_; }

  /// How many lines there are, and how many of them are no `key: value` (the pipeline guide).
  [[nodiscard]] constexpr line_counts lines() const noexcept { return parts_.lines; }

  /// The rules that apply to one crawler, compiled: what a hot loop should ask.
  [[nodiscard]] constexpr rule_set rules_for(std::string_view user_agent) const {
    detail::rule_collector collector{user_agent, options_};
    tell(collector);
    return collector.finish();
  }

  /// The same for a crawler that goes by several names, the most specific first; see `compile`.
  [[nodiscard]] constexpr rule_set rules_for(std::span<const std::string_view> user_agents) const {
    return detail::collect_names(user_agents, options_,
                                 [this](auto& collector) { tell(collector); });
  }

  /// The same for names in braces.
  [[nodiscard]] constexpr rule_set rules_for(
      std::initializer_list<std::string_view> user_agents) const {
    return rules_for(std::span{user_agents.begin(), user_agents.size()});
  }

 private:
  friend constexpr document parse(std::string_view text, parse_options options);

  constexpr document(detail::document_parts parts, const parse_options& options)
      : parts_(std::move(parts)), options_(options) {}

  [[nodiscard]] constexpr std::string_view all_text() const noexcept { return parts_.text(); }

  /// Gives every directive to a maker of rule sets.
  template <class Collector>
  constexpr void tell(Collector& collector) const {
    for (const detail::record& line : parts_.records) {
      if (!line.implied) {
        collector.on_directive(line.as_directive(all_text()));
      }
    }
  }

  /// The crawler's token in lower case, from the file if it is named there.
  [[nodiscard]] constexpr std::string_view normalized(const detail::agent_matcher& agent) const {
    if (agent.token().empty() || agent.token() == "*") {
      return "*";
    }
    for (const detail::record& line : parts_.records) {
      if (line.kind != directive_kind::user_agent) {
        continue;
      }
      const std::string_view lower =
          line.made ? line.made_text(all_text()) : line.value(all_text());
      if (agent.compare(lower) == detail::agent_match::own) {
        return lower.substr(0, agent.token().size());
      }
    }
    return unnamed_.lower(agent.token());
  }

  detail::document_parts parts_;
  parse_options options_;
  detail::token_pool unnamed_;
};

/// Reads a whole robots.txt.
///
/// Takes any octets: what cannot be understood is reported in `document::diagnostics` and skipped,
/// line by line. Never throws on bad content; linear in the text. Usable in constant expressions.
[[nodiscard]] constexpr document parse(std::string_view text, parse_options options = {}) {
  detail::document_builder builder{text, options};
  const line_counts lines = scan(text, builder, options);
  return document{std::move(builder).finish(lines), options};
}

}  // namespace robots
