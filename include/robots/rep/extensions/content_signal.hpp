#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/rep/read/detail/path_scope.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/read_lines.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The values of the signal `use` of a Content-Signal line, from the least to the most that is
/// permitted.
enum class content_use : std::uint8_t { immediate, reference, full };

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(content_use use) noexcept {
  return base::enum_text<content_use::full>(use, {"immediate", "reference", "full"});
}

namespace rep_detail {

/// One `name=value` of a Content-Signal line.
struct signal_text {
  std::string_view text{};   ///< as written, without blanks at its ends
  std::string_view name{};   ///< as written; the whole text if there is no `=`
  std::string_view value{};  ///< as written
};

/// Takes the next member from the comma-separated list `rest`. Skips empty members. Returns an
/// empty optional at the end of the list.
[[nodiscard]] constexpr std::optional<signal_text> take_signal(std::string_view& rest) noexcept {
  while (!rest.empty()) {
    const std::string_view member = rest.substr(0, rest.find(','));
    rest.remove_prefix((std::min)(member.size() + 1, rest.size()));
    const std::string_view text = base::trim(member, base::is_blank);
    if (!text.empty()) {
      const std::size_t equals = (std::min)(text.find('='), text.size());
      const std::string_view behind = text.substr((std::min)(equals + 1, text.size()));
      return signal_text{.text = text,
                         .name = base::trim(text.substr(0, equals), base::is_blank),
                         .value = base::trim(behind, base::is_blank)};
    }
  }
  return std::nullopt;
}

/// Reads `yes` or `no` in upper or lower case.
[[nodiscard]] constexpr std::optional<bool> parse_yes_or_no(std::string_view value) noexcept {
  if (base::equal_ignoring_case(value, "yes")) {
    return true;
  }
  if (base::equal_ignoring_case(value, "no")) {
    return false;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<content_use> parse_content_use(
    std::string_view value) noexcept {
  using enum content_use;
  if (base::equal_ignoring_case(value, "immediate")) {
    return immediate;
  }
  if (base::equal_ignoring_case(value, "reference")) {
    return reference;
  }
  if (base::equal_ignoring_case(value, "full")) {
    return full;
  }
  return std::nullopt;
}

/// Returns true for a signal that has a member in `content_signal`.
[[nodiscard]] constexpr bool is_known_signal(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 4> known{"search", "ai-input", "ai-train", "use"};
  return std::any_of(known.begin(), known.end(), [name](std::string_view signal) {
    return base::equal_ignoring_case(name, signal);
  });
}

/// Returns true for a label that Content-Usage defines and Content-Signal does not. In a
/// Content-Signal line, such a label is a mistake and states nothing.
[[nodiscard]] constexpr bool is_content_usage_label(std::string_view name) noexcept {
  return base::equal_ignoring_case(name, "train-ai") || base::equal_ignoring_case(name, "ai-use");
}

}  // namespace rep_detail

/// The content signals of one line or header, such as `Content-Signal: search=yes, ai-train=no`
/// (contentsignals.org, 2025; the signal `use` is of 2026).
///
/// A missing signal neither permits nor forbids a use. A path can precede the signals, as in a
/// Content-Usage line. contentsignals.org does not define such paths. A signal never changes a
/// verdict. The views are valid as long as the document.
struct content_signal {
  static constexpr directive_kind kind = directive_kind::content_signal;  ///< used by `read_lines`

  std::string_view path{};           ///< a pattern; empty means every path
  std::string_view statement{};      ///< the signals, as written
  std::optional<bool> search{};      ///< a search index, with links and short excerpts
  std::optional<bool> ai_input{};    ///< input of a model: retrieval, grounding, generated answers
  std::optional<bool> ai_train{};    ///< training or fine-tuning of a model
  std::optional<content_use> use{};  ///< how much of the content a service may show
  std::uint32_t line = 0;            ///< the line number, 1-based; 0 if not read from a file
  bool complete = true;              ///< false if a part of the line could not be read

  /// Reads `[path] signal=value, ...` in upper or lower case. If a line repeats a signal, the most
  /// restrictive value is used. `complete` is false if a member has an unknown signal or value.
  /// Takes linear time.
  [[nodiscard]] static constexpr content_signal parse(std::string_view value) noexcept {
    const auto [path, statement] = rep_detail::split_scope(value);
    content_signal result{.path = path, .statement = statement};
    std::string_view rest = statement;
    while (const auto signal = rep_detail::take_signal(rest)) {
      if (!result.set(*signal)) {
        result.complete = false;
      }
    }
    return result;
  }

  /// Returns the value of the signal `label`: true for `yes`, and false for `no`. The signal can be
  /// one that this library does not know. Returns an empty optional if there is no such signal, or
  /// if no value of it could be read. Takes linear time.
  [[nodiscard]] constexpr std::optional<bool> preference(std::string_view label) const noexcept {
    std::optional<bool> stated;
    std::string_view rest = statement;
    while (const auto signal = rep_detail::take_signal(rest)) {
      const bool is_meant = base::equal_ignoring_case(signal->name, label) &&
                            !rep_detail::is_content_usage_label(label);
      const std::optional<bool> value = rep_detail::parse_yes_or_no(signal->value);
      if (is_meant && value) {
        stated = *value && stated.value_or(true);
      }
    }
    return stated;
  }

 private:
  constexpr bool set(const rep_detail::signal_text& signal) noexcept {
    if (base::equal_ignoring_case(signal.name, "use")) {
      const std::optional<content_use> stated = rep_detail::parse_content_use(signal.value);
      if (stated) {
        use = (std::min)(*stated, use.value_or(content_use::full));
      }
      return stated.has_value();
    }
    const std::optional<bool> stated = rep_detail::parse_yes_or_no(signal.value);
    std::optional<bool>* const member = find(signal.name);
    if (member == nullptr || !stated) {
      return false;
    }
    *member = *stated && member->value_or(true);
    return true;
  }

  constexpr std::optional<bool>* find(std::string_view name) noexcept {
    if (base::equal_ignoring_case(name, "search")) {
      return &search;
    }
    if (base::equal_ignoring_case(name, "ai-input")) {
      return &ai_input;
    }
    return base::equal_ignoring_case(name, "ai-train") ? &ai_train : nullptr;
  }
};

}  // namespace robots
