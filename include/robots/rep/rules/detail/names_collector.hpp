#pragma once

#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// Makes the rules of the first of several names that has a group.
class first_name_collector {
 public:
  constexpr first_name_collector(std::span<const std::string_view> user_agents,
                                 const parse_options& options) {
    collectors_.reserve(user_agents.size());
    for (const std::string_view user_agent : user_agents) {
      collectors_.emplace_back(user_agent, options);
    }
  }

  constexpr void on_directive(const directive& line) {
    for (rule_collector& collector : collectors_) {
      collector.on_directive(line);
    }
  }

  [[nodiscard]] constexpr rule_set finish() {
    const auto found =
        std::find_if(collectors_.begin(), collectors_.end(),
                     [](const rule_collector& collector) { return collector.own_found(); });
    rule_collector& chosen = found == collectors_.end() ? collectors_.front() : *found;
    return chosen.finish();
  }

 private:
  std::vector<rule_collector> collectors_;
};

/// Merges the groups of several names.
class united_names_collector {
 public:
  constexpr united_names_collector(std::span<const std::string_view> user_agents,
                                   const parse_options& options)
      : names_(user_agents.begin(), user_agents.end()),
        first_named_(user_agents.size()),
        collector_(user_agents.front(), options) {}

  constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      collector_.on_user_agent(line, compare(line.value));
    } else {
      collector_.on_other(line);
    }
  }

  [[nodiscard]] constexpr rule_set finish() {
    const bool named = first_named_ < names_.size();
    return collector_.finish_as(names_[named ? first_named_ : 0].token());
  }

 private:
  [[nodiscard]] constexpr agent_match compare(std::string_view value) noexcept {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const agent_match match = names_[i].compare(value);
      if (match != agent_match::none) {
        if (match == agent_match::own) {
          first_named_ = std::min(first_named_, i);
        }
        return match;
      }
    }
    return agent_match::none;
  }

  std::vector<agent_matcher> names_;
  std::size_t first_named_;  // the number of names when none is named so far
  rule_collector collector_;
};

/// Makes the rules of a crawler with several names; one without a name is meant by `*` only. `feed`
/// gives the directives to the handler that it is called with.
template <class Feed>
[[nodiscard]] constexpr rule_set collect_names(std::span<const std::string_view> user_agents,
                                               const parse_options& options, Feed feed) {
  if (user_agents.empty()) {
    rule_collector collector{"*", options};
    feed(collector);
    return collector.finish();
  }
  if (options.names == several_names::union_of_groups) {
    united_names_collector collector{user_agents, options};
    feed(collector);
    return collector.finish();
  }
  first_name_collector collector{user_agents, options};
  feed(collector);
  return collector.finish();
}

}  // namespace robots::rep_detail
