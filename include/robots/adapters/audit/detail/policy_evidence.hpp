#pragma once

#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/failing_time.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/fallback_action.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// The questions that an audit asks about one recorded policy, before it believes a permission:
///
///     status --> outcome --> action of the fallback policy --> basis     (contradiction_in)
///     fetched at + lifetime (+ the grace of the options) >= decision     (age_problem)
///
/// An entry of the policy has all values on the left. The `crawler` entry has the table of actions
/// and the options. So a forger must change all of them together, and the file that they rest on.
namespace robots::adapters_detail {

/// Returns the enumerator with this name, or `last` if there is none.
template <class Enum>
[[nodiscard]] Enum enum_named(std::string_view name, Enum last) {
  int value = 0;
  while (to_string(static_cast<Enum>(value)) != name && static_cast<Enum>(value) != last) {
    ++value;
  }
  return static_cast<Enum>(value);
}

/// A policy as an entry describes it. Times and durations are in seconds.
struct recorded_policy {
  std::string site{};        ///< the site of the policy, without a scheme
  std::string final_site{};  ///< the site that answered, without a scheme
  std::string final_key{};   ///< the key of the site that answered
  policy_basis basis{};
  robots::outcome outcome{};
  std::optional<decision_reason> reason{};
  std::string directives{};  ///< the id of the directives; empty if no robots.txt is obeyed
  int status = 0;
  std::int64_t fetched_at = 0;
  std::int64_t rules_fetched_at = 0;
  std::int64_t lifetime = 0;
  fetch_error error = fetch_error::none;
  std::optional<std::chrono::seconds> failing_for{};
  order_reference order{};  ///< the order that made the policy, or an empty id

  [[nodiscard]] bool is_redirected() const { return final_site != site; }
};

/// Returns the whole seconds of a duration in an entry. Returns 0 if there is none.
[[nodiscard]] inline std::int64_t whole_seconds(const json_object& entry, std::string_view name) {
  const std::string_view text = entry.digits(name);
  constexpr std::uint64_t most = (std::numeric_limits<std::int64_t>::max)() / 4;
  const auto seconds = base::parse_decimal(text.substr(0, text.find('.')), most);
  return static_cast<std::int64_t>(seconds.value_or(0));
}

/// The options of a crawler that decide about policies. Trails of earlier versions lack the limits.
struct recorded_options {
  std::string fallback{};  ///< the name of the fallback policy
  std::array<std::optional<fallback_action>, outcome_count> actions{};
  bool has_limits = false;
  std::int64_t max_ttl = 0;
  std::int64_t stale_while_revalidate = 0;
  std::int64_t last_good_for = 0;
  std::int64_t no_file_after = 0;

  [[nodiscard]] static recorded_options read(const json_object& crawler) {
    recorded_options result{.fallback = crawler.text("fallback")};
    for (const json_object& row : crawler.list("actions")) {
      for (std::size_t i = 0; i < outcome_count; ++i) {
        const std::string action = row.text(to_string(static_cast<outcome>(i)));
        if (!action.empty()) {
          result.actions[i] = enum_named(action, fallback_action::last_good_or_allow);
        }
      }
    }
    result.has_limits = crawler.has("max_ttl_seconds");
    result.max_ttl = whole_seconds(crawler, "max_ttl_seconds");
    result.stale_while_revalidate = whole_seconds(crawler, "stale_while_revalidate_seconds");
    result.last_good_for = whole_seconds(crawler, "last_good_for_seconds");
    result.no_file_after = whole_seconds(crawler, "no_file_after_seconds");
    return result;
  }

