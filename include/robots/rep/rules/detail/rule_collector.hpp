#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/detail/group_selection.hpp>
#include <robots/rep/rules/detail/kept_rules.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_packer.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// Collects the directives for one crawler and makes a `rule_set`. The text must live until
/// `finish` returns. The functions that take a directive are inlined, to keep the directive in
/// registers.
class rule_collector {
 public:
  /// Collects the directives for a crawler with several names, the most specific name first. If
  /// there are no names, only the groups of `*` apply.
  constexpr rule_collector(std::span<const std::string_view> user_agents,
                           const parse_options& options)
      : first_named_(user_agents.size()), options_(options) {
    for (const std::string_view user_agent : user_agents) {
      const agent_matcher name{user_agent, options.dialect};
      if (names_++ == 0) {
        first_name_ = name;
      } else {
        other_names_.push_back(name);
      }
      if (!name.token().empty()) [[likely]] {
        has_name_ = true;
      } else if (is_target(user_agent)) {
        no_user_agent_ = user_agent;
      } else if (!user_agent.empty() && user_agent != "*") {
        is_nameless_ = true;
      }
    }
  }

  ROBOTS_ALWAYS_INLINE constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      on_user_agent(line);
    } else {
      on_other(line);
    }
  }

  ROBOTS_ALWAYS_INLINE constexpr bool on_user_agent(const directive& line) {
    const bool is_more = groups_.on_user_agent(line, compare(line.value));
    if (is_more) {
      kept_.clear();
      crawl_delay_.reset();
    }
    return is_more;
  }

  /// Takes a line that is not a User-agent line. Returns true if the line applies. If
  /// `on_user_agent` returns true later, the line no longer applies.
  ROBOTS_ALWAYS_INLINE constexpr bool on_other(const directive& line) {
    if (!groups_.applies(line.kind)) {
      return false;
    }
    if (line.kind == directive_kind::crawl_delay && !crawl_delay_) {
      crawl_delay_ = parse_delay(line.value);
    } else if (is_rule(line.kind) && !line.value.empty()) {
      kept_.add(kept_rule::of(rule_kind_of(line.kind), line.line, line.value));
    }
    return true;
  }

  /// Returns true if no line applies before the next User-agent line.
  [[nodiscard]] constexpr bool waits_for_group() const noexcept {
    return !groups_.applies(directive_kind::allow);
  }

  /// Makes the rule set. Call this function once.
  [[nodiscard]] constexpr rule_set finish() { return rule_set{*this}; }

  [[nodiscard]] constexpr rule_table table() {
    rule_set_facts facts;
    std::string_view token = name(first_named_ < names_ ? first_named_ : 0).token();
    if (no_user_agent_.empty()) [[likely]] {
      facts.group = groups_.choice();
      facts.delay = crawl_delay_.value_or(facts.delay);
      facts.is_nameless = is_nameless_ && !has_name_;
    } else {
      keep_undecided();
      token = no_user_agent_;
    }
    return rule_packer{kept_, options_, traits_of(options_.dialect)}.finish(token, facts);
  }

 private:
  /// Replaces the rules for a path or URL that stands where a user agent belongs. No target can be
  /// decided for it, so everything is denied: see `rule_table::matches`.
  constexpr void keep_undecided() {
    // This pattern needs no octet of the target, and is not in normal form, so it is compared with
    // every target.
    constexpr std::string_view not_in_normal_form = "**/";
    kept_.clear();
    kept_.add(kept_rule::of(rule_kind::disallow, 0, not_in_normal_form));
  }

  /// A name that is earlier in the caller's list matches better. If `options_.names` merges the
  /// groups of all names, all names match equally well.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr agent_match compare(
      std::string_view value) noexcept {
    for (std::size_t i = 0; i < names_; ++i) {
      if (name(i).compare(value) == agent_match::own) {
        first_named_ = (std::min)(first_named_, i);
        const bool merges = options_.names == several_names::union_of_groups;
        const std::size_t more = merges ? 0 : names_ - i;
        return static_cast<agent_match>(static_cast<std::size_t>(agent_match::own) + more);
      }
    }
    return agent_matcher{}.compare(value);
  }

  [[nodiscard]] constexpr const agent_matcher& name(std::size_t index) const noexcept {
    return index == 0 ? first_name_ : other_names_[index - 1];
  }

  // Most crawlers have one name, which needs no allocation.
  agent_matcher first_name_;
  std::vector<agent_matcher> other_names_;
  std::size_t names_ = 0;
  std::string_view no_user_agent_{};  // a name that is a path or a URL, if there is one
  bool has_name_ = false;             // true if a name has a product token
  bool is_nameless_ = false;          // true if a name is neither `*` nor has a product token
  std::size_t first_named_;           // the index of the first name with a group, or `names_`
  parse_options options_;
  group_selection groups_;
  kept_rules kept_;
  std::optional<std::chrono::milliseconds> crawl_delay_;
};

}  // namespace robots::rep_detail
