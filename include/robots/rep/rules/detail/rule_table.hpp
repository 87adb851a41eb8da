#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace robots::rep_detail {

/// Compiled rules, which answer queries about targets.
struct rule_table {
  std::vector<char> octets{};  ///< the block that `rule_set_facts` describes
  rule_set_facts facts{};

  [[nodiscard]] constexpr std::string_view block() const noexcept {
    return {octets.data(), octets.size()};
  }

  [[nodiscard]] friend constexpr bool operator==(const rule_table&, const rule_table&) = default;

  [[nodiscard]] constexpr bool allows(std::string_view target) const noexcept {
    if (facts.rules == 0) {
      return true;
    }
    prefetch();
    return with_normal_target(target, *facts.traits, [this](std::string_view path) {
      const search found = find(path);
      const bool denied =
          found.steps.exceeded() || (found.rule && found.rule->kind() == rule_kind::disallow);
      return !denied || is_exempt(path, *facts.traits);
    });
  }

  [[nodiscard]] constexpr verdict match(std::string_view target) const noexcept {
    prefetch();
    return with_normal_target(target, *facts.traits, [this](std::string_view path) {
      verdict result{.user_agent = user_agent()};  // the only object to return, so never copied
      if (is_exempt(path, *facts.traits)) {
        result.user_agent = named();
        result.exempt = true;
        return result;
      }
      const search found = find(path);
      if (found.steps.exceeded()) {
        result.allowed = false;
        result.undecided = true;
      } else if (found.rule) {
        result.allowed = found.rule->kind() == rule_kind::allow;
        result.directive = found.rule->kind();
        result.pattern = found.rule->written(block());
        result.line = found.rule->line();
      }
      return result;
    });
  }

  [[nodiscard]] constexpr std::string_view user_agent() const noexcept {
    return facts.group == group_choice::everyone ? std::string_view{"*"} : named();
  }

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

 private:
  /// The best rule found so far, and the remaining steps to find a better rule.
  struct search {
    std::optional<packed_rule> rule{};
    step_budget steps{max_match_steps};
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

  [[nodiscard]] constexpr search find(std::string_view target) const noexcept {
    search best;
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

  /// Calls `use` with each rule in `found` whose tag is `tag_of(hash)`.
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

  // Not inlined, since inlining slows down queries to rule sets without grams.
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
      // A target that repeats a gram finds the same rule many times. Now each rule is tried once.
      for (std::size_t i = first; i < facts.rules; ++i) {
        try_rule(best, rule(i), target);
      }
    }
  }

  /// A long rule counts as several tries: one more for every `octets_per_try` octets.
  static constexpr std::size_t octets_per_try = 8;

  /// The number of tags that are compared in the time of one try.
  static constexpr std::size_t look_ups_per_trial = 8;
};

}  // namespace robots::rep_detail
