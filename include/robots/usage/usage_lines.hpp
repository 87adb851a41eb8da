#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The lines of a robots.txt that say how pages may be used, as far as they concern one crawler.
///
///     robots.txt --> usage_lines, kept with a policy --> page_statements, for each page
///
/// Most files have no such lines. The object owns its texts, and changes no verdict.
struct usage_lines {
  /// A Content-Signal, Content-Usage or License line.
  struct line {
    directive_kind kind = directive_kind::unknown;  ///< the kind of the line
    std::uint32_t number = 0;                       ///< the line number, 1-based
    std::string value{};                            ///< the value, as written

    [[nodiscard]] friend bool operator==(const line&, const line&) = default;
  };

  /// The rules of a group that names a policy token.
  struct token_rules {
    std::string token{};                                  ///< the policy token
    robots::purpose purpose = robots::purpose::ai_train;  ///< the purpose that the rules answer
    rule_set rules{};                                     ///< the rules of the token's own groups

    [[nodiscard]] friend bool operator==(const token_rules&, const token_rules&) = default;
  };

  std::string agent = "*";    ///< the product token whose groups have the lines, or `*`
  std::vector<line> lines{};  ///< the lines, in file order; unreadable licences are left out
  std::vector<token_rules> tokens{};  ///< one entry for each policy token that a group names

  /// Returns true if the file says nothing about use to the crawler.
  [[nodiscard]] bool empty() const noexcept { return lines.empty() && tokens.empty(); }

  /// Returns an estimate of the octets in use, without this object.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  /// Returns a hash of the lines and of the rules of the policy tokens, without line numbers.
  [[nodiscard]] std::uint64_t fingerprint() const;

  [[nodiscard]] friend bool operator==(const usage_lines&, const usage_lines&) = default;
};

/// Returns the lines of a document. `rules` are the rules of the crawler, a result of
/// `document::rules_for`. A group of a policy token counts only if it names the token. Takes time
/// linear in the file for each policy token.
[[nodiscard]] usage_lines usage_lines_of(const document& file, const rule_set& rules,
                                         std::span<const policy_token> policy_tokens);

/// Returns the lines of `text`. `own` is the result of `directives_for` for `text` and the crawler,
/// with the same `options`. Costs next to nothing if the file has no such lines and `policy_tokens`
/// is empty.
[[nodiscard]] usage_lines usage_lines_of(std::string_view text, const crawler_directives& own,
                                         std::span<const policy_token> policy_tokens,
                                         const parse_options& options = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/usage_lines.bodies.hpp>
#endif
