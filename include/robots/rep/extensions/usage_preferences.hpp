#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/detail/path_scope.hpp>
#include <robots/rep/extensions/detail/structured_dictionary.hpp>
#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The content signals of one line, such as `Content-Signal: search=yes, ai-train=no`
/// (contentsignals.org, Cloudflare 2025). draft-romm-aipref-contentsignals-00 defines the
/// categories.
///
/// A signal is true if its value is yes, and false if its value is no. A missing signal neither
/// grants nor restricts. Some sites write a path first (`Content-Signal: /blog/ ai-train=no`). The
/// published policy does not mention paths, so a path is read as in a Content-Usage line. A signal
/// never changes a verdict. The view lives as long as the document.
struct content_signal {
  static constexpr directive_kind kind = directive_kind::content_signal;  ///< used by `read_lines`

  std::string_view path{};         ///< a pattern; empty means every path
  std::optional<bool> search{};    ///< a search index, with links and short excerpts
  std::optional<bool> ai_input{};  ///< input of a model: retrieval, grounding, generated answers
  std::optional<bool> ai_train{};  ///< training or fine-tuning of a model
  std::uint32_t line = 0;          ///< the line number, 1-based; 0 if not read from a file
  bool complete = true;            ///< false if a part of the line could not be read

  /// Reads `[path] signal=yes|no, ...` in upper or lower case.
  ///
  /// If a line repeats a signal, the most restrictive value is used, as in `usage_preferences`. The
  /// policy does not say which value to use, but no site wants to grant a use that it denies. Takes
  /// linear time.
  [[nodiscard]] static constexpr content_signal parse(std::string_view value) noexcept;
};

namespace rep_detail {

/// Sets the signal that `member`, a text `name=value`, states. A later yes does not change a no.
/// Returns false if the name or the value is unknown.
constexpr bool set_signal(content_signal& signals, std::string_view member) noexcept {
  const std::size_t equals = (std::min)(member.find('='), member.size());
  const std::string_view name = base::trim(member.substr(0, equals), base::is_blank);
  const std::string_view value =
      base::trim(member.substr((std::min)(equals + 1, member.size())), base::is_blank);
  const bool yes = base::equal_ignoring_case(value, "yes");
  if (!yes && !base::equal_ignoring_case(value, "no")) {
    return false;
  }
  const auto set = [yes](std::optional<bool>& signal) {
    signal = yes && signal.value_or(true);
    return true;
  };
  if (base::equal_ignoring_case(name, "search")) {
    return set(signals.search);
  }
  if (base::equal_ignoring_case(name, "ai-input")) {
    return set(signals.ai_input);
  }
  return base::equal_ignoring_case(name, "ai-train") && set(signals.ai_train);
}

}  // namespace rep_detail

constexpr content_signal content_signal::parse(std::string_view value) noexcept {
  auto [path, rest] = rep_detail::split_scope(value);
  content_signal result{.path = path};
  while (!rest.empty()) {
    const std::string_view member = rest.substr(0, rest.find(','));
    if (!base::trim(member, base::is_blank).empty() && !rep_detail::set_signal(result, member)) {
      result.complete = false;
    }
    rest.remove_prefix((std::min)(member.size() + 1, rest.size()));
  }
  return result;
}

/// One statement about the use of content under a path, such as `Content-Usage: /path train-ai=n`
/// (draft-ietf-aipref-attach-05, section 3).
///
/// A statement never changes a verdict. `usage_preferences` finds the line that decides about a
/// target. The views live as long as the document.
struct content_usage {
  static constexpr directive_kind kind = directive_kind::content_usage;  ///< used by `read_lines`

  std::string_view path{};       ///< a pattern; empty means every path
  std::string_view statement{};  ///< a Dictionary of RFC 9651, as written
  std::uint32_t line = 0;        ///< the line number, 1-based; 0 if not read from a file

  /// Reads `[path] statement`. A path begins with `/` and ends before the first blank.
  [[nodiscard]] static constexpr content_usage parse(std::string_view value) noexcept {
    const auto [path, statement] = rep_detail::split_scope(value);
    return {.path = path, .statement = statement};
  }

  /// Returns the preference for the category of use that `label` names: true for `y` and false for
  /// `n`. For anything else, returns an empty optional (draft-ietf-aipref-vocab-07, section 6.5:
  /// unknown).
  ///
  /// Labels and values are case-sensitive. If a label is repeated, its last value is used. A
  /// statement that is not a Dictionary has no preferences. Takes time linear in the statement.
  [[nodiscard]] constexpr std::optional<bool> preference(std::string_view label) const noexcept {
    const std::string_view token = rep_detail::dictionary_token(statement, label);
    if (token == "y") {
      return true;
    }
    return token == "n" ? std::optional{false} : std::nullopt;
  }
};

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
