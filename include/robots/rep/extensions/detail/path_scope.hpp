#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

/// The value of a line that says something of some paths only.
struct scoped_value {
  std::string_view path{};       ///< a pattern; empty: every path
  std::string_view statement{};  ///< what is said
};

/// draft-ietf-aipref-attach-05, section 3.2: a value that begins with `/` begins with a path, which
/// ends before the first blank.
[[nodiscard]] constexpr scoped_value split_scope(std::string_view value) noexcept {
  if (!value.starts_with('/')) {
    return {.statement = value};
  }
  const auto blank = std::find_if(value.begin(), value.end(), base::is_blank);
  const auto size = static_cast<std::size_t>(blank - value.begin());
  return {.path = value.substr(0, size),
          .statement = base::trim(value.substr(size), base::is_blank)};
}

/// The octets of `path` that "most octets" counts when it matches `target`: 0 of the empty path,
/// which matches everything. Nothing when it does not match.
[[nodiscard]] constexpr std::optional<std::uint32_t> match_scope(std::string_view path,
                                                                 std::string_view target) {
  if (path.empty()) {
    return 0;
  }
  const pattern compiled{path};
  if (!compiled.matches(target)) {
    return std::nullopt;
  }
  return compiled.specificity();
}

/// A target that is compared with the paths of many lines, within the steps of one question. A line
/// takes a step for each octet of both, since that is what comparing them costs.
class scoped_target {
 public:
  constexpr explicit scoped_target(std::string_view target) noexcept : target_(target) {}

  /// The same as `match_scope`; nothing once the steps are exceeded.
  [[nodiscard]] constexpr std::optional<std::uint32_t> match(std::string_view path) {
    steps_.spend(1 + (path.empty() ? 0 : path.size() + target_.size()));
    return exceeded() ? std::nullopt : match_scope(path, target_);
  }

  /// Whether some line was not compared.
  [[nodiscard]] constexpr bool exceeded() const noexcept { return steps_.exceeded(); }

 private:
  std::string_view target_;
  step_budget steps_{max_match_steps};
};

}  // namespace robots::rep_detail