  /// Returns true if `actions` alone decides. An own fallback policy can look at more than the
  /// outcome.
  [[nodiscard]] bool has_known_fallback() const {
    return fallback == fallback_policy::permissive().name() ||
           fallback == fallback_policy::rfc9309().name() ||
           fallback == fallback_policy::strict().name();
  }
};

/// Returns what is wrong with the outcome of a policy if its status has another outcome.
[[nodiscard]] inline std::string status_problem(const recorded_policy& recorded) {
  using enum outcome;
  const outcome said = recorded.outcome == malformed ? success : recorded.outcome;
  const bool is_answer =
      said == success || said == not_found || said == client_error || said == too_many_requests;
  const bool is_renewed = said == success && recorded.status == 304;
  if (said == licence_demanded && recorded.status != 401 && recorded.status != 402) {
    return "the outcome licence_demanded does not follow from the HTTP status " +
           std::to_string(recorded.status);
  }
  const outcome means = recorded.status == 0 ? unreachable : detail::outcome_of(recorded.status);
  const bool is_redirect = recorded.status >= 300 && recorded.status < 400;
  if (!is_answer || is_renewed || is_redirect || said == means) {
    return {};
  }
  return "the outcome " + std::string{to_string(recorded.outcome)} +
         " does not follow from the HTTP status " + std::to_string(recorded.status);
}

/// Returns true if a site that answers as in `recorded` may have the basis of `recorded` after this
/// action of the crawler.
[[nodiscard]] inline bool is_basis_of(fallback_action action, const recorded_policy& recorded,
                                      const recorded_options& options) {
  using enum policy_basis;
  const policy_basis basis = recorded.basis;
  switch (action) {
    case fallback_action::parse:
      return basis == rules || basis == deny_all;
    case fallback_action::allow_all:
      return basis == allow_all;
    case fallback_action::deny_all:
      return basis == deny_all;
    case fallback_action::last_good_or_allow:
      return basis == last_good || basis == allow_all;
    case fallback_action::last_good_or_deny:
      break;
  }
  record_head head{
      {.outcome = recorded.outcome, .status = recorded.status, .error = recorded.error}};
  head.failing_for = recorded.failing_for;
  const bool is_without_file =
      detail::counts_as_without_file(head, std::chrono::seconds{options.no_file_after});
  return basis == last_good || basis == (is_without_file ? allow_all : deny_all);
}

/// Returns what is wrong with the basis of a policy if the table of actions has another one.
[[nodiscard]] inline std::string action_problem(const recorded_policy& recorded,
                                                const recorded_options& options) {
  using enum policy_basis;
  const auto& action = options.actions[static_cast<std::size_t>(recorded.outcome)];
  if (recorded.outcome == outcome::redirected || !action) {
    return recorded.basis == allow_all ? "a redirect alone allows nothing" : "";
  }
  const bool is_right = is_basis_of(*action, recorded, options);
  // The file of another site is obeyed whatever the table says of the redirect.
  if (is_right || (recorded.basis == rules && recorded.is_redirected())) {
    return {};
  }
  return "the crawler's action after " + std::string{to_string(recorded.outcome)} + " is " +
         std::string{to_string(*action)} + ", but the policy has the basis " +
         std::string{to_string(recorded.basis)};
}

/// Returns what is wrong with a permission at the time `decided` if the policy was too old for it.
[[nodiscard]] inline std::string age_problem(const recorded_policy& recorded,
                                             const recorded_options& options,
                                             std::int64_t decided) {
  using base::saturating_add;
  const std::int64_t fresh =
      recorded.is_redirected() ? options.max_ttl : (std::min)(recorded.lifetime, options.max_ttl);
  const auto days = [decided](std::int64_t since) {
    return std::to_string((decided - since) / 86'400) + " days and " +
           std::to_string((decided - since) % 86'400 / 3'600) + " hours old";
  };
  if (decided - recorded.fetched_at - longest_lateness > fresh &&
      decided - recorded.fetched_at - longest_lateness - fresh > options.stale_while_revalidate) {
    return "its policy was " + days(recorded.fetched_at) + ", and was valid for " +
           std::to_string(fresh) + " seconds";
  }
  if (recorded.basis == policy_basis::last_good &&
      decided - recorded.rules_fetched_at - longest_lateness > options.last_good_for) {
    return "its last good copy was " + days(recorded.rules_fetched_at) + ", and may be used for " +
           std::to_string(options.last_good_for) + " seconds";
  }
  return {};
}

}  // namespace robots::adapters_detail
