#pragma once

#include <concepts>
#include <memory>
#include <string_view>

namespace robots {

class policy;
struct call_options;
struct decision;

/// A source of policies, such as a cache.
///
/// A model has `get(host_or_url, call)`, which returns the policy of a site and never null, and
/// `check(url, call)`, which decides on a URL. Any thread may call them, and failures of the
/// network do not make them throw.
///
/// Exemplar: `s.check(url, call).allowed` is `s.get(url, call)->allows(url)`. Models:
/// `basic_robots_cache`, `FixedPolicySource`.
template <class S>
concept PolicySource = requires(S& source, std::string_view url, const call_options& call) {
  { source.get(url, call) } -> std::convertible_to<std::shared_ptr<const policy>>;
  { source.check(url, call) } -> std::convertible_to<decision>;
};

}  // namespace robots
