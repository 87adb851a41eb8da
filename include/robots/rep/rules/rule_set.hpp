#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/match.hpp>
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
#include <utility>
#include <vector>

namespace robots {

struct explanation;
struct listed_rule;

namespace rep_detail {

class rule_collector;

/// Compiled rules, and the search for the rule that decides a target.
struct rule_table {
  std::vector<char> octets{};  ///< the block that `rule_set_facts` describes
  rule_set_facts facts{};

  [[nodiscard]] constexpr std::string_view block() const noexcept {
    return {octets.data(), octets.size()};
  }

  [[nodiscard]] friend constexpr bool operator==(const rule_table&, const rule_table&) = default;

  /// Returns true if a rule matches a target in normal form. Returns false if `steps` is exceeded.
  [[nodiscard]] constexpr bool matches(const packed_rule& rule, std::string_view target,
                                       step_budget& steps) const noexcept {
    steps.spend(1);
    if (rule.is_source()) {
      steps.spend(rule.source(block()).body.size());
    } else if (!rule.star()) {
      const compiled_pattern pattern = rule.pattern(block());
      return begins_with(target, pattern.text) &&
             (!pattern.anchored || target.size() == pattern.text.size());
    }
    const auto is_match = [&](const compiled_pattern& pattern) {
      return rep_detail::matches(pattern, target, steps);
    };
    return !steps.exceeded() && rule.with_pattern(block(), *facts.traits->rule_form, is_match);
  }

  [[nodiscard]] constexpr packed_rule rule(std::size_t index) const noexcept {
    return {block(), facts.rules_at() + index * packed_rule::stored_size};
  }

  /// The best rule found so far, and the remaining steps to find a better rule.
  struct search {
    std::optional<packed_rule> rule{};
    step_budget steps;
  };

  constexpr void prefetch() const noexcept {
    if (!std::is_constant_evaluated()) {
      base::fetch_ahead(octets.data() + facts.rules_at());
    }
  }

  [[nodiscard]] constexpr std::string_view named() const noexcept {
    return facts.token_size == 0 ? std::string_view{"*"}
                                 : block().substr(block().size() - facts.token_size);
  }

  [[nodiscard]] constexpr search find(std::string_view target, step_budget steps) const noexcept {
    search best{.steps = steps};
    if (target.size() > max_normal_target && facts.rules != 0) {
      best.steps.spend(max_match_steps + 1);
      return best;
    }
    find_by_trial(best, target);
    if (facts.prefix_buckets != 0) {
      find_by_prefix(best, target);
    }
    if (facts.gram_buckets != 0) {
      find_by_gram(best, target);
    }
    return best;
  }

 private:
  constexpr void try_rule(search& best, const packed_rule& rule,
                          std::string_view target) const noexcept {
    const bool is_higher =
        !best.rule || rule.rank(block(), facts.tie) > best.rule->rank(block(), facts.tie);
    if (is_higher && matches(rule, target, best.steps)) {
      best.rule = rule;
    }
  }

  constexpr void find_by_trial(search& best, std::string_view target) const noexcept {
    for (std::size_t i = 0; i < facts.tried; ++i) {
      const packed_rule tried = rule(i);
      if (matches(tried, target, best.steps)) {
        best.rule = tried;
        return;
      }
    }
  }

