#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

enum class found_by : std::uint8_t { trial, prefix, gram };

struct kept_rule {
  const char* text;    ///< the pattern, as written in the file
  packed_rule rule;    ///< the stored form, without offset and tag
  std::uint16_t size;  ///< octets of the text; above 0
  found_by way = found_by::trial;
  std::uint64_t hash = 0;  ///< the hash of the prefix or gram; for `trial`, the rank

  [[nodiscard]] constexpr std::string_view value() const noexcept { return {text, size}; }
};

/// Compiles the rules for one crawler into a `rule_table`. Takes linear time, plus the time to sort
/// the rules that queries try one by one.
class rule_packer {
 public:
  /// Changes the elements of `rules`, except their texts, and can append elements.
  constexpr rule_packer(std::vector<kept_rule>& rules, const parse_options& options,
                        const dialect_traits& traits)
      : options_(options), traits_(traits), rules_(rules) {
    for (std::size_t i = 0, lines = rules.size(); i < lines; ++i) {
      add_line(i);
    }
  }

  /// Makes the table. The caller sets `facts.group` and `facts.delay`.
  [[nodiscard]] constexpr rule_table finish(std::string_view token) {
    rule_table result;
    rule_set_facts& facts = result.facts;
    facts.traits = &traits_;
    facts.tie = options_.tie;
    facts.rules = static_cast<std::uint32_t>(rules_.size());
    leave_prefixes();
    if (count(found_by::trial) > most_tried) {
      place_by_gram();
    }
    facts.tried = count(found_by::trial);
    facts.token_size = static_cast<std::uint32_t>(token.size());
    facts.prefix_buckets = buckets_for(count(found_by::prefix));
    facts.gram_buckets = buckets_for(count(found_by::gram));
    const std::size_t text_at = facts.texts_at();
    const std::size_t token_at = text_at + text_size_;
    result.octets = std::vector<char>(token_at + token.size(), char{});
    char* const block = result.octets.data();
    if (facts.tried < facts.rules) {
      for (std::size_t i = 0; i < lengths_.of_class.size(); ++i) {
        store_word<8>(block + 8 * i, lengths_.of_class[i]);
      }
      write_buckets(block, facts);
    }
    if (facts.tried > 1) {
      sort_tried();
    }
    write_rules(block, facts, text_at);
    std::copy(token.begin(), token.end(), block + token_at);
    return result;
  }

 private:
  /// The maximum number of rules to try one by one. If there are more rules, a look-up by gram (see
  /// `gram_size`) is faster.
  static constexpr std::size_t most_tried = 4;
  /// The minimum size of a prefix by which a query finds a rule with wildcards. Shorter prefixes
  /// match too many targets.
  static constexpr std::size_t least_prefix = 2;
  /// The maximum number of rules with wildcards in the index of prefixes. If there are more, the
  /// index has no rule with wildcards.
  static constexpr std::ptrdiff_t most_starred = 64;

  [[nodiscard]] constexpr std::uint32_t count(found_by way) const noexcept {
    return static_cast<std::uint32_t>(std::count_if(
        rules_.begin(), rules_.end(), [way](const kept_rule& rule) { return rule.way == way; }));
  }

  // This function precedes its callers, since clang needs this order in constant expressions.
  template <class Use>
  constexpr void with_pattern(const kept_rule& rule, Use use) const {
    rule.rule.with_pattern(rule.value(), *traits_.rule_form,
                           [&](const compiled_pattern& pattern) { use(pattern.text); });
  }

  /// Adds the patterns of the rule at `index`. A second pattern is appended to `rules_` as a
  /// separate rule.
  constexpr void add_line(std::size_t index) {
    const kept_rule line = rules_[index];
    bool is_second = false;
    for_each_pattern(line.rule.kind(), line.value(), options_, traits_,
                     [&](const pattern_source& source) {
                       if (is_second) {
                         rules_.push_back(line);
                       }
                       add_pattern(is_second ? rules_.back() : rules_[index], source);
                       is_second = true;
                     });
  }

  constexpr void add_pattern(kept_rule& rule, const pattern_source& source) {
    const bool is_whole = source.body.size() + (source.anchored ? 1 : 0) == rule.size;
    text_size_ += rule.size;
    if (is_whole && is_compiled(source, *traits_.rule_form)) {
      rule.rule.set_compiled(source);
    } else {
      text_size_ += packed_rule::numbers_size;
      rule.rule.set_source(source);
    }
    with_pattern(rule, [&](std::string_view pattern) {
      const std::size_t star = find_octet(pattern, '*');
      const std::string_view key = pattern.substr(0, (std::min)(star, max_key_size));
      const bool has_star = star < pattern.size();
      rule.rule.set_star(has_star);
      if (!has_star || key.size() >= least_prefix) {
        rule.way = found_by::prefix;
        rule.hash = hash_of(key);
        lengths_.add(key);
      }
    });
  }

