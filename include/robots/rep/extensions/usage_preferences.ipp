#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/extensions/detail/path_scope.hpp>
#include <robots/rep/extensions/usage_preferences.hpp>

namespace robots {

namespace rep_detail {

/// draft-ietf-aipref-vocab-07, section 5.1: of several statements the most restrictive counts. Of
/// two that agree, the first is named.
constexpr void combine(usage_preference& with, const usage_preference& other) noexcept {
  const bool restricts = with.allowed == true && other.allowed == false;
  if (!with.allowed || restricts) {
    with = other;
  }
}

/// The preference for one category among lines that match, as they come.
class longest_preference {
 public:
  constexpr void offer(std::uint32_t specificity, const usage_preference& preference) noexcept {
    if (specificity > specificity_) {
      specificity_ = specificity;
      result_ = preference;
    } else if (specificity == specificity_) {
      combine(result_, preference);
    }
  }

  [[nodiscard]] constexpr usage_preference result() const noexcept {
    return result_.allowed ? result_ : usage_preference{};
  }

 private:
  std::uint32_t specificity_ = 0;
  usage_preference result_;
};

}  // namespace rep_detail

ROBOTS_CONSTEXPR effective_preferences usage_preferences(const document& file,
                                                         std::string_view target,
                                                         std::string_view user_agent) {
  if (!file.allows(target, user_agent)) {
    return {};
  }
  rep_detail::scoped_target compared{target};
  rep_detail::longest_preference train_ai;
  rep_detail::longest_preference search;
  for (const content_usage& line : content_usages(file, user_agent)) {
    if (const auto size = compared.match(line.path)) {
      constexpr auto source = directive_kind::content_usage;
      train_ai.offer(*size, {line.train_ai(), source, line.line});
      search.offer(*size, {line.search(), source, line.line});
    }
  }
  rep_detail::longest_preference ai_train_signal;
  rep_detail::longest_preference ai_input_signal;
  rep_detail::longest_preference search_signal;
  for (const content_signal& line : content_signals(file, user_agent)) {
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
    constexpr usage_preference denied{.allowed = false};
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
