#pragma once

#include <robots/base/inline.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

class document;

/// Query parameters that do not change a page, from Yandex's `Clean-param: s&ref /forum/*.php`.
///
/// Holds for the whole file, wherever it stands. Never changes a verdict. Source: the Clean-param
/// page of Yandex Webmaster's help. The views live as long as the document.
struct clean_param {
  std::vector<std::string_view> parameters{};  ///< names, compared octet by octet; at least one
  std::string_view path{};                     ///< a pattern, `*` allowed; empty: every page
  std::uint32_t line = 0;                      ///< 1-based; 0 when not read from a file

  /// Whether it speaks of a target, an absolute URL or a path with query.
  [[nodiscard]] ROBOTS_CONSTEXPR bool matches(std::string_view target) const;

  /// Whether it names a parameter.
  [[nodiscard]] ROBOTS_CONSTEXPR bool names(std::string_view parameter) const noexcept;
};

/// Reads `p0[&p1&...] [path]`; nothing when no parameter is named. Linear.
[[nodiscard]] ROBOTS_CONSTEXPR std::optional<clean_param> parse_clean_param(std::string_view value);

/// The Clean-param lines of a file, for whichever crawler, in file order; lines that name no
/// parameter are left out. Linear in the file.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<clean_param> clean_params(const document& file);
std::vector<clean_param> clean_params(const document&&) = delete;

/// `target`, an absolute URL or a path with query, without the parameters that the lines in `rules`
/// which match it name. What is left keeps its order; a query that is left empty goes.
///
/// To clean many targets, keep the result of `clean_params`. Linear in the target for each rule, up
/// to 8 million octets in all; where that does not suffice to compare all rules, `target` is
/// returned as it is.
[[nodiscard]] std::string clean_target(std::span<const clean_param> rules, std::string_view target);

/// The same for a file's own Clean-param lines.
[[nodiscard]] std::string clean_target(const document& file, std::string_view target);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/extensions/clean_param.ipp>
#endif
