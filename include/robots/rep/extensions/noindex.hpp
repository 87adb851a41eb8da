#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots {

class document;
struct directive;

/// One `Noindex: /path` line: pages that should not be listed in search results.
///
/// Was never specified, and Google stopped heeding it on 1 September 2019; files still have it. It
/// never changes a verdict.
struct noindex_rule {
  std::string_view pattern{};  ///< as written, never empty; lives as long as the document
  std::uint32_t line = 0;      ///< 1-based

  /// Whether the pattern matches a target, read as `dialect::rfc9309` reads it whatever the
  /// document's options. Linear in both.
  [[nodiscard]] constexpr bool matches(std::string_view target) const;
};

/// The Noindex lines among `lines`, in file order, empty ones left out. Linear.
[[nodiscard]] constexpr std::vector<noindex_rule> noindex_rules(std::span<const directive> lines);

/// Those that apply to a crawler. Linear in the file.
[[nodiscard]] constexpr std::vector<noindex_rule> noindex_rules(const document& file,
                                                                std::string_view user_agent = "*");
std::vector<noindex_rule> noindex_rules(const document&&, std::string_view = "*") = delete;

constexpr bool noindex_rule::matches(std::string_view target) const {
  return robots::pattern{pattern}.matches(target);
}

constexpr std::vector<noindex_rule> noindex_rules(std::span<const directive> lines) {
  const auto read = [](std::string_view value) {
    return value.empty() ? std::nullopt : std::optional{noindex_rule{.pattern = value}};
  };
  return rep_detail::read_lines(lines, directive_kind::noindex, read);
}

constexpr std::vector<noindex_rule> noindex_rules(const document& file,
                                                  std::string_view user_agent) {
  return noindex_rules(file.directives_for(user_agent));
}

}  // namespace robots
