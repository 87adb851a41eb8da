#pragma once

#include <robots/rep/detail/agent_matcher.hpp>
#include <robots/rep/detail/dialect_traits.hpp>
#include <robots/rep/detail/group_selection.hpp>
#include <robots/rep/detail/parse_delay.hpp>
#include <robots/rep/detail/rule_patterns.hpp>
#include <robots/rep/detail/rule_set_parts.hpp>
#include <robots/rep/detail/text_arena.hpp>
#include <robots/rep/directive.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/rule_set.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::detail {

/// Keeps of all directives those that concern one crawler, and makes a `rule_set` of them. The text
/// that the directives view must live until then.
class rule_collector {
 public:
  constexpr rule_collector(std::string_view user_agent, const parse_options& options)
      : rule_collector(user_agent, options, traits_of(options.dialect)) {}

  /// Reads as `traits` says, whatever the dialect of `options`. Keeps a pointer to them, as the
  /// rule set that is made does.
  constexpr rule_collector(std::string_view user_agent, const parse_options& options,
                           const dialect_traits& traits)
      : agent_(user_agent), options_(options), traits_(&traits) {}

  constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      on_user_agent(line, agent_.compare(line.value));
    } else {
      on_other(line);
    }
  }

  /// Takes a User-agent line of which it is known whom it names.
  constexpr void on_user_agent(const directive& line, agent_match match) {
    if (line.starts_group) {
      group_delay_.reset();
    }
    groups_.on_user_agent(match, line.starts_group);
    take_delay();
  }

  /// Takes any other line.
  constexpr void on_other(const directive& line) {
    if (line.kind == directive_kind::crawl_delay) {
      if (!group_delay_) {
        group_delay_ = parse_delay(line.value);
      }
      take_delay();
    } else if (is_rule(line.kind) && groups_.relevant()) {
      current().rules.push_back(line);
    }
  }

  /// Some group names the crawler.
  [[nodiscard]] constexpr bool own_found() const noexcept { return groups_.own_found(); }

  [[nodiscard]] constexpr rule_set finish() const { return finish_as(agent_.token()); }

  /// The same with verdicts that report `token`.
  [[nodiscard]] constexpr rule_set finish_as(std::string_view token) const {
    return rule_set{parts(token)};
  }

  /// What the rule set is made of.
  [[nodiscard]] constexpr rule_set_parts parts() const { return parts(agent_.token()); }

  [[nodiscard]] constexpr rule_set_parts parts(std::string_view token) const {
    const found& part = groups_.own_found() ? own_ : everyone_;
    rule_set_parts result{.crawl_delay = part.delay, .group = groups_.choice(), .traits = traits_};
    result.text.reserve(text_size(part, token));
    result.rules.reserve(part.rules.size());
    result.token = append_lower(result.text, token);
    for (const directive& line : part.rules) {
      add(result, line);
    }
    std::ranges::sort(result.rules, [this](const compiled_rule& a, const compiled_rule& b) {
      return a.decides_over(b, options_.tie);
    });
    return result;
  }

 private:
  struct found {
    std::vector<directive> rules;
    std::optional<std::chrono::milliseconds> delay;
  };

  [[nodiscard]] constexpr found& current() noexcept { return groups_.own() ? own_ : everyone_; }

  /// A delay between two User-agent lines holds for both, so it is kept until the group is over.
  constexpr void take_delay() noexcept {
    if (group_delay_ && groups_.relevant() && !current().delay) {
      current().delay = *group_delay_;
    }
  }

  [[nodiscard]] static constexpr std::size_t text_size(const found& part,
                                                       std::string_view token) noexcept {
    std::size_t size = token.size();
    for (const directive& line : part.rules) {
      size += line.value.size();
    }
    return size;
  }

  constexpr void add(rule_set_parts& result, const directive& line) const {
    if (line.value.empty()) {
      return;
    }
    const text_span written = append(result.text, line.value);
    const normal_form& form = *traits_->rule_form;
    for_each_pattern(line.kind, line.value, options_, *traits_, [&](const pattern_source& source) {
      compiled_rule rule = make_rule(result.text, source, written, form);
      rule.line = line.line;
      rule.kind = line.kind == directive_kind::allow ? rule_kind::allow : rule_kind::disallow;
      result.rules.push_back(rule);
    });
  }

  agent_matcher agent_;
  parse_options options_;
  const dialect_traits* traits_;
  group_selection groups_;
  found own_;
  found everyone_;
  std::optional<std::chrono::milliseconds> group_delay_;
};

}  // namespace robots::detail
