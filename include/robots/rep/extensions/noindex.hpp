#pragma once

#include <robots/base/inline.hpp>

#include <cstdint>
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
  [[nodiscard]] ROBOTS_CONSTEXPR bool matches(std::string_view target) const;
};

/// The Noindex lines among `lines`, in file order, empty ones left out. Linear.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<noindex_rule> noindex_rules(
    std::span<const directive> lines);

/// Those that apply to a crawler. Linear in the file.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<noindex_rule> noindex_rules(
    const document& file, std::string_view user_agent = "*");
std::vector<noindex_rule> noindex_rules(const document&&, std::string_view = "*") = delete;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/extensions/noindex.ipp>
#endif
