#pragma once

#include <robots/base/config.hpp>
#include <robots/base/fingerprint.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

struct explanation;
struct listed_rule;

namespace rep_detail {
class rule_collector;
struct rule_table;
}  // namespace rep_detail

/// The rules of one robots.txt that apply to one crawler, compiled.
///
/// Made by `compile` or `document::rules_for`. Owns what it needs; a value that many threads may
/// ask at once.
class rule_set {
 public:
  /// No rules: everything is allowed, to everyone.
  constexpr rule_set() = default;
  constexpr rule_set(const rule_set&) = default;
  constexpr rule_set& operator=(const rule_set&) = default;
  constexpr ~rule_set() = default;

  /// Takes the rules of `other`, and leaves none there.
  constexpr rule_set(rule_set&& other) noexcept
      : parts_(std::exchange(other.parts_, rep_detail::rule_set_parts{})) {}
  /// The same; assigned to itself, a rule set stays as it is.
  constexpr rule_set& operator=(rule_set&& other) noexcept {
    parts_ = std::exchange(other.parts_, rep_detail::rule_set_parts{});
    return *this;
  }

  /// Whether the crawler may fetch `target`, an absolute URL or a path with query. A target without
  /// scheme and leading slash is a path too: see `path_and_query`.
  ///
  /// Looks rules up by what `target` begins with or holds, so that their number hardly matters;
  /// only of those with wildcards in front some are tried one by one, where they are few or hold no
  /// literal of four octets. Never allocates; takes up to 128 KiB of stack where neither target nor
  /// rule is in normal form, else little.
  ///
  /// Bounded, whatever target and rules are: a target whose normal form has more than 65,536 octets
  /// is not allowed, nor is one that takes more than 8,388,608 steps to compare; searching a target
  /// for a literal takes a step for each octet at most. `verdict::undecided` tells. Where there are
  /// no rules, everything is allowed.
  [[nodiscard]] constexpr bool allows(std::string_view target) const noexcept;

  /// The same with the deciding rule, at the same cost. The views in the result live as long as
  /// this rule set.
  ///
  /// RFC 9309, section 2.2.2: the matching rule with the most octets decides, at equal length an
  /// allow rule; without a matching rule, and for /robots.txt itself, the target is allowed.
  [[nodiscard]] constexpr verdict match(std::string_view target) const& noexcept;
  verdict match(std::string_view) const&& = delete;

  /// How the verdict on `target` comes about: every rule that matches, in the order in which they
  /// decide, with the normal forms compared. Allocates; tries every rule, linear in the target for
  /// each, and sorts those that match. Needs <robots/rep/rules/explanation.hpp>.
  [[nodiscard]] explanation explain(std::string_view target) const&;
  explanation explain(std::string_view) const&& = delete;

  /// Every rule, in no particular order. Linear. Needs <robots/rep/rules/listed_rule.hpp>.
  [[nodiscard]] std::vector<listed_rule> list() const&;
  std::vector<listed_rule> list() const&& = delete;

  /// The Crawl-delay that applies to the crawler, in milliseconds, rounded up; nothing when its
  /// groups have none. A crawler with groups of its own does not take over the delay of `*`.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return parts_.facts.crawl_delay();
  }

  /// What verdicts report: the crawler's token as it was given, or "*" when the rules of `*`
  /// apply.
  [[nodiscard]] constexpr std::string_view user_agent() const& noexcept;
  std::string_view user_agent() const&& = delete;

  /// Whether a target without a scheme begins with a host, as in `dialect::google`.
  [[nodiscard]] constexpr bool reads_hosts() const noexcept {
    return parts_.facts.traits->lenient_targets;
  }

  /// Number of rules; empty ones, which restrict nothing, do not count.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return parts_.facts.rules; }

  /// Whether there are no rules, so that everything is allowed.
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

  /// Stands for the meaning: the same for rule sets of one dialect with the same rules and delay,
  /// in whatever order and spelling. Allocates; O(n log n) in the rules.
  [[nodiscard]] constexpr std::uint64_t fingerprint() const;

  /// Returns true if both were compiled from the same rules, in the same way, for the same crawler.
  /// Sets that mean the same in other words have the same `fingerprint`.
  [[nodiscard]] friend constexpr bool operator==(const rule_set&, const rule_set&) = default;

  /// The address of the memory that a query reads first, for whoever has the processor fetch that
  /// ahead of one.
  [[nodiscard]] constexpr const void* block() const noexcept { return parts_.block.data(); }

  /// Octets of memory held, this object included.
  [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + parts_.block.capacity();
  }

 private:
  friend class rep_detail::rule_collector;

  /// Made in place: parts that have just been written are slow to move.
  template <class Collector>
  constexpr rule_set(Collector& from, std::string_view token) : parts_(from.parts(token)) {}

  [[nodiscard]] constexpr rep_detail::rule_table table() const noexcept;

  rep_detail::rule_set_parts parts_;
};

constexpr rep_detail::rule_table rule_set::table() const noexcept {
  return {.block = {parts_.block.data(), parts_.block.size()}, .facts = parts_.facts};
}

constexpr bool rule_set::allows(std::string_view target) const noexcept {
  return table().allows(target);
}

constexpr verdict rule_set::match(std::string_view target) const& noexcept {
  return table().match(target);
}

constexpr std::string_view rule_set::user_agent() const& noexcept { return table().user_agent(); }

constexpr std::uint64_t rule_set::fingerprint() const {
  const rep_detail::rule_table table = this->table();
  const rep_detail::normal_form& form = *parts_.facts.traits->rule_form;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const rep_detail::packed_rule rule = table.rule(i);
    rule.with_pattern(table.block, form, [&](const rep_detail::compiled_pattern& pattern) {
      const bool allows = rule.kind() == rule_kind::allow;
      const std::uint64_t flags = (allows ? 1U : 0U) + (pattern.anchored ? 2U : 0U);
      hashes.push_back(base::combined(base::fingerprint(pattern.text),
                                      flags + std::uint64_t{4} * rule.specificity(table.block)));
    });
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  const auto delay = parts_.facts.crawl_delay();
  std::uint64_t all = delay ? static_cast<std::uint64_t>(delay->count()) + 1 : 0;
  for (const std::uint64_t hash : hashes) {
    all = base::combined(all, hash);
  }
  return base::combined(all, hashes.size());
}

}  // namespace robots
