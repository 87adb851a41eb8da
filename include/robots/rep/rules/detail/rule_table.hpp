#pragma once

#include <robots/rep/rules/detail/class_set.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/gram.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/normal_target.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/rules/group_choice.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/text_cursor.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace robots::rep_detail {

/// A view of compiled rules, wherever they are stored, that answers for them.
struct rule_table {
  std::string_view text;  ///< what the rules' offsets lie in
  std::span<const packed_rule> rules;
  const hash_bucket* buckets;
  std::span<const class_set> needed;  ///< by each of the rules that are tried one by one
  const rule_index& index;
  const rule_set_facts& facts;

  /// Whether `target` may be fetched.
  [[nodiscard]] constexpr bool allows(std::string_view target) const noexcept {
    if (rules.empty()) {
      return true;
    }
    return with_normal_target(target, *facts.traits, [*this](auto cursor) {
      const search found = find(cursor);
      const bool denied = found.steps.exceeded() ||
                          (found.rule != nullptr && found.rule->kind() == rule_kind::disallow);
      return !denied || is_exempt(cursor, *facts.traits);
    });
  }

  /// The same with the deciding rule.
  [[nodiscard]] constexpr verdict match(std::string_view target) const noexcept {
    return with_normal_target(target, *facts.traits, [*this](auto cursor) {
      verdict result{.user_agent = user_agent()};  // one, so that it is never copied
      if (is_exempt(cursor, *facts.traits)) {
        result.user_agent = named();
        result.exempt = true;
        return result;
      }
      const search found = find(cursor);
      if (found.steps.exceeded()) {
        result.allowed = false;
        result.undecided = true;
      } else if (found.rule != nullptr) {
        result.allowed = found.rule->kind() == rule_kind::allow;
        result.directive = found.rule->kind();
        result.pattern = found.rule->written(text);
        result.line = found.rule->line();
      }
      return result;
    });
  }

  /// What verdicts report: the crawler's token, or "*" when the rules of `*` apply.
  [[nodiscard]] constexpr std::string_view user_agent() const noexcept {
    return facts.group == group_choice::everyone ? std::string_view{"*"} : named();
  }

 private:
  /// The best of the rules found so far, and what may still be spent to find a better one.
  struct search {
    const packed_rule* rule = nullptr;
    precedence rank{};
    step_budget steps{max_match_steps};
  };

  [[nodiscard]] constexpr std::string_view named() const noexcept {
    return facts.token.size == 0 ? std::string_view{"*"} : facts.token.in(text);
  }

  /// Nothing is looked for in a target whose normal form is too long to be stored.
  [[nodiscard]] constexpr search find(const normal_cursor& /*target*/) const noexcept {
    search refused;
    if (!rules.empty()) {
      refused.steps.spend(max_match_steps + 1);
    }
    return refused;
  }

  [[nodiscard]] constexpr search find(const text_cursor& target) const noexcept {
    search best;
    if (is_too_long(target) && !rules.empty()) {
      best.steps.spend(max_match_steps + 1);
      return best;
    }
    if (!needed.empty()) {
      find_by_trial(best, target);
    }
    if (index.prefix_buckets != 0) {
      find_by_prefix(best, target);
    }
    if (index.gram_buckets != 0) {
      find_by_gram(best, target);
    }
    return best;
  }

  [[nodiscard]] constexpr bool matches(const packed_rule& rule, text_cursor target,
                                       step_budget& steps) const noexcept {
    const compiled_pattern pattern = rule.pattern(text);
    steps.spend(1);
    if (rule.star()) {
      return !steps.exceeded() && rep_detail::matches(pattern, target, steps);
    }
    return skip_literal(target, pattern.text) && (!pattern.anchored || target.done());
  }

  constexpr void try_rule(search& best, const packed_rule& rule,
                          const text_cursor& target) const noexcept {
    const precedence rank = rule.rank(text);
    if (best.rule != nullptr && !rank.decides_over(best.rank, facts.tie)) {
      return;
    }
    if (matches(rule, target, best.steps)) {
      best.rule = &rule;
      best.rank = rank;
    }
  }

  constexpr void try_all(search& best, std::span<const packed_rule> all,
                         const text_cursor& target) const noexcept {
    for (const packed_rule& rule : all) {
      try_rule(best, rule, target);
    }
  }

  constexpr void find_by_trial(search& best, const text_cursor& target) const noexcept {
    const class_set present = classes_of(target.rest());
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (has_all(present, needed[i]) && matches(rules[i], target, best.steps)) {
        best.rule = &rules[i];
        best.rank = rules[i].rank(text);
        return;
      }
    }
  }

  constexpr void find_by_prefix(search& best, const text_cursor& target) const noexcept {
    const hash_table table{
        .rules = rules.data(), .buckets = buckets, .places = hash_places{index.prefix_buckets}};
    const std::string_view path = target.rest();
    std::uint64_t lengths = index.lengths_for(path);
    if (lengths == 0) {
      return;
    }
    const prefix_hashes<max_key_size> hashes{path};
    for (; lengths != 0; lengths &= lengths - 1) {
      const auto size = static_cast<std::size_t>(std::countr_zero(lengths));
      table.visit(hashes.of(size), [&](const packed_rule& rule) { try_rule(best, rule, target); });
    }
  }

  constexpr void find_by_gram(search& best, const text_cursor& target) const noexcept {
    const hash_bucket* const first = buckets + index.prefix_buckets;
    const hash_table table{
        .rules = rules.data(), .buckets = first, .places = hash_places{index.gram_buckets}};
    const auto found_by_gram = rules.subspan(first->first);
    std::size_t tries = found_by_gram.size();
    std::size_t look_ups = look_ups_per_trial * (tries + target.rest().size());
    for_each_gram(target.rest(), [&](std::uint64_t hash) {
      const auto candidates = table.candidates(hash);
      if (candidates.empty() || tries == 0) [[likely]] {
        return;
      }
      if (look_ups < candidates.size()) {
        tries = 0;
        return;
      }
      look_ups -= candidates.size();
      const std::uint16_t tag = tag_of(hash);
      for (const packed_rule& rule : candidates) {
        if (rule.tag() == tag && tries > 0) {
          --tries;
          try_rule(best, rule, target);
        }
      }
    });
    if (tries == 0) {
      // The target repeats itself and may find one rule again and again; now each is tried once.
      try_all(best, found_by_gram, target);
    }
  }

  /// At most so many hashes of rules are looked at in the time that trying one takes.
  static constexpr std::size_t look_ups_per_trial = 8;
};

}  // namespace robots::rep_detail
