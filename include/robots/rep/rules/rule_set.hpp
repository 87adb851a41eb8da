#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/normal_form.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace robots {

struct explanation;
struct listed_rule;

namespace rep_detail {

class rule_collector;

}  // namespace rep_detail

/// The compiled rules of one robots.txt for one crawler. `compile` and `document::rules_for` make a
/// rule set.
///
/// A rule set owns its memory, or shares it with its copies. Several threads can query one object
/// at once. A copy takes constant time.
class rule_set {
 public:
  /// Makes a rule set without rules, which allows everything.
  constexpr rule_set() = default;
  constexpr rule_set(const rule_set&) = default;
  constexpr rule_set& operator=(const rule_set&) = default;
  constexpr ~rule_set() = default;

  /// Takes over the rules of `other`, which is then empty.
  constexpr rule_set(rule_set&& other) noexcept = default;
  /// Takes over the rules of `other`, which is then empty. Self-assignment has no effect.
  constexpr rule_set& operator=(rule_set&& other) noexcept = default;

  /// Returns true if the crawler is allowed to fetch `target`, an absolute URL or a path with
  /// query. A target that has neither a scheme nor a leading slash is read as a path.
  ///
  /// The cost hardly depends on the number of rules, since only a few rules, such as `/*.js`, are
  /// tried one by one. Allocates nothing. Needs up to 128 KiB of stack if the target and at least
  /// one rule are not in normal form.
  ///
  /// A target is denied if its normal form exceeds 65,536 octets, or if the comparison with the
  /// rules takes more than 8,388,608 steps. Every target is denied if the rule set was made for a
  /// user agent that is a path or a URL (`is_target`). Then `verdict::undecided` is true. A rule
  /// set without rules allows everything.
  [[nodiscard]] constexpr bool allows(std::string_view target) const noexcept {
    if (empty()) {
      return true;
    }
    table_.prefetch();
    const rep_detail::dialect_traits& traits = *table_.facts().traits;
    return rep_detail::with_normal_target(target, traits, [&](std::string_view path) {
      const auto found = table_.find(path, rep_detail::step_budget{rep_detail::max_match_steps});
      const bool denied =
          found.steps.exceeded() || (found.any() && found.rule.kind() == rule_kind::disallow);
      return !denied || rep_detail::is_exempt(path, traits);
    });
  }

  /// Like `allows`, but also returns the deciding rule. The views in the result live as long as
  /// this rule set.
  ///
  /// RFC 9309, section 2.2.2: the matching rule with the most octets decides. Of equally long
  /// rules, an allow rule decides. If no rule matches, the target is allowed. /robots.txt itself is
  /// always allowed.
  [[nodiscard]] constexpr verdict match(std::string_view target) const& noexcept {
    table_.prefetch();
    const rep_detail::dialect_traits& traits = *table_.facts().traits;
    return rep_detail::with_normal_target(target, traits, [&](std::string_view path) {
      verdict result{.user_agent = user_agent()};  // the only object to return, so never copied
      if (rep_detail::is_exempt(path, traits)) {
        result.user_agent = table_.named();
        result.exempt = true;
        return result;
      }
      const auto found = table_.find(path, rep_detail::step_budget{rep_detail::max_match_steps});
      if (found.steps.exceeded()) {
        result.allowed = false;
        result.undecided = true;
      } else if (found.any()) {
        result.allowed = found.rule.kind() == rule_kind::allow;
        result.directive = found.rule.kind();
        result.pattern = found.rule.written(table_.block());
        result.line = found.rule.line();
      }
      return result;
    });
  }
  verdict match(std::string_view) const&& = delete;  // store the rules

  /// Explains the verdict on `target`. Tries every rule, each in time linear in the target. Include
  /// <robots/rep/rules/explanation.hpp> to call this function.
  [[nodiscard]] explanation explain(std::string_view target) const&;
  explanation explain(std::string_view) const&& = delete;  // store the rules

  /// Lists every rule, in no particular order. Takes linear time. Include
  /// <robots/rep/rules/explanation.hpp> to call this function.
  [[nodiscard]] std::vector<listed_rule> list() const&;
  std::vector<listed_rule> list() const&& = delete;  // store the rules

  /// Returns the Crawl-delay of the crawler, rounded up, or an empty optional if the crawler's
  /// groups have none. A crawler with its own groups does not inherit the delay of `*`.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return table_.facts().crawl_delay();
  }

  /// Returns the crawler's token, or "*" if the crawler has no token or the rules of `*` apply.
  [[nodiscard]] constexpr std::string_view user_agent() const& noexcept {
    return table_.facts().group == group_choice::everyone ? "*" : table_.named();
  }
  std::string_view user_agent() const&& = delete;  // store the rules

  /// Returns true if a target without a scheme is read as a host and a path (`dialect::google`).
  [[nodiscard]] constexpr bool reads_hosts() const noexcept {
    return table_.facts().traits->lenient_targets;
  }

  /// Returns true if the user agent is neither empty nor `*`, but names no crawler, so that only
  /// groups of `*` can apply: see `verdict::nameless`. Takes constant time.
  [[nodiscard]] constexpr bool nameless() const noexcept { return table_.facts().is_nameless; }

  /// Returns the number of rules. Empty rules do not count, since they restrict nothing.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return table_.facts().rules; }

  /// Returns true if there are no rules, so that everything is allowed.
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

  /// Returns a hash of the rules and the delay. Order and spelling do not matter. Compare hashes
  /// only within one dialect. Takes O(n log n) time for n rules, and allocates memory.
  [[nodiscard]] constexpr std::uint64_t fingerprint() const;

  /// Returns true if both rule sets were compiled from the same rules, in the same way, for the
  /// same crawler.
  [[nodiscard]] friend constexpr bool operator==(const rule_set&, const rule_set&) = default;

  /// Returns the address of the memory that a query reads first, for a prefetch.
  [[nodiscard]] constexpr const void* block() const noexcept { return table_.memory.operator->(); }

  /// Returns the octets of memory in use, including this object.
  [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + table_.memory.memory_bytes();
  }

 private:
  friend class rep_detail::rule_collector;

  /// Makes the table in place, since moving a table that was just written is slow. `Collector` is
  /// `rule_collector`, which is defined later.
  template <class Collector>
    requires std::is_same_v<Collector, rep_detail::rule_collector>
  constexpr explicit rule_set(Collector& from) : table_(from.table()) {}

  rep_detail::rule_table table_;
};

constexpr std::uint64_t rule_set::fingerprint() const {
  const rep_detail::normal_form& form = *table_.facts().traits->rule_form;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const rep_detail::packed_rule rule = table_.rule(i);
    rule.with_pattern(table_.block(), form, [&](const rep_detail::compiled_pattern& pattern) {
      const bool allows = rule.kind() == rule_kind::allow;
      const std::uint64_t flags = (allows ? 1U : 0U) + (pattern.anchored ? 2U : 0U);
      hashes.push_back(base::combined(base::fingerprint(pattern.text),
                                      flags + std::uint64_t{4} * rule.specificity(table_.block())));
    });
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  const auto delay = table_.facts().crawl_delay();
  std::uint64_t all = delay ? static_cast<std::uint64_t>(delay->count()) + 1 : 0;
  for (const std::uint64_t hash : hashes) {
    all = base::combined(all, hash);
  }
  return base::combined(all, hashes.size());
}

}  // namespace robots
