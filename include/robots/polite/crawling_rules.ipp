#pragma once

#include <robots/base/inline.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/polite/crawling_rules.hpp>
#include <robots/polite/detail/policy_delays.hpp>

#include <mutex>
#include <stdexcept>
#include <utility>

namespace robots {

ROBOTS_INLINE crawling_rules::crawling_rules(std::string_view host_or_url,
                                             const delay_options& delay,
                                             std::optional<std::uint64_t> seed)
    : site_(site_of(host_or_url)), key_(site_.key()), delay_(delay), random_(seed) {
  validate(delay_);
}

ROBOTS_INLINE bool crawling_rules::allowed(std::string_view url) const {
  if (!url.starts_with('/') && !is_of_site(url)) {
    return false;
  }
  const std::shared_ptr<const policy> now = rules();
  return !now || now->allows(target_for(*now, url));
}

ROBOTS_INLINE computed_delay crawling_rules::next_delay(wall_time when) const {
  const std::shared_ptr<const policy> now = rules();
  delay_inputs inputs = polite_detail::delays_at(now.get(), when);
  inputs.last_response = std::chrono::nanoseconds{last_response_.load(std::memory_order_relaxed)};
  return compute_delay(delay_, inputs, random_.draw());
}

ROBOTS_INLINE std::shared_ptr<const policy> crawling_rules::rules() const {
  const std::shared_lock lock{mutex_};
  return rules_;
}

ROBOTS_INLINE site crawling_rules::site_of(std::string_view host_or_url) {
  std::optional<site> where = parse_site(host_or_url);
  if (!where) {
    throw std::invalid_argument{"crawling_rules: \"" + std::string{host_or_url} +
                                "\" names no site; write \"example.com\" or a URL of it"};
  }
  return *std::move(where);
}

ROBOTS_INLINE bool crawling_rules::take(std::shared_ptr<const policy> found) {
  const bool valid =
      found->basis() == policy_basis::rules || found->basis() == policy_basis::last_good;
  return keep(std::move(found)) && valid;
}

ROBOTS_INLINE bool crawling_rules::take(retrieval_result result, std::string_view user_agent,
                                        const judge_options& judging,
                                        std::shared_ptr<const policy> last,
                                        const wall_anchor& now) {
  const earlier_policies before{.last = std::move(last)};
  record brought = record_of(std::move(result), before, judging, now.wall, random_.draw());
  auto made = judge(std::move(brought), user_agent, judging, before, now);
  const bool obeyed = made->basis() == policy_basis::rules;
  return keep(std::move(made)) && obeyed;
}

ROBOTS_INLINE bool crawling_rules::keep(std::shared_ptr<const policy> rules) {
  const std::unique_lock lock{mutex_};
  if (rules_ && rules->source().outcome == outcome::cancelled) {
    return false;
  }
  rules_.swap(rules);  // so that the old one goes after the lock
  return true;
}

ROBOTS_INLINE bool crawling_rules::is_of_site(std::string_view url) const {
  if (possible_site_key(url) == key_) {
    return true;
  }
  const std::optional<site> where = parse_site(url);
  if (!where || where->host != site_.host) {
    return false;
  }
  return site_.scheme ? *where == site_ : where->port == site_.port;
}

}  // namespace robots
