#pragma once

#include <robots/base/config.hpp>
#include <robots/base/fetch_ahead.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/octet_classes.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/rules/detail/rule_block.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace robots::rep_detail {

// A query finds a rule in one of four ways. The matching rule with the highest rank decides.
//
// Most rules, such as `/private/`, are found by prefix. For each length of `prefix_lengths`, the
// query hashes the prefix of the target with this length. The hash leads to the rules that begin
// with this prefix.
//
// If there are few such rules, they are only listed. The query compares the target with those rules
// whose second and third octet it has.
//
// Rules without a useful prefix, such as `/*.pdf$`, are tried one by one, the highest rank first.
// The trials end at a rule that matches, or that ranks below the best rule found by prefix.
//
// If there are many rules without a useful prefix, each of them is found by the hash of four octets
// of its pattern, a gram. The search hashes each four octets of the target.

/// Compiled rules, and the search for the rule that decides a target.
struct rule_table {
  shared_block memory{};

  [[nodiscard]] constexpr const rule_set_facts& facts() const noexcept { return memory->facts; }

  /// Returns the octets, see block_layout.hpp.
  [[nodiscard]] constexpr std::string_view block() const noexcept {
    return {memory->octets, memory->size};
  }

  [[nodiscard]] friend constexpr bool operator==(const rule_table&, const rule_table&) = default;

