#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/audit/change_report.hpp>

namespace robots {

class policy;

/// What has changed from one policy to another, as far as policies keep what files say: rules,
/// delays, rates, hours, sitemaps and the host. A policy that denies everything without rules
/// counts as `Disallow: /`. Costs as much as `diff` of two texts.
[[nodiscard]] change_report diff(const policy& before, const policy& after);

/// Whether a site allows the crawler nothing: its rules mean what `Disallow: /` means. Costs as
/// much as `diff`, but next to nothing where the front page is allowed.
[[nodiscard]] bool denies_everything(const policy& what);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/policy_change.ipp>
#endif