  /// Removes all rules with wildcards from the index of prefixes if there are more than
  /// `most_starred`. Thousands of such rules could have the same prefix. A query that tries all of
  /// them could exceed `max_match_steps`.
  constexpr void leave_prefixes() noexcept {
    const auto is_starred = [](const kept_rule& rule) {
      return rule.way == found_by::prefix && rule.rule.star();
    };
    if (std::count_if(rules_.begin(), rules_.end(), is_starred) > most_starred) {
      for (kept_rule& rule : rules_) {
        rule.way = is_starred(rule) ? found_by::trial : rule.way;
      }
    }
  }

  /// `counts.size()` is a power of two above 1.
  [[nodiscard]] static constexpr std::uint32_t& count_of(
      std::uint64_t hash, std::vector<std::uint32_t>& counts) noexcept {
    return counts[static_cast<std::size_t>(hash >> (64 - std::countr_zero(counts.size())))];
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
        rule.way = found_by::gram;
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

  /// Moves the `found_by::trial` rules to the front, in descending order of rank.
  constexpr void sort_tried() {
    kept_rule* const begin = rules_.data();
    kept_rule* const end = std::partition(begin, begin + rules_.size(), [](const kept_rule& rule) {
      return rule.way == found_by::trial;
    });
    for (kept_rule* rule = begin; rule != end; ++rule) {
      rule->hash =
          rank_of(specificity_of(*rule), rule->rule.kind(), rule->rule.line(), options_.tie);
    }
    std::sort(begin, end, [](const kept_rule& a, const kept_rule& b) { return a.hash > b.hash; });
  }

  [[nodiscard]] constexpr std::uint32_t specificity_of(const kept_rule& rule) const noexcept {
    return rule.rule.is_source() ? specificity(rule.rule.source(rule.value()), *traits_.rule_form)
                                 : rule.size;
  }

  /// Writes the end of each bucket: the index after the bucket's last rule.
  constexpr void write_buckets(char* block, const rule_set_facts& facts) const noexcept {
    for (const kept_rule& rule : rules_) {
      if (rule.way != found_by::trial) {
        const std::size_t place = place_of(rule, facts);
        store_word<4>(block + place, bucket_end(block, place) + 1);
      }
    }
    octet_word end = facts.tried;
    for (std::size_t place = sizeof(prefix_lengths); place < facts.rules_at();
         place += sizeof(std::uint32_t)) {
      end += bucket_end(block, place);
      store_word<4>(block + place, end);
    }
  }

  [[nodiscard]] static constexpr std::size_t place_of(const kept_rule& rule,
                                                      const rule_set_facts& facts) noexcept {
    return rule.way == found_by::gram
               ? bucket_at(rule.hash, facts.prefix_buckets, facts.gram_buckets)
               : bucket_at(rule.hash, 0, facts.prefix_buckets);
  }

  [[nodiscard]] static constexpr octet_word bucket_end(const char* block,
                                                       std::size_t place) noexcept {
    return part_of_word<4>({block, place + 4}, place);
  }

  /// Writes the rules and their texts. Before the call, the stored index of each bucket is the
  /// bucket's end. Each rule lowers the index of its bucket by one. After the call, each bucket has
  /// the index of its first rule.
  constexpr void write_rules(char* block, const rule_set_facts& facts, std::size_t text_at) {
    char* const rules = block + facts.rules_at();
    std::size_t tried = 0;
    for (const kept_rule& packed : rules_) {
      std::size_t index = tried;
      std::uint32_t tag = 0;
      if (packed.way == found_by::trial) {
        ++tried;
      } else {
        const std::size_t place = place_of(packed, facts);
        index = static_cast<std::size_t>(bucket_end(block, place) - 1);
        store_word<4>(block + place, index);
        tag = tag_of(packed.hash);
      }
      if (packed.rule.is_source()) {
        store_word<2>(block + text_at, specificity_of(packed));
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
  std::vector<kept_rule>& rules_;
  prefix_lengths lengths_{};
  std::size_t text_size_ = 0;
};

/// Decides for each line of a text, in file order, if the line applies to a crawler.
///
/// Groups that name the crawler are merged. If there are none, the groups of `*` apply (RFC 9309,
/// section 2.2.1). A rule applies to all User-agent lines of its group. Any other line, such as a
/// delay, applies only to the User-agent lines directly above it.
class group_selection {
 public:
  /// Returns true if a User-agent line matches the crawler better than all earlier lines. In this
  /// case, the caller must drop all lines collected so far.
  constexpr bool on_user_agent(const directive& line, agent_match match) noexcept {
    in_group_ = line.starts_group ? match : (std::max)(in_group_, match);
    right_above_ = line.starts_run ? match : (std::max)(right_above_, match);
    const bool is_more = match > found_;
    found_ = (std::max)(found_, match);
    return is_more;
  }

  /// Returns true if a line of `kind` at the current place applies to the crawler. `kind` is not
  /// User-agent. If a later User-agent line matches better, the line no longer applies.
  [[nodiscard]] constexpr bool applies(directive_kind kind) const noexcept {
    const agent_match named = is_rule(kind) ? in_group_ : right_above_;
    return named == found_ && named != agent_match::none;
  }

  [[nodiscard]] constexpr group_choice choice() const noexcept {
    if (found_ >= agent_match::own) {
      return group_choice::own;
    }
    return found_ == agent_match::everyone ? group_choice::everyone : group_choice::none;
  }

 private:
  agent_match in_group_ = agent_match::none;     // best match so far in the current group
  agent_match right_above_ = agent_match::none;  // best match in the lines directly above
  agent_match found_ = agent_match::none;        // best match in all lines so far
};

/// Collects the directives for one crawler and makes a `rule_set`. The text must live until
/// `finish` returns. The functions that take a directive are inlined, to keep the directive in
/// registers.
class rule_collector {
 public:
  /// Collects the directives for a crawler with several names, the most specific name first. If
  /// there are no names, only the groups of `*` apply.
  constexpr rule_collector(std::span<const std::string_view> user_agents,
                           const parse_options& options)
      : names_(user_agents.begin(), user_agents.end()),
        first_named_(user_agents.size()),
        options_(options) {}

  ROBOTS_ALWAYS_INLINE constexpr void on_directive(const directive& line) {
    if (line.kind == directive_kind::user_agent) {
      on_user_agent(line);
    } else {
      on_other(line);
    }
  }

  ROBOTS_ALWAYS_INLINE constexpr bool on_user_agent(const directive& line) {
    const bool is_more = groups_.on_user_agent(line, compare(line.value));
    if (is_more) {
      kept_.clear();
      crawl_delay_.reset();
    }
    return is_more;
  }

  /// Takes a line that is not a User-agent line. Returns true if the line applies. If
  /// `on_user_agent` returns true later, the line no longer applies.
  ROBOTS_ALWAYS_INLINE constexpr bool on_other(const directive& line) {
    if (!groups_.applies(line.kind)) {
      return false;
    }
    if (line.kind == directive_kind::crawl_delay && !crawl_delay_) {
      crawl_delay_ = parse_delay(line.value);
    } else if (is_rule(line.kind) && !line.value.empty()) {
      if (kept_.empty()) {
        kept_.reserve(64);
      }
      kept_.push_back({.text = line.value.data(),
                       .rule = packed_rule{rule_kind_of(line.kind), line.line, line.value.size()},
                       .size = static_cast<std::uint16_t>(line.value.size())});
    }
    return true;
  }

  /// Makes the rule set. Call this function once.
  [[nodiscard]] constexpr rule_set finish() { return rule_set{*this}; }

  [[nodiscard]] constexpr rule_table table() {
    const std::size_t index = first_named_ < names_.size() ? first_named_ : 0;
    const std::string_view token = names_.empty() ? std::string_view{} : names_[index].token();
    rule_table result = rule_packer{kept_, options_, traits_of(options_.dialect)}.finish(token);
    result.facts.group = groups_.choice();
    result.facts.delay = crawl_delay_.value_or(result.facts.delay);
    return result;
  }

 private:
  /// A name that is earlier in the caller's list matches better. If `options_.names` merges the
  /// groups of all names, all names match equally well.
  [[nodiscard]] constexpr agent_match compare(std::string_view value) noexcept {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].compare(value) == agent_match::own) {
        first_named_ = (std::min)(first_named_, i);
        const bool merges = options_.names == several_names::union_of_groups;
        const std::size_t more = merges ? 0 : names_.size() - i;
        return static_cast<agent_match>(static_cast<std::size_t>(agent_match::own) + more);
      }
    }
    return agent_matcher{{}}.compare(value);
  }

  std::vector<agent_matcher> names_;
  std::size_t first_named_;  // the index of the first name with a group, or `names_.size()`
  parse_options options_;
  group_selection groups_;
  std::vector<kept_rule> kept_;
  std::optional<std::chrono::milliseconds> crawl_delay_;
};

}  // namespace robots::rep_detail