  /// The rules of one bucket: from index `first` up to, but not including, `end`.
  struct candidates {
    std::size_t first = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] constexpr candidates candidates_at(std::size_t place) const noexcept {
    const octet_word first_and_end = whole_word(block(), place);
    return {.first = static_cast<std::size_t>(first_and_end & 0xFFFF'FFFFU),
            .end = static_cast<std::size_t>(first_and_end >> 32U)};
  }

  template <class Use>
  constexpr void visit(const candidates& found, std::uint64_t hash, Use use) const {
    const std::uint32_t tag = tag_of(hash);
    const std::size_t first = facts.rules_at() + found.first * packed_rule::stored_size;
    const std::size_t size = (found.end - found.first) * packed_rule::stored_size;
    for (std::size_t offset = first; offset != first + size; offset += packed_rule::stored_size) {
      if (packed_rule::tag_at(block(), offset) == tag) {
        use(packed_rule{block(), offset});
      }
    }
  }

  ROBOTS_ALWAYS_INLINE constexpr void find_by_prefix(search& best,
                                                     std::string_view target) const noexcept {
    prefix_hasher prefixes{target};
    for (octet_word lengths = prefix_lengths::load_for(target, block()); lengths != 0;
         lengths &= lengths - 1) {
      const std::uint64_t hash = prefixes.of(static_cast<std::size_t>(std::countr_zero(lengths)));
      const candidates found = candidates_at(bucket_at(hash, 0, facts.prefix_buckets));
      visit(found, hash, [&](const packed_rule& rule) { try_rule(best, rule, target); });
    }
  }

  // Not inlined, since inlining slows down queries to rule sets that have no index of grams.
  ROBOTS_NOINLINE constexpr void find_by_gram(search& best,
                                              std::string_view target) const noexcept {
    const auto bucket_of = [this](std::uint64_t hash) {
      return bucket_at(hash, facts.prefix_buckets, facts.gram_buckets);
    };
    const std::size_t first = candidates_at(bucket_of(0)).first;
    std::size_t tries = facts.rules - first;
    std::size_t look_ups = look_ups_per_trial * (tries + target.size());
    for_each_gram(target, [&](std::uint64_t hash) {
      const candidates found = candidates_at(bucket_of(hash));
      if (found.first == found.end || tries == 0) [[likely]] {
        return;
      }
      if (look_ups < found.end - found.first) {
        tries = 0;
        return;
      }
      look_ups -= found.end - found.first;
      visit(found, hash, [&](const packed_rule& rule) {
        if (tries > 0) {
          tries -= (std::min)(tries, 1 + rule.written(block()).size() / octets_per_try);
          try_rule(best, rule, target);
        }
      });
    });
    if (tries == 0) {
      // If a target repeats a gram, the search above tries the same rules many times. After too
      // many tries, the loop below tries each rule of the gram buckets once.
      for (std::size_t i = first; i < facts.rules; ++i) {
        try_rule(best, rule(i), target);
      }
    }
  }

  /// A long rule counts as several tries: one more for every `octets_per_try` octets.
  static constexpr std::size_t octets_per_try = 8;

  /// The number of tags that can be compared in the time that matching one short rule takes.
  static constexpr std::size_t look_ups_per_trial = 8;
};

}  // namespace rep_detail

/// The compiled rules of one robots.txt for one crawler. `compile` and `document::rules_for` make a
/// rule set.
///
/// A rule set owns its memory. Several threads can query one object at once.
class rule_set {
 public:
  /// Makes a rule set without rules, which allows everything.
  constexpr rule_set() = default;
  constexpr rule_set(const rule_set&) = default;
  constexpr rule_set& operator=(const rule_set&) = default;
  constexpr ~rule_set() = default;

  /// Takes over the rules of `other`, which is then empty.
  constexpr rule_set(rule_set&& other) noexcept
      : table_(std::exchange(other.table_, rep_detail::rule_table{})) {}
  /// Takes over the rules of `other`, which is then empty. Self-assignment has no effect.
  constexpr rule_set& operator=(rule_set&& other) noexcept {
    table_ = std::exchange(other.table_, rep_detail::rule_table{});
    return *this;
  }

