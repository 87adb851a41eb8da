#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/read/directive.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

class document;

/// What a site prefers for one category of use of one target, and the line that says so.
struct usage_preference {
  std::optional<bool> allowed{};                    ///< nothing: unknown
  directive_kind source = directive_kind::unknown;  ///< content_usage or content_signal
  std::uint32_t line = 0;                           ///< 1-based; 0 when no line says so

  [[nodiscard]] friend constexpr bool operator==(const usage_preference&,
                                                 const usage_preference&) = default;
};

/// What a site prefers for one target, as far as its robots.txt says. No verdict depends on it.
struct effective_preferences {
  usage_preference train_ai{};  ///< training of models: `train-ai`, `ai-train`
  usage_preference ai_input{};  ///< input of models: `ai-input`, known to Content-Signal only
  usage_preference search{};    ///< search results: `search`

  [[nodiscard]] friend constexpr bool operator==(const effective_preferences&,
                                                 const effective_preferences&) = default;
};

/// The preferences that hold for a target, an absolute URL or a path with query, and a crawler.
///
/// Content-Usage (draft-ietf-aipref-attach-05, section 3.1): the matching line with the longest
/// path decides about all categories, those that it does not name included; lines with paths of the
/// same length are combined. Content-Signal: the same for each signal by itself, for the policy
/// speaks of each by itself and knows no paths. Lines and methods are combined so that the most
/// restrictive preference counts, as draft-ietf-aipref-vocab-07, section 5.1, says; where both
/// methods agree, the Content-Usage line is named.
///
/// A line holds for the User-agent lines right above it, and does not close their list as rules do
/// (RFC 9309, section 2.2.4). All is unknown when the crawler may not fetch the
/// target: "no preferences are implied for resources that are disallowed".
///
/// Linear in the file, and in the target for each line, up to 8 million octets in all. Where that
/// does not suffice to compare all lines, nothing is granted: all is false, and no line is named.
[[nodiscard]] ROBOTS_CONSTEXPR effective_preferences
usage_preferences(const document& file, std::string_view target, std::string_view user_agent = "*");

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/extensions/usage_preferences.ipp>
#endif
