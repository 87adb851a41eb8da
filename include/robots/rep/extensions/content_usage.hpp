#pragma once

#include <robots/base/ascii.hpp>
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

}  // namespace robots
