#pragma once

#include <robots/policy/fwd.hpp>

#include <concepts>
#include <memory>
#include <string_view>

namespace robots {

/// A source of policies, such as a cache.
///
/// A `PolicySource` has two members. `get(host_or_url, call)` returns the policy of a site, which
/// is never null. `check(url, call)` decides on a URL. Any thread may call these members. Failures
/// of the network do not cause exceptions.
///
/// Example: `s.check(url, call).allowed` equals `s.get(url, call)->allows(url)`. Model:
/// `basic_robots_cache`.
template <class S>
concept PolicySource = requires(S& source, std::string_view url, const call_options& call) {
  { source.get(url, call) } -> std::convertible_to<std::shared_ptr<const policy>>;
  { source.check(url, call) } -> std::convertible_to<decision>;
};

}  // namespace robots
