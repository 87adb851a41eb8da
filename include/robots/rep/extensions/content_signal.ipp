#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/detail/path_scope.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <cstddef>

namespace robots {

ROBOTS_CONSTEXPR bool content_signal::matches(std::string_view target) const {
  return rep_detail::match_scope(path, target).has_value();
}

namespace rep_detail {

/// Takes up one `name=value`, unless it is neither a known signal nor yes or no; a no stays.
/// Returns whether it was understood.
constexpr bool set_signal(content_signal& signals, std::string_view member) noexcept {
  const std::size_t equals = std::min(member.find('='), member.size());
  const std::string_view name = base::trim(member.substr(0, equals), base::is_blank);
  const std::string_view value =
      base::trim(member.substr(std::min(equals + 1, member.size())), base::is_blank);
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

ROBOTS_CONSTEXPR signals_read read_signals(std::string_view value) noexcept {
  auto [path, rest] = split_scope(value);
  signals_read result{.signals = {.path = path}};
  while (!rest.empty()) {
    const std::string_view member = rest.substr(0, rest.find(','));
    if (!base::trim(member, base::is_blank).empty() && !set_signal(result.signals, member)) {
      result.complete = false;
    }
    rest.remove_prefix(std::min(member.size() + 1, rest.size()));
  }
  return result;
}

}  // namespace rep_detail

ROBOTS_CONSTEXPR content_signal parse_content_signal(std::string_view value) noexcept {
  return rep_detail::read_signals(value).signals;
}

ROBOTS_CONSTEXPR std::vector<content_signal> content_signals(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::content_signal, parse_content_signal);
}

ROBOTS_CONSTEXPR std::vector<content_signal> content_signals(const document& file,
                                                             std::string_view user_agent) {
  return content_signals(file.directives_for(user_agent));
}

}  // namespace robots