  /// Returns true if the crawler is allowed to fetch `target`, an absolute URL or a path with
  /// query. A target that has neither a scheme nor a leading slash is read as a path.
  ///
  /// The cost hardly depends on the number of rules, since only a few rules, such as `/*.js`, are
  /// tried one by one. Allocates nothing. Needs up to 128 KiB of stack if the target and at least
  /// one rule are not in normal form.
  ///
  /// A target is denied if its normal form exceeds 65,536 octets, or if the comparison with the
  /// rules takes more than 8,388,608 steps. Then `verdict::undecided` is true. A rule set without
  /// rules allows everything.
  [[nodiscard]] constexpr bool allows(std::string_view target) const noexcept {
    if (empty()) {
      return true;
    }
    table_.prefetch();
    const rep_detail::dialect_traits& traits = *table_.facts.traits;
    return rep_detail::with_normal_target(target, traits, [&](std::string_view path) {
      const auto found = table_.find(path, rep_detail::step_budget{rep_detail::max_match_steps});
      const bool denied =
          found.steps.exceeded() || (found.rule && found.rule->kind() == rule_kind::disallow);
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
    const rep_detail::dialect_traits& traits = *table_.facts.traits;
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
      } else if (found.rule) {
        result.allowed = found.rule->kind() == rule_kind::allow;
        result.directive = found.rule->kind();
        result.pattern = found.rule->written(table_.block());
        result.line = found.rule->line();
      }
      return result;
    });
  }
  verdict match(std::string_view) const&& = delete;

  /// Explains the verdict on `target`. Tries every rule, each in time linear in the target. Include
  /// <robots/rep/rules/explanation.hpp> to call this function.
  [[nodiscard]] explanation explain(std::string_view target) const&;
  explanation explain(std::string_view) const&& = delete;

  /// Lists every rule, in no particular order. Takes linear time. Include
  /// <robots/rep/rules/explanation.hpp> to call this function.
  [[nodiscard]] std::vector<listed_rule> list() const&;
  std::vector<listed_rule> list() const&& = delete;

  /// Returns the Crawl-delay of the crawler, rounded up, or an empty optional if the crawler's
  /// groups have none. A crawler with its own groups does not inherit the delay of `*`.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return table_.facts.crawl_delay();
  }

  /// Returns the crawler's token, or "*" if the crawler has no token or the rules of `*` apply.
  [[nodiscard]] constexpr std::string_view user_agent() const& noexcept {
    return table_.facts.group == group_choice::everyone ? "*" : table_.named();
  }
  std::string_view user_agent() const&& = delete;

  /// Returns true if a target without a scheme is read as a host and a path (`dialect::google`).
  [[nodiscard]] constexpr bool reads_hosts() const noexcept {
    return table_.facts.traits->lenient_targets;
  }

  /// Returns the number of rules. Empty rules do not count, since they restrict nothing.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return table_.facts.rules; }

  /// Returns true if there are no rules, so that everything is allowed.
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

  /// Returns a hash of the rules and the delay. Order and spelling do not matter. Compare hashes
  /// only within one dialect. Takes O(n log n) time for n rules, and allocates memory.
  [[nodiscard]] constexpr std::uint64_t fingerprint() const;

  /// Returns true if both rule sets were compiled from the same rules, in the same way, for the
  /// same crawler.
  [[nodiscard]] friend constexpr bool operator==(const rule_set&, const rule_set&) = default;

  /// Returns the address of the memory that a query reads first, for a prefetch.
  [[nodiscard]] constexpr const void* block() const noexcept { return table_.octets.data(); }

  /// Returns the octets of memory in use, including this object.
  [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + table_.octets.capacity();
  }

 private:
  friend class rep_detail::rule_collector;

  /// Makes the table in place, since moving a table that was just written is slow.
  template <class Collector>
  constexpr explicit rule_set(Collector& from) : table_(from.table()) {}

  rep_detail::rule_table table_;
};

constexpr std::uint64_t rule_set::fingerprint() const {
  const rep_detail::normal_form& form = *table_.facts.traits->rule_form;
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
  const auto delay = table_.facts.crawl_delay();
  std::uint64_t all = delay ? static_cast<std::uint64_t>(delay->count()) + 1 : 0;
  for (const std::uint64_t hash : hashes) {
    all = base::combined(all, hash);
  }
  return base::combined(all, hashes.size());
}

}  // namespace robots
