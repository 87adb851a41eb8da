#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace robots::rep_detail {

/// Returns the text before the first blank, and the text after that blank.
[[nodiscard]] constexpr std::pair<std::string_view, std::string_view> split_at_blank(
    std::string_view value) noexcept {
  const auto blank = std::find_if(value.begin(), value.end(), base::is_blank);
  const auto size = static_cast<std::size_t>(blank - value.begin());
  return {value.substr(0, size), base::trim(value.substr(size), base::is_blank)};
}

/// Splits a value into a path and the statement about that path. An empty path means every path. A
/// path begins with `/` and ends before the first blank (draft-ietf-aipref-attach-05, section 3.2).
[[nodiscard]] constexpr std::pair<std::string_view, std::string_view> split_scope(
    std::string_view value) noexcept {
  return value.starts_with('/') ? split_at_blank(value) : std::pair{std::string_view{}, value};
}

/// Compares a target with the paths of many lines, in at most `max_match_steps` steps. A line costs
/// one step per octet of path and target.
class scoped_target {
 public:
  constexpr explicit scoped_target(std::string_view target) noexcept : target_(target) {}

  /// Returns the specificity of `path` if `path` matches the target. Returns an empty optional
  /// otherwise, or if the steps are used up. The empty path matches everything, with the
  /// specificity 0.
  [[nodiscard]] constexpr std::optional<std::uint32_t> match(std::string_view path) {
    steps_.spend(1 + (path.empty() ? 0 : path.size() + target_.size()));
    if (exceeded()) {
      return std::nullopt;
    }
    if (path.empty()) {
      return 0;
    }
    const pattern compiled{path};
    return compiled.matches(target_) ? std::optional{compiled.specificity()} : std::nullopt;
  }

  /// Returns true if a line was not compared, since the steps were used up.
  [[nodiscard]] constexpr bool exceeded() const noexcept { return steps_.exceeded(); }

 private:
  std::string_view target_;
  step_budget steps_{max_match_steps};
};

}  // namespace robots::rep_detail
