#pragma once

#include <robots/base/fingerprint.hpp>
#include <robots/base/inline.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

#include <algorithm>

namespace robots {

ROBOTS_CONSTEXPR rep_detail::rule_table rule_set::table() const noexcept {
  return {.block = {parts_.block.data(), parts_.block.size()}, .facts = parts_.facts};
}

ROBOTS_CONSTEXPR bool rule_set::allows(std::string_view target) const noexcept {
  return table().allows(target);
}

ROBOTS_CONSTEXPR verdict rule_set::match(std::string_view target) const& noexcept {
  return table().match(target);
}

ROBOTS_CONSTEXPR std::string_view rule_set::user_agent() const& noexcept {
  return table().user_agent();
}

ROBOTS_CONSTEXPR std::uint64_t rule_set::fingerprint() const {
  const rep_detail::rule_table table = this->table();
  const rep_detail::normal_form& form = *parts_.facts.traits->rule_form;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const rep_detail::packed_rule rule = table.rule(i);
    rule.with_pattern(table.block, form, [&](const rep_detail::compiled_pattern& pattern) {
      const bool allows = rule.kind() == rule_kind::allow;
      const std::uint64_t flags = (allows ? 1U : 0U) + (pattern.anchored ? 2U : 0U);
      hashes.push_back(base::combined(base::fingerprint(pattern.text),
                                      flags + std::uint64_t{4} * rule.specificity(table.block)));
    });
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  const auto delay = parts_.facts.crawl_delay();
  std::uint64_t all = delay ? static_cast<std::uint64_t>(delay->count()) + 1 : 0;
  for (const std::uint64_t hash : hashes) {
    all = base::combined(all, hash);
  }
  return base::combined(all, hashes.size());
}

}  // namespace robots
