#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/kept_rules.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/octet_classes.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/plain_pattern.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// Compiles the rules for one crawler into a `rule_table`, in four steps:
/// - reads each pattern, and decides how queries find the rule: by prefix or by trial;
/// - moves rules from the prefixes to the trials if too many share a prefix, and from the trials to
///   the grams if there are too many to try;
/// - counts the rules of each bucket, so that the place of each rule in the block is known;
/// - writes the block that block_layout.hpp describes.
///
/// Takes linear time, plus the time to sort the rules that queries try one by one.
class rule_packer {
 public:
  /// Changes the elements of `rules`, except their texts, and can append elements.
  constexpr rule_packer(kept_rules& rules, const parse_options& options,
                        const dialect_traits& traits)
      : options_(options), traits_(traits), rules_(rules) {
    const bool one_pattern_each = !options.prepend_slash && !traits.index_html_is_directory;
    for (std::size_t i = 0, lines = rules.size(); i < lines; ++i) {
      if (!one_pattern_each || !add_plain(rules[i])) {
        add_line(i);
      }
    }
  }

  /// Makes the table. The caller has set `facts.group`, `facts.delay` and `facts.is_nameless`.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr rule_table finish(std::string_view token,
                                                                 rule_set_facts facts) {
    relieve_crowded_prefixes();
    if (count(found_by::trial) > most_tried) {
      place_by_gram();
    }
    const bool is_short = count(found_by::prefix) <= most_listed && count(found_by::gram) == 0;
    facts.traits = traits_;
    facts.tie = options_.tie;
    facts.rules = static_cast<std::uint32_t>(rules_.size());
    facts.tried = count(found_by::trial);
    facts.token_size = static_cast<std::uint32_t>(token.size());
    facts.prefix_buckets = is_short ? 0 : buckets_for(count(found_by::prefix));
    facts.gram_buckets = buckets_for(count(found_by::gram));
    const std::size_t token_at = facts.texts_at() + text_size_;
    rule_table result{.memory{facts, token_at + token.size()}};
    char* const block = result.memory->octets;
    if (facts.rules_at() != 0) {
      std::fill_n(block, facts.rules_at(), char{});
      lengths_.store(block);
      write_buckets(block, facts);
    }
    if (facts.tried > 1) {
      sort_tried();
    }
    write_rules(block, facts);
    std::copy(token.begin(), token.end(), block + token_at);
    return result;
  }

 private:
  /// The maximum number of rules to try one by one. If there are more rules, a look-up by gram (see
  /// `gram_size`) is faster.
  static constexpr std::size_t most_tried = 12;
  /// The minimum size of a prefix by which a query finds a rule with wildcards. Shorter prefixes
  /// match too many targets.
  static constexpr std::size_t least_prefix = 2;
  /// The maximum number of rules with wildcards in a bucket of prefixes.
  static constexpr std::size_t most_crowded = 16;

  [[nodiscard]] constexpr std::uint32_t count(found_by way) const noexcept {
    return counts_[static_cast<std::size_t>(way)];
  }

  constexpr void find_by(kept_rule& rule, found_by way) noexcept {
    rule.way = way;
    ++counts_[static_cast<std::size_t>(way)];
  }

  constexpr void move_to(kept_rule& rule, found_by way) noexcept {
    --counts_[static_cast<std::size_t>(rule.way)];
    find_by(rule, way);
  }

  // This function precedes its callers, since clang needs this order in constant expressions.
  template <class Use>
  constexpr void with_pattern(const kept_rule& rule, Use use) const {
    rule.rule.with_pattern(rule.value(), *traits_.rule_form,
                           [&](const compiled_pattern& pattern) { use(pattern.text); });
  }

  /// Adds the rule if its pattern is plain. Otherwise, returns false.
  ROBOTS_ALWAYS_INLINE constexpr bool add_plain(kept_rule& rule) noexcept {
    const auto source = pattern_source::of(rule.value());
    const auto plain = read_plain_pattern(source.body);
    if (!plain) {
      return false;
    }
    rule.rule.set_compiled(source);
    rule.specificity = rule.size;
    text_size_ += rule.size;
    const bool is_inner = plain->star + 1 < source.body.size();  // `*` at the end has no effect
    index(rule, {source.body.data(), plain->key_size}, plain->hash, is_inner);
    return true;
  }

  /// Adds the patterns of the rule at `index`. A second pattern is appended to `rules_` as a
  /// separate rule.
  constexpr void add_line(std::size_t index) {
    const kept_rule line = rules_[index];
    bool is_second = false;
    for_each_pattern(line.rule.kind(), line.value(), options_, traits_,
                     [&](const pattern_source& source) {
                       if (is_second) {
                         rules_.add(line);
                       }
                       add_pattern(rules_[is_second ? rules_.size() - 1 : index], source);
                       is_second = true;
                     });
  }

  constexpr void add_pattern(kept_rule& rule, const pattern_source& source) {
    const bool is_whole = source.body.size() + (source.anchored ? 1 : 0) == rule.size;
    text_size_ += rule.size;
    if (is_whole && is_compiled(source, *traits_.rule_form)) {
      rule.rule.set_compiled(source);
      rule.specificity = rule.size;
    } else {
      text_size_ += packed_rule::numbers_size;
      rule.rule.set_source(source);
      rule.specificity = specificity(source, *traits_.rule_form);
    }
    with_pattern(rule, [&](std::string_view pattern) {
      const std::size_t star = find_octet(pattern, '*');
      const std::string_view key = pattern.substr(0, (std::min)(star, max_key_size));
      index(rule, key, hash_of(key), star < pattern.size());
    });
  }

  /// Decides how queries find the rule. `key` is the text before the first wildcard.
  constexpr void index(kept_rule& rule, std::string_view key, std::uint64_t hash,
                       bool has_star) noexcept {
    rule.rule.set_star(has_star);
    if (has_star && key.size() < least_prefix) {
      find_by(rule, found_by::trial);
      return;
    }
    rule.hash = hash;
    find_by(rule, found_by::prefix);
    lengths_.add(key);
  }

  /// `counts.size()` is a power of two.
  [[nodiscard]] static constexpr std::uint32_t& count_of(
      std::uint64_t hash, std::vector<std::uint32_t>& counts) noexcept {
    return counts[static_cast<std::size_t>((hash >> 1U) >> (63 - std::countr_zero(counts.size())))];
  }

  /// Removes rules with wildcards from buckets that have more than `most_crowded` of them.
  /// Thousands of such rules could have the same prefix. A query that tries all of them could
  /// exceed `max_match_steps`.
  constexpr void relieve_crowded_prefixes() {
    const auto is_starred = [](const kept_rule& rule) {
      return rule.way == found_by::prefix && rule.rule.star();
    };
    if (std::count_if(rules_.begin(), rules_.end(), is_starred) <=
        static_cast<std::ptrdiff_t>(most_crowded)) {
      return;
    }
    std::vector<std::uint32_t> stars(buckets_for(count(found_by::prefix)), 0U);
    for (const kept_rule& rule : rules_) {
      if (is_starred(rule)) {
        ++count_of(rule.hash, stars);
      }
    }
    for (kept_rule& rule : rules_) {
      if (is_starred(rule) && count_of(rule.hash, stars) > most_crowded) {
        move_to(rule, found_by::trial);
      }
    }
  }

  /// Indexes the rules that would be tried one by one. The key of a rule is its rarest gram: the
  /// gram that occurs least often in these rules. Rules without a gram are still tried one by one.
  constexpr void place_by_gram() {
    std::vector<std::uint32_t> uses(std::bit_ceil(std::size_t{8} * count(found_by::trial)), 0U);
    for (const kept_rule& rule : rules_) {
      if (rule.way == found_by::trial) {
        for_each_literal_gram(rule, [&](std::uint64_t hash) { ++count_of(hash, uses); });
      }
    }
    for (kept_rule& rule : rules_) {
      if (rule.way != found_by::trial) {
        continue;
      }
      std::uint32_t fewest = (std::numeric_limits<std::uint32_t>::max)();
      for_each_literal_gram(rule, [&](std::uint64_t hash) {
        if (count_of(hash, uses) < fewest) {
          fewest = count_of(hash, uses);
          rule.hash = hash;
        }
      });
      if (fewest != (std::numeric_limits<std::uint32_t>::max)()) {
        move_to(rule, found_by::gram);
      }
    }
  }

  template <class Use>
  constexpr void for_each_literal_gram(const kept_rule& rule, Use use) {
    with_pattern(rule, [&](std::string_view rest) {
      while (!rest.empty()) {
        const std::size_t star = find_octet(rest, '*');
        for_each_gram(rest.substr(0, star), use);
        rest.remove_prefix((std::min)(star + 1, rest.size()));
      }
    });
  }

  /// Returns the tag of a listed rule. The key of the rule is the text before its first wildcard.
  [[nodiscard]] static constexpr std::uint32_t tag_of_listed(std::string_view pattern) noexcept {
    return start_tag(pattern.substr(0, find_octet(pattern.substr(0, 3), '*')));
  }

  /// Finds the bucket of a rule that is not tried.
  class rule_places {
   public:
    constexpr explicit rule_places(const rule_set_facts& facts) noexcept
        : prefixes_(facts.prefix_finder()), grams_(facts.gram_finder()) {}

    [[nodiscard]] constexpr bucket_finder::place of(const kept_rule& rule) const noexcept {
      return (rule.way == found_by::gram ? grams_ : prefixes_).of(rule.hash);
    }

   private:
    bucket_finder prefixes_;
    bucket_finder grams_;
  };

  /// Writes the buckets, and sets the place of each rule in its bucket.
  constexpr void write_buckets(char* block, const rule_set_facts& facts) noexcept {
    const std::string_view buckets{block, facts.rules_at()};
    const rule_places places{facts};
    for (kept_rule& rule : rules_) {
      if (rule.way != found_by::trial) {
        const auto [offset, bit] = places.of(rule);
        const auto [count, present] = hash_bucket::load(buckets, offset);
        rule.place = count;
        hash_bucket{.first = count + 1, .present = present | bit}.store(block + offset);
      }
    }
    // So far, `first` counts the rules of a bucket. From now on, it is the index of the first rule.
    std::uint32_t first = facts.tried;
    for (std::size_t offset = facts.buckets_at; offset < buckets.size();
         offset += hash_bucket::stored_size) {
      const auto [count, present] = hash_bucket::load(buckets, offset);
      hash_bucket{.first = first, .present = present}.store(block + offset);
      first += count;
    }
  }

  /// Moves the `found_by::trial` rules to the front, in descending order of rank.
  constexpr void sort_tried() {
    kept_rule* const begin = rules_.begin();
    kept_rule* const end = std::partition(
        begin, rules_.end(), [](const kept_rule& rule) { return rule.way == found_by::trial; });
    std::sort(begin, end, [tie = options_.tie](const kept_rule& a, const kept_rule& b) {
      return a.rank(tie) > b.rank(tie);
    });
  }

  /// Writes the rules, the classes of the rules that are tried, and the texts.
  constexpr void write_rules(char* block, const rule_set_facts& facts) {
    const std::string_view buckets{block, facts.rules_at()};
    const rule_places places{facts};
    char* const rules = block + facts.rules_at();
    char* const classes = block + facts.classes_at();
    std::size_t text_at = facts.texts_at();
    std::size_t tried = 0;
    std::size_t listed = facts.tried;
    for (const kept_rule& packed : rules_) {
      std::size_t index = tried;
      std::uint32_t tag = 0;
      if (packed.way == found_by::trial) {
        with_pattern(packed, [&](std::string_view pattern) {
          store_word<sizeof(class_set)>(classes + tried * sizeof(class_set), classes_in(pattern));
        });
        ++tried;
      } else if (facts.has_list()) {
        with_pattern(packed, [&](std::string_view pattern) { tag = tag_of_listed(pattern); });
        index = listed++;
      } else {
        index = hash_bucket::load(buckets, places.of(packed).offset).first + packed.place;
        tag = tag_of(packed.hash);
      }
      if (packed.rule.is_source()) {
        store_word<2>(block + text_at, packed.specificity);
        store_word<2>(block + text_at + 2, packed.size);
        text_at += packed_rule::numbers_size;
      }
      packed.rule.store(rules + index * packed_rule::stored_size, text_at, tag);
      std::copy_n(packed.text, packed.size, block + text_at);
      text_at += packed.size;
    }
  }

  const parse_options& options_;
  const dialect_traits& traits_;
  kept_rules& rules_;
  prefix_lengths lengths_{};
  std::array<std::uint32_t, 3> counts_{};  // the number of rules for each `found_by`
  std::size_t text_size_ = 0;
};

}  // namespace robots::rep_detail
