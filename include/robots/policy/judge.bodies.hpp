#pragma once

#include <robots/base/config.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/conditional_request.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/challenge.hpp>
#include <robots/policy/failing_time.hpp>
#include <robots/policy/judge.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/usage/license_link.hpp>
#include <robots/usage/usage_lines.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace robots::detail {

ROBOTS_INLINE detail::known_copy known_copy_of(const std::shared_ptr<const policy>& last) {
  const auto good = policy::good_copy(last);
  if (!good) {
    return {};
  }
  record_head source = good->last_retrieval();
  return {std::move(source.final_url), std::move(source.validators)};
}

ROBOTS_INLINE record record_of(detail::retrieval_result retrieved, const earlier_policies& before,
                               const judge_options& options, wall_time now, double random) {
  record result;
  static_cast<detail::retrieval_facts&>(result) = static_cast<detail::retrieval_facts&&>(retrieved);
  result.body = std::move(retrieved.body);
  result.fetched_at = std::chrono::floor<std::chrono::seconds>(now);
  if (result.outcome == outcome::success) {
    result.validators = validators_of(result.headers);
    result.charset = charset_of(
        result.body, find_header(result.headers, "Content-Type").value_or(""), result.truncated);
  }
  if (result.outcome == outcome::client_error && licence_demand(result.status, result.headers)) {
    result.outcome = outcome::licence_demanded;
  }
  if (std::string seen = policy_detail::challenge_in(result, before.last, options.parse);
      !seen.empty()) {
    result.outcome = outcome::challenged;
    result.error_text = std::move(seen);
    result.validators = {};
    result.charset = charset::utf_8;
    result.body.clear();
    result.truncated = false;
  }
  const bool is_renewal = result.not_modified && before.unchanged;
  const auto unchanged =
      is_renewal ? std::optional{before.unchanged->last_retrieval()} : std::nullopt;
  const auto last = before.last ? std::optional{before.last->last_retrieval()} : std::nullopt;
  set_lifetime(result, last ? last->failures : 0, unchanged ? &*unchanged : nullptr, options, now,
               random);
  result.failing_for = failing_time(result, last ? &*last : nullptr);
  return result;
}

ROBOTS_INLINE std::shared_ptr<const policy> if_young(const std::shared_ptr<const policy>& good,
                                                     time_point now, const judge_options& options) {
  return good && now <= base::saturating_add(good->fetched_at(), options.last_good_for) ? good
                                                                                        : nullptr;
}

ROBOTS_INLINE malformed_limit limit_of(const judge_options& options) {
  malformed_limit limit = options.malformed;
  limit.guessed_lines = limit.guessed_lines.value_or(options.fallback.counts_guessed_lines());
  return limit;
}

ROBOTS_INLINE fallback_action action_for(record_head& head, const judge_options& options) {
  const fallback_action chosen = options.fallback.action(head);
  if (chosen != fallback_action::last_good_or_deny ||
      !counts_as_without_file(head, options.no_file_after)) {
    return chosen;
  }
  head.error_text += (head.error_text.empty() ? "" : "; ") + without_file_text(*head.failing_for);
  return fallback_action::last_good_or_allow;
}