  /// Returns true if a rule matches a target in normal form. Returns false if `steps` is exceeded.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr bool matches(const packed_rule& rule,
                                                            std::string_view target,
                                                            step_budget& steps) const noexcept {
    steps.spend(1);
    if (!rule.is_literal()) {
      return matches_pattern(rule, target, steps);
    }
    const compiled_pattern pattern = rule.pattern(block());
    return begins_with(target, pattern.text) &&
           (!pattern.anchored || target.size() == pattern.text.size());
  }

  [[nodiscard]] constexpr packed_rule rule(std::size_t index) const noexcept {
    return {block(), facts().rules_at() + index * packed_rule::stored_size};
  }

  /// The best rule found so far, and the remaining steps to find a better rule.
  struct search {
    packed_rule rule{};
    rule_rank rank = 0;  ///< the rank of `rule`; 0 if no rule matches so far
    step_budget steps;

    [[nodiscard]] constexpr bool any() const noexcept { return rank != 0; }
  };

  constexpr void prefetch() const noexcept {
    if (!std::is_constant_evaluated()) {
      base::fetch_ahead(memory->octets + facts().rules_at());
    }
  }

  [[nodiscard]] constexpr std::string_view named() const noexcept {
    return facts().token_size == 0 ? std::string_view{"*"}
                                   : block().substr(block().size() - facts().token_size);
  }

  [[nodiscard]] constexpr search find(std::string_view target, step_budget steps) const noexcept {
    search best{.steps = steps};
    if (target.size() > max_normal_target && facts().rules != 0) {
      best.steps.spend(max_match_steps + 1);
      return best;
    }
    if (facts().prefix_buckets != 0) {
      find_by_prefix(best, target);
    } else if (facts().has_list()) {
      find_in_list(best, target);
    }
    if (facts().tried != 0) {
      find_by_trial(best, target);
    }
    if (facts().gram_buckets != 0) {
      find_by_gram(best, target);
    }
    return best;
  }

 private:
  // Not inlined, since most rules are literals.
  [[nodiscard]] ROBOTS_NOINLINE constexpr bool matches_pattern(const packed_rule& rule,
                                                               std::string_view target,
                                                               step_budget& steps) const noexcept {
    if (rule.is_source()) {
      // Only the rule for a path or URL in the place of a user agent has no line.
      const bool is_undecided = rule.line() == 0;
      steps.spend(is_undecided ? max_match_steps + 1 : rule.source(block()).body.size());
    }
    const auto is_match = [&](const compiled_pattern& pattern) {
      return rep_detail::matches(pattern, target, steps);
    };
    return !steps.exceeded() && rule.with_pattern(block(), *facts().traits->rule_form, is_match);
  }

  ROBOTS_ALWAYS_INLINE constexpr void try_rule(search& best, const packed_rule& rule,
                                               std::string_view target) const noexcept {
    const rule_rank rank = rule.rank(block(), facts().tie);
    if (rank > best.rank && matches(rule, target, best.steps)) {
      best.rule = rule;
      best.rank = rank;
    }
  }

  constexpr void find_in_list(search& best, std::string_view target) const noexcept {
    const std::string_view octets = block();
    const std::uint32_t wanted = start_tag(target);
    const std::size_t end = facts().rules * packed_rule::stored_size;
    for (std::size_t offset = facts().tried * packed_rule::stored_size; offset != end;
         offset += packed_rule::stored_size) {
      const std::uint32_t tag = packed_rule::tag_at(octets, offset);
      if (tag == wanted || tag == 0) {
        try_rule(best, packed_rule{octets, offset}, target);
      }
    }
  }

  constexpr void find_by_trial(search& best, std::string_view target) const noexcept {
    const bool is_filtered = target.size() <= octets_per_trial * facts().tried;
    const class_set present = is_filtered ? classes_in(target) : ~class_set{0};
    const std::size_t classes_at = facts().classes_at();
    for (std::size_t i = 0; i < facts().tried; ++i) {
      const auto needed = static_cast<class_set>(
          part_of_word<sizeof(class_set)>(block(), classes_at + i * sizeof(class_set)));
      if ((needed & ~present) != 0) {
        continue;
      }
      const packed_rule tried = rule(i);
      const rule_rank rank = tried.rank(block(), facts().tie);
      if (rank < best.rank) {
        return;
      }
      if (matches(tried, target, best.steps)) {
        best.rule = tried;
        best.rank = rank;
        return;
      }
    }
  }

  /// The rules of one bucket: from index `first` up to, but not including, `end`.
  struct candidates {
    std::size_t first = 0;
    std::size_t end = 0;
  };

  /// Returns the bucket of `hash`, or no rule if the bucket has no rule with a similar hash.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr candidates candidates_for(
      std::uint64_t hash, const bucket_finder& finder) const noexcept {
    const auto [offset, bit] = finder.of(hash);
    const auto bucket = hash_bucket::load(block(), offset);
    if ((bucket.present & bit) == 0) [[likely]] {
      return {};
    }
    return {.first = bucket.first,
            .end = hash_bucket::load(block(), offset + hash_bucket::stored_size).first};
  }

  template <class Use>
  constexpr void visit(const candidates& found, std::uint64_t hash, Use use) const {
    const std::uint32_t tag = tag_of(hash);
    const std::size_t first = facts().rules_at() + found.first * packed_rule::stored_size;
    const std::size_t size = (found.end - found.first) * packed_rule::stored_size;
    for (std::size_t offset = first; offset != first + size; offset += packed_rule::stored_size) {
      if (packed_rule::tag_at(block(), offset) == tag) {
        use(packed_rule{block(), offset});
      }
    }
  }

  ROBOTS_ALWAYS_INLINE constexpr void find_by_prefix(search& best,
                                                     std::string_view target) const noexcept {
    const bucket_finder finder = facts().prefix_finder();
    prefix_hasher prefixes{target};
    for (octet_word lengths = prefix_lengths::load_for(target, block()); lengths != 0;
         lengths &= lengths - 1) {
      const std::uint64_t hash = prefixes.of(static_cast<std::size_t>(std::countr_zero(lengths)));
      const candidates found = candidates_for(hash, finder);
      if (found.end != 0) {
        visit(found, hash, [&](const packed_rule& rule) { try_rule(best, rule, target); });
      }
    }
  }

  // Not inlined, since inlining slows down queries to rule sets that have no index of grams.
  ROBOTS_NOINLINE constexpr void find_by_gram(search& best,
                                              std::string_view target) const noexcept {
    const bucket_finder finder = facts().gram_finder();
    const std::size_t first = hash_bucket::load(block(), finder.of(0).offset).first;
    std::size_t tries = facts().rules - first;
    std::size_t look_ups = look_ups_per_trial * (tries + target.size());
    for_each_gram(target, [&](std::uint64_t hash) {
      const candidates found = candidates_for(hash, finder);
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
      for (std::size_t i = first; i < facts().rules; ++i) {
        try_rule(best, rule(i), target);
      }
    }
  }

  /// A long rule counts as several tries: one more for every `octets_per_try` octets.
  static constexpr std::size_t octets_per_try = 8;

  /// The classes of this many octets of a target are computed in the time that matching one rule
  /// takes.
  static constexpr std::size_t octets_per_trial = 32;

  /// The number of tags that can be compared in the time that matching one short rule takes.
  static constexpr std::size_t look_ups_per_trial = 8;
};

}  // namespace robots::rep_detail
