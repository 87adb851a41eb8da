#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/page_of.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/usage/usage_lines.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace robots {

namespace policy_detail {

/// Returns `explain(decided)` without its answer, which the permission states itself.
[[nodiscard]] ROBOTS_INLINE std::string reason_text(const decision& decided) {
  const std::string text = explain(decided);
  const std::size_t end = text.find(": ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

/// Returns true if a robots.txt is in force, or the site said that there is none.
[[nodiscard]] ROBOTS_INLINE bool knows_file(const policy& used) noexcept {
  const policy_basis basis = used.basis();
  return !used.reason_for_all_urls() &&
         (basis == policy_basis::rules || basis == policy_basis::last_good ||
          (basis == policy_basis::allow_all && used.outcome() == outcome::not_found));
}

}  // namespace policy_detail

ROBOTS_INLINE page_statements page_of(const decision& decided, std::string_view url,
                                      const crawler_names_view& names) {
  page_statement verdict{.kind = statement_kind::robots_rule,
                         .name = "robots.txt",
                         .text = policy_detail::reason_text(decided),
                         .position = decided.verdict.line,
                         .label = "fetch",
                         .permits = decided.allowed,
                         .applies = true};
  const policy* const used = decided.policy.get();
  if (used == nullptr || !policy_detail::knows_file(*used)) {
    page_statements page{std::move(verdict), usage_lines{}, url, names};
    page.mark_unread(statement_place::robots_txt);
    return page;
  }
  return {std::move(verdict), used->usage(), detail::target_for(*used, url), names};
}

}  // namespace robots
