#pragma once

#include <robots/rep/detail/agent_matcher.hpp>
#include <robots/rep/detail/dialect_traits.hpp>
#include <robots/rep/detail/group_selection.hpp>
#include <robots/rep/detail/parse_delay.hpp>
#include <robots/rep/detail/rule_patterns.hpp>
#include <robots/rep/detail/text_arena.hpp>
#include <robots/rep/directive.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/rule_set.hpp>

#include <algorithm>
#include <chrono>
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
      : agent_(user_agent), options_(options) {}

  constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      if (line.starts_group) {
        group_delay_.reset();
      }
      groups_.on_user_agent(agent_.compare(line.value), line.starts_group);
      take_delay();
    } else if (line.kind == directive_kind::crawl_delay) {
      if (!group_delay_) {
        group_delay_ = parse_delay(line.value);
      }
      take_delay();
    } else if (is_rule(line.kind) && groups_.relevant()) {
      current().rules.push_back(line);
    }
  }

  [[nodiscard]] constexpr rule_set finish() const {
    const found& part = groups_.own_found() ? own_ : everyone_;
    rule_set result;
    result.options_ = options_;
    result.group_ = groups_.choice();
    result.crawl_delay_ = part.delay;
    result.text_.reserve(text_size(part));
    result.rules_.reserve(part.rules.size());
    result.token_ = append_lower(result.text_, agent_.token());
    for (const directive& line : part.rules) {
      add(result, line);
    }
    std::ranges::sort(result.rules_, [this](const compiled_rule& a, const compiled_rule& b) {
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
    if (groups_.relevant() && !current().delay) {
      current().delay = group_delay_;
    }
  }

  [[nodiscard]] constexpr std::size_t text_size(const found& part) const noexcept {
    std::size_t size = agent_.token().size();
    for (const directive& line : part.rules) {
      size += line.value.size();
    }
    return size;
  }

  constexpr void add(rule_set& result, const directive& line) const {
    if (line.value.empty()) {
      return;
    }
    const text_span written = append(result.text_, line.value);
    const normal_form& form = *traits_of(options_.dialect).rule_form;
    for_each_pattern(line.kind, line.value, options_, [&](const pattern_source& source) {
      compiled_rule rule = make_rule(result.text_, source, written, form);
      rule.line = line.line;
      rule.kind = line.kind == directive_kind::allow ? rule_kind::allow : rule_kind::disallow;
      result.rules_.push_back(rule);
    });
  }

  agent_matcher agent_;
  parse_options options_;
  group_selection groups_;
  found own_;
  found everyone_;
  std::optional<std::chrono::milliseconds> group_delay_;
};

}  // namespace robots::detail