ROBOTS_INLINE std::shared_ptr<const policy> judge(const record& retrieved,
                                                  const crawler_names_view& crawler,
                                                  const judge_options& options,
                                                  const earlier_policies& before,
                                                  const wall_anchor& now) {
  record_head head = static_cast<const record_head&>(retrieved);
  // The present time is rounded like `head.fetched_at`, so that a new record has the age 0.
  const wall_anchor this_second{now.steady, std::chrono::floor<std::chrono::seconds>(now.wall)};
  const time_point fetched_at = (std::min)(this_second.at(head.fetched_at), now.steady);
  head.lifetime = std::clamp(head.lifetime, std::chrono::seconds{0}, options.max_ttl);
  if (head.not_modified && before.unchanged) {
    return policy::successor(
        policy{*before.unchanged, renewed(before.unchanged->last_retrieval(), std::move(head)),
               fetched_at},
        before.last);
  }
  if (head.outcome == outcome::redirected) {
    // The earlier answer is kept for `judge_redirected`.
    return policy::successor(
        policy{fallback_action::deny_all, crawler, head,
               if_young(policy::before_redirects(before.last), fetched_at, options), fetched_at},
        before.last);
  }
  if (head.not_modified) {
    head.outcome = outcome::server_error;  // an unexpected 304 is an error: see `outcome_of`
  }
  if (std::string seen = policy_detail::challenge_in(retrieved, before.last, options.parse);
      !seen.empty()) {
    // A record from another process, which had no good file.
    head.outcome = outcome::challenged;
    head.error_text = std::move(seen);
    head.lifetime = (std::min)(head.lifetime, failure_lifetime(options, 1, 0.0));
  }
  file_findings found;
  if (detail::has_text(head.outcome)) {
    parse_options reading = options.parse;
    // A record from another process can be longer than the limit of this crawler.
    const std::string_view served = std::string_view{retrieved.body}.substr(0, reading.max_bytes);
    reading.truncated =
        reading.truncated || head.truncated || served.size() < retrieved.body.size();
    const std::optional<std::string> transcoded =
        to_utf8(served, head.charset == charset::utf_8 ? charset_of(served) : head.charset);
    const std::string_view read = transcoded ? std::string_view{*transcoded} : served;
    // The limit applies to the response. If the conversion to UTF-8 makes the text longer than the
    // limit, the longer text is not cut.
    reading.max_bytes = (std::max)(reading.max_bytes, read.size());
    crawler_directives file = directives_for(read, crawler.list(), reading);
    std::shared_ptr<const std::string> text;
    if (options.keep_text) {
      text = std::make_shared<const std::string>(read);
    }
    std::shared_ptr<const usage_lines> usage;
    if (!file.extensions.empty() || !file.file_licenses.empty() ||
        !crawler.policy_tokens().empty()) {  // most files have none of these
      usage_lines lines = usage_lines_of(read, file, crawler.policy_tokens(), reading);
      if (!lines.empty()) {
        usage = std::make_shared<const usage_lines>(std::move(lines));
      }
    }
    const bool malformed = limit_of(options).exceeded_by(file.findings.lines);
    head.outcome = malformed ? outcome::malformed : outcome::success;
    if (options.fallback.action(head) == fallback_action::parse) {
      return policy::successor(
          policy{std::move(file), head, fetched_at, std::move(text), std::move(usage)},
          before.last);
    }
    found = std::move(file.findings);
  }
  // A failure says nothing about the rules, so the last good copy is kept. Any other answer
  // discards the last good copy, unless the fallback policy chose to obey this copy.
  const fallback_action chosen = action_for(head, options);
  std::shared_ptr<const policy> good;
  if (is_failure(head.outcome) || chosen == fallback_action::last_good_or_deny ||
      chosen == fallback_action::last_good_or_allow) {
    good = if_young(policy::last_successful(before.last), fetched_at, options);
  }
  return policy::successor(
      policy{chosen, crawler, head, std::move(good), fetched_at, std::move(found)}, before.last);
}

ROBOTS_INLINE std::shared_ptr<const policy> judge_redirected(
    record_head head, const std::shared_ptr<const policy>& target,
    const crawler_names_view& crawler, const judge_options& options,
    const std::shared_ptr<const policy>& own) {
  const time_point fetched_at = target->fetched_at();
  if (head.failing_for) {  // by the other site, whose time says nothing about this one
    remove_without_file_text(head);
    head.failing_for.reset();
  }
  if (target->basis() == policy_basis::rules) {
    return std::make_shared<policy>(*target, head, fetched_at);
  }
  fallback_action action = action_for(head, options);
  if (action == fallback_action::parse) {
    action = fallback_action::deny_all;
  }
  auto good = policy::last_successful(target);
  if (!good) {
    good = if_young(own, fetched_at, options);
  }
  return policy::successor(
      policy{action, crawler, head, std::move(good), fetched_at, target->findings()}, target);
}

ROBOTS_INLINE std::shared_ptr<const policy> quarantined(
    record_head source, std::string_view why, const crawler_names_view& crawler,
    const detail::any_fallback_policy& fallback) {
  source.outcome = outcome::quarantined;
  source.error_text = std::string{why} + "; check the site, then end its quarantine";
  return std::make_shared<const policy>(fallback.action(source), crawler, source, nullptr,
                                        time_point{}, file_findings{});
}

}  // namespace robots::detail
