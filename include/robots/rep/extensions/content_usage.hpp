#pragma once

#include <robots/base/inline.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots {

class document;
struct directive;

/// One statement of preference, from `Content-Usage: /path train-ai=n`
/// (draft-ietf-aipref-attach-05, section 3): how what lies under a path may be used.
///
/// Never changes a verdict. Which line decides about a target is for `usage_preferences` to say.
/// The views live as long as the document.
struct content_usage {
  std::string_view path{};       ///< a pattern; empty: every path
  std::string_view statement{};  ///< a Dictionary of RFC 9651, as written
  std::uint32_t line = 0;        ///< 1-based; 0 when not read from a file

  /// What is said of a category of use, by its label: true for `y`, false for `n`, nothing for
  /// anything else (draft-ietf-aipref-vocab-07, section 6.5: unknown).
  ///
  /// Labels and values are case-sensitive; of a label that is repeated the last value counts; a
  /// statement that is no Dictionary says nothing. Linear in the statement.
  [[nodiscard]] ROBOTS_CONSTEXPR std::optional<bool> preference(
      std::string_view label) const noexcept;

  /// AI Model Training: use that modifies the learned parameters of a generative model.
  [[nodiscard]] ROBOTS_CONSTEXPR std::optional<bool> train_ai() const noexcept {
    return preference("train-ai");
  }

  /// Search: use in an application that directs its users to the location of what it finds.
  [[nodiscard]] ROBOTS_CONSTEXPR std::optional<bool> search() const noexcept {
    return preference("search");
  }

  /// Whether it speaks of a target, an absolute URL or a path with query.
  [[nodiscard]] ROBOTS_CONSTEXPR bool matches(std::string_view target) const;
};

/// Reads `[path] statement`. A path begins with `/` and ends before the first blank.
[[nodiscard]] ROBOTS_CONSTEXPR content_usage parse_content_usage(std::string_view value) noexcept;

/// The Content-Usage lines among `lines`, in file order. Linear.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<content_usage> content_usages(
    std::span<const directive> lines);

/// Those that apply to a crawler. Linear in the file.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<content_usage> content_usages(
    const document& file, std::string_view user_agent = "*");
std::vector<content_usage> content_usages(const document&&, std::string_view = "*") = delete;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/extensions/content_usage.ipp>
#endif
