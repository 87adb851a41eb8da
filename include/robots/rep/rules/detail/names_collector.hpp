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

/// Makes the rules of a crawler with several names. Without a name, only the rules of `*` apply to
/// the crawler.
class names_collector {
 public:
  constexpr names_collector(std::span<const std::string_view> user_agents,
                            const parse_options& options)
      : names_(user_agents.begin(), user_agents.end()),
        first_named_(user_agents.size()),
        merges_(options.names == several_names::union_of_groups),
        collector_(user_agents.empty() ? "*" : user_agents.front(), options) {}

  constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      collector_.on_user_agent(line, compare(line.value));
    } else {
      collector_.on_other(line);
    }
  }

  [[nodiscard]] constexpr rule_set finish() {
    const bool named = first_named_ < names_.size();
    return collector_.finish_as(named ? names_[first_named_].token() : collector_.token());
  }

 private:
  /// An earlier name is a better match, unless the groups of all names are merged.
  [[nodiscard]] constexpr agent_match compare(std::string_view value) noexcept {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].compare(value) == agent_match::own) {
        first_named_ = (std::min)(first_named_, i);
        const std::size_t more = merges_ ? 0 : names_.size() - i;
        return static_cast<agent_match>(static_cast<std::size_t>(agent_match::own) + more);
      }
    }
    return agent_matcher{"*"}.compare(value);
  }

  std::vector<agent_matcher> names_;
  std::size_t first_named_;  // the number of names, if no line has named the crawler so far
  bool merges_;
  rule_collector collector_;
};

}  // namespace robots::rep_detail
