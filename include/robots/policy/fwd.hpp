#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>

/// Declarations of the types of `policy/`, and the concept `PolicySource`.
namespace robots {

struct call_options;
class fallback_policy;
class policy;
struct decision;
struct order_reference;
struct record;
struct record_head;
struct ruling_number;

enum class decision_reason : std::uint8_t;
enum class fallback_action : std::uint8_t;
enum class halt_reason : std::uint8_t;
enum class policy_basis : std::uint8_t;
enum class site_override : std::uint8_t;

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
