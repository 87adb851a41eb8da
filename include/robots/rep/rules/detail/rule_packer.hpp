#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/rules/detail/rule_layout.hpp>
#include <robots/rep/rules/detail/rule_patterns.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/text_span.hpp>
#include <robots/rep/text/detail/text_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rep_detail {

/// A rule that concerns the crawler, as it stands in the file.
struct kept_rule {
  std::string_view value;  ///< not empty
  std::uint32_t line;
  directive_kind kind;
};

/// Compiles the rules for one crawler into what a `rule_set` keeps.
class rule_packer {
 public:
  constexpr rule_packer(const std::vector<kept_rule>& rules, std::string_view token,
                        const parse_options& options, const dialect_traits& traits)
      : options_(options),
        traits_(traits),
        simple_patterns_(!options.prepend_slash && !traits.index_html_is_directory),
        text_(text_size(rules) + token.size()),
        layout_(rules.size()) {
    for (const kept_rule& rule : rules) {
      add(rule);
    }
    token_ = text_.write(token);
  }

  /// What a rule set keeps, but for group and delay.
  [[nodiscard]] constexpr rule_set_parts finish() && {
    rule_set_parts result;
    result.facts.token = token_;
    result.facts.traits = &traits_;
    result.facts.tie = options_.tie;
    result.text = std::move(text_).finish();
    std::move(layout_).write_to(result);
    return result;
  }

 private:
  [[nodiscard]] static constexpr std::size_t text_size(
      const std::vector<kept_rule>& rules) noexcept {
    std::size_t size = 0;
    for (const kept_rule& rule : rules) {
      size += rule.value.size();
    }
    return size;
  }

  constexpr void add(const kept_rule& rule) {
    if (simple_patterns_ && rule.value.size() <= max_key_size) {
      if (const auto hash = hash_of_graphic_without<'%', '$', '*'>(rule.value)) {
        add_simple(rule, *hash);
        return;
      }
    }
    for_each_pattern(rule.kind, rule.value, options_, traits_, [&](const pattern_source& source) {
      if (!add_as_written(rule, source)) {
        add_detached(rule, source);
      }
    });
  }

  /// Adds a rule whose pattern is its own compiled form and without wildcard, as most are.
  constexpr void add_simple(const kept_rule& rule, std::uint64_t hash) {
    layout_.add_simple({.offset = text_.write(rule.value).offset,
                        .size = rule.value.size(),
                        .line = rule.line,
                        .kind = kind_of(rule)},
                       rule.value, hash);
  }

  /// Adds a rule whose compiled pattern is all but the tail of the written one.
  constexpr bool add_as_written(const kept_rule& rule, const pattern_source& source) {
    if (!is_compiled(source, *traits_.rule_form)) {
      return false;
    }
    const compiled_pattern pattern = rep_detail::finish(source.body, source.anchored);
    const auto tail = find_tail(rule.value.substr(pattern.text.size()));
    if (!tail) {
      return false;
    }
    const std::size_t star = find_octet(pattern.text, '*');
    layout_.add({.offset = text_.write(rule.value).offset,
                 .size = pattern.text.size(),
                 .tail = *tail,
                 .line = rule.line,
                 .kind = kind_of(rule),
                 .star = star < pattern.text.size()},
                pattern.text, star);
    return true;
  }

  constexpr void add_detached(const kept_rule& rule, const pattern_source& source) {
    std::vector<char> compiled;
    write_compiled(source, *traits_.rule_form, [&](char c) { compiled.push_back(c); });
    const compiled_pattern pattern =
        rep_detail::finish({compiled.data(), compiled.size()}, source.anchored);
    const std::size_t star = find_octet(pattern.text, '*');
    layout_.add({.offset = text_.write(pattern.text).offset,
                 .size = pattern.text.size(),
                 .tail = pattern.anchored ? 1U : 0U,
                 .line = rule.line,
                 .kind = kind_of(rule),
                 .star = star < pattern.text.size(),
                 .detached = true},
                pattern.text, star);
    text_.write_number(specificity(source, *traits_.rule_form));
    text_.write_number(rule.value.size());
    text_.write(rule.value);
  }

  [[nodiscard]] static constexpr rule_kind kind_of(const kept_rule& rule) noexcept {
    return rule.kind == directive_kind::allow ? rule_kind::allow : rule_kind::disallow;
  }

  const parse_options& options_;
  const dialect_traits& traits_;
  bool simple_patterns_;  // no rule stands for another pattern than the one written
  text_writer text_;
  rule_layout layout_;
  text_span token_;
};

}  // namespace robots::rep_detail
