#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/extensions/detail/path_scope.hpp>
#include <robots/rep/read/directive.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// A site's preferences for one target, as stated in the site's robots.txt. Preferences never
/// change a verdict.
struct effective_preferences {
  /// The preference for one category of use, and the line that states this preference.
  struct preference {
    std::optional<bool> allowed{};                    ///< the preference; empty means unknown
    directive_kind source = directive_kind::unknown;  ///< content_usage or content_signal
    std::uint32_t line = 0;                           ///< the line number; 0 if there is no line

    [[nodiscard]] friend constexpr bool operator==(const preference&, const preference&) = default;
  };

  preference train_ai{};  ///< training of models: `train-ai`, `ai-train`
  preference ai_input{};  ///< input of models: `ai-input`, only in Content-Signal
  preference search{};    ///< search results: `search`

  [[nodiscard]] friend constexpr bool operator==(const effective_preferences&,
                                                 const effective_preferences&) = default;
};

namespace rep_detail {

/// Keeps the more restrictive of two preferences (draft-ietf-aipref-vocab-07, section 5.1) in
/// `first`. If the preferences agree, the line of `first` stays.
constexpr void combine(effective_preferences::preference& first,
                       const effective_preferences::preference& second) noexcept {
  const bool restricts = first.allowed == true && second.allowed == false;
  if (!first.allowed || restricts) {
    first = second;
  }
}

/// Finds the preference for one category. `offer` takes the preferences of matching lines, in any
/// order. The line with the longest path decides.
class longest_preference {
 public:
  constexpr void offer(std::uint32_t specificity,
                       const effective_preferences::preference& preference) noexcept {
    if (specificity > specificity_) {
      specificity_ = specificity;
      result_ = preference;
    } else if (specificity == specificity_) {
      combine(result_, preference);
    }
  }

  [[nodiscard]] constexpr effective_preferences::preference result() const noexcept {
    return result_.allowed ? result_ : effective_preferences::preference{};
  }

 private:
  std::uint32_t specificity_ = 0;
  effective_preferences::preference result_;
};

}  // namespace rep_detail

/// Returns the preferences for a crawler and a target, an absolute URL or a path with query.
///
/// Content-Usage (draft-ietf-aipref-attach-05, section 3.1): the matching line with the longest
/// path decides about all categories, even about categories that the line does not name. Lines with
/// paths of equal length are combined. Content-Signal: for each signal, the line with the longest
/// path decides among the matching lines that have this signal. Then the two kinds of lines are
/// combined. The most restrictive of combined preferences applies (draft-ietf-aipref-vocab-07,
/// section 5.1). If both kinds agree, the result names the Content-Usage line.
///
/// A line applies to the crawlers in the User-agent lines directly above it, and does not end a
/// group (RFC 9309, section 2.2.4). All preferences are unknown if the crawler is not allowed to
/// fetch the target: "no preferences are implied for resources that are disallowed".
///
/// Takes time linear in the file. Comparing a line costs one step per octet of its path and of the
/// target. If all lines together need more than 8 million steps, all preferences are false, and the
/// result names no line.
[[nodiscard]] constexpr effective_preferences usage_preferences(const document& file,
                                                                std::string_view target,
                                                                std::string_view user_agent = "*") {
  if (!file.allows(target, user_agent)) {
    return {};
  }
  rep_detail::scoped_target compared{target};
  rep_detail::longest_preference train_ai;
  rep_detail::longest_preference search;
  for (const content_usage& line : file.read<content_usage>(user_agent)) {
    if (const auto size = compared.match(line.path)) {
      constexpr auto source = directive_kind::content_usage;
      train_ai.offer(*size, {line.preference("train-ai"), source, line.line});
      search.offer(*size, {line.preference("search"), source, line.line});
    }
  }
  rep_detail::longest_preference ai_train_signal;
  rep_detail::longest_preference ai_input_signal;
  rep_detail::longest_preference search_signal;
  for (const content_signal& line : file.read<content_signal>(user_agent)) {
    const auto size = compared.match(line.path);
    const auto offer = [&](rep_detail::longest_preference& to, std::optional<bool> signal) {
      if (size && signal) {
        to.offer(*size, {signal, directive_kind::content_signal, line.line});
      }
    };
    offer(ai_train_signal, line.ai_train);
    offer(ai_input_signal, line.ai_input);
    offer(search_signal, line.search);
  }
  if (compared.exceeded()) {
    constexpr effective_preferences::preference denied{.allowed = false};
    return {.train_ai = denied, .ai_input = denied, .search = denied};
  }
  effective_preferences result{.train_ai = train_ai.result(),
                               .ai_input = ai_input_signal.result(),
                               .search = search.result()};
  rep_detail::combine(result.train_ai, ai_train_signal.result());
  rep_detail::combine(result.search, search_signal.result());
  return result;
}

}  // namespace robots
