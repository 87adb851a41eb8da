// The purposes by their names on the command line.
#pragma once

#include <robots/rep/read/purpose.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::check {

/// Returns the purpose with that name, such as `ai_train`.
[[nodiscard]] inline std::optional<purpose> purpose_named(std::string_view name) {
  for (auto wanted = purpose::fetch;; wanted = static_cast<purpose>(static_cast<int>(wanted) + 1)) {
    if (to_string(wanted) == name) {
      return wanted;
    }
    if (wanted == purpose::tdm) {
      return std::nullopt;
    }
  }
}

/// Returns the answers for purposes, or for labels of the site.
[[nodiscard]] inline std::vector<permission> answers_for(const std::vector<std::string>& names,
                                                         const page_statements& page) {
  const auto now = std::chrono::system_clock::now();
  std::vector<permission> answers;
  for (const std::string& name : names) {
    const auto wanted = purpose_named(name);
    answers.push_back(wanted ? page.may(*wanted, now) : page.may(name, now));
  }
  return answers;
}

}  // namespace robots::check
