#pragma once

#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/group_selection.hpp>
#include <robots/rep/rules/detail/rule_packer.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// Keeps of all directives those that concern one crawler, and makes a `rule_set` of them. The text
/// that the directives view must live until then.
///
/// What takes directives is inlined, so that the scanner need not put each together in memory.
class rule_collector {
 public:
  constexpr rule_collector(std::string_view user_agent, const parse_options& options)
      : rule_collector(user_agent, options, traits_of(options.dialect)) {}

  /// Reads as `traits` says, whatever the dialect of `options`. Keeps a pointer to them, as the
  /// rule set that is made does.
  constexpr rule_collector(std::string_view user_agent, const parse_options& options,
                           const dialect_traits& traits)
      : agent_(user_agent), options_(options), traits_(&traits) {}

  [[gnu::always_inline]] constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      on_user_agent(line);
    } else {
      on_other(line);
    }
  }

  [[gnu::always_inline]] constexpr bool on_user_agent(const directive& line) {
    return on_user_agent(line, agent_.compare(line.value));
  }

  /// Takes a User-agent line of which it is known whom it names. Returns whether the lines kept so
  /// far apply no longer.
  [[gnu::always_inline]] constexpr bool on_user_agent(const directive& line, agent_match match) {
    const bool first = groups_.on_user_agent(line, match);
    if (first) {
      kept_.clear();
      crawl_delay_.reset();
    }
    return first;
  }

  /// Takes any other line. Returns whether it applies, as far as can be known yet.
  [[gnu::always_inline]] constexpr bool on_other(const directive& line) {
    if (!groups_.applies(line.kind)) {
      return false;
    }
    if (line.kind == directive_kind::crawl_delay && !crawl_delay_) {
      crawl_delay_ = parse_delay(line.value);
    } else if (is_rule(line.kind) && !line.value.empty()) {
      if (kept_.empty()) {
        kept_.reserve(usual_rules);
      }
      kept_.push_back({.value = line.value, .line = line.line, .kind = line.kind});
    }
    return true;
  }

  /// Some group names the crawler.
  [[nodiscard]] constexpr bool own_found() const noexcept { return groups_.own_found(); }

  /// The first valid Crawl-delay that applies.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return crawl_delay_;
  }

  [[nodiscard]] constexpr rule_set finish() const { return finish_as(agent_.token()); }

  /// The same with verdicts that report `token`.
  [[nodiscard]] constexpr rule_set finish_as(std::string_view token) const {
    return rule_set{*this, token};
  }

  /// What the rule set is made of.
  [[nodiscard]] constexpr rule_set_parts parts() const { return parts(agent_.token()); }

  [[nodiscard]] constexpr rule_set_parts parts(std::string_view token) const {
    rule_set_parts result = rule_packer{kept_, token, options_, *traits_}.finish();
    result.facts.group = groups_.choice();
    if (crawl_delay_) {
      result.facts.crawl_delay = *crawl_delay_;
    }
    return result;
  }

 private:
  /// More than most files have for one crawler. 960 octets: up to 1,032, glibc's malloc has a block
  /// at hand, which saves a third of the time of a file with one rule.
  static constexpr std::size_t usual_rules = 40;

  agent_matcher agent_;
  parse_options options_;
  const dialect_traits* traits_;
  group_selection groups_;
  // What applies of the lines so far.
  std::vector<kept_rule> kept_;
  std::optional<std::chrono::milliseconds> crawl_delay_;
};

}  // namespace robots::rep_detail

namespace robots {

constexpr rule_set::rule_set(const rep_detail::rule_collector& from, std::string_view token)
    : parts_(from.parts(token)) {}

}  // namespace robots
