#pragma once

#include <robots/base/fingerprint.hpp>
#include <robots/base/inline.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace robots {

namespace policy_detail {

/// Bounds what every request of a crawler has to look through, however long the file is.
template <class Line>
[[nodiscard]] std::vector<Line> first_of(const std::vector<Line>& lines) {
  constexpr std::ptrdiff_t most = 32;
  return {lines.begin(), lines.begin() + std::min(std::ssize(lines), most)};
}

[[nodiscard]] inline policy_basis basis_of(fallback_action action, const policy* last_good,
                                           outcome kind) noexcept {
  if (kind == outcome::redirected) {
    return policy_basis::redirected;
  }
  if (action == fallback_action::allow_all) {
    return policy_basis::allow_all;
  }
  const bool has_rules =
      last_good != nullptr && (last_good->basis() == policy_basis::rules || last_good->leads_to());
  if (action == fallback_action::last_good_or_deny && has_rules) {
    return policy_basis::last_good;
  }
  return policy_basis::deny_all;
}

}  // namespace policy_detail

ROBOTS_INLINE policy::policy(crawler_directives&& file, record_head&& source, time_point fetched_at,
                             std::shared_ptr<const std::string> text)
    : basis_(policy_basis::rules),
      rules_(std::move(file.rules)),
      findings_(std::move(file.findings)),
      file_delay_(file.file_delay),
      request_rates_(policy_detail::first_of(robots::request_rates(file.extensions))),
      visit_times_(policy_detail::first_of(robots::visit_times(file.extensions))),
      host_(file.host.value_or("")),
      source_(std::move(source)),
      fetched_at_(fetched_at),
      text_(std::move(text)) {
  for (const std::string_view sitemap : file.sitemaps) {
    if (!sitemap.empty()) {
      sitemaps_.push_back(sitemap);
    }
  }
  sitemaps_.shrink_to_fit();
}

ROBOTS_INLINE policy::policy(const crawler_directives& file, const record_head& source,
                             time_point fetched_at)
    : policy(crawler_directives{file}, record_head{source}, fetched_at) {}

ROBOTS_INLINE policy::policy(fallback_action action, std::string_view user_agent,
                             record_head source, std::shared_ptr<const policy> last_good,
                             time_point fetched_at, file_findings findings)
    : basis_(policy_detail::basis_of(action, kept_answer(last_good).get(), source.outcome)),
      rules_(compile({}, user_agent)),
      findings_(std::move(findings)),
      source_(std::move(source)),
      fetched_at_(fetched_at),
      last_good_(std::move(last_good)) {}

ROBOTS_INLINE policy::policy(const policy& unchanged, record_head source, time_point fetched_at)
    : policy(unchanged.in_force()) {
  source_ = std::move(source);
  fetched_at_ = fetched_at;
}

ROBOTS_INLINE document policy::document() const { return parse(text()); }

ROBOTS_INLINE std::shared_ptr<const policy> policy::refusal(std::string_view user_agent,
                                                            decision_reason why) {
  const std::string_view text = why == decision_reason::excluded ? "the host is excluded"
                                : why == decision_reason::halted ? "the site is halted"
                                : why == decision_reason::needs_sign_off
                                    ? "the site needs a sign-off"
                                    : "not an http or https URL or a host";
  record_head source{{.outcome = outcome::refused, .error_text = std::string{text}}};
  policy result{fallback_action::deny_all, user_agent, std::move(source)};
  result.basis_ = policy_basis::refused;
  result.given_reason_ = why;
  return std::make_shared<const policy>(std::move(result));
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::by_hand(std::string_view user_agent,
                                                            bool allow) {
  const auto action = allow ? fallback_action::allow_all : fallback_action::deny_all;
  policy result{action, user_agent, record_head{{.error_text = "told by hand"}}};
  result.given_reason_ = decision_reason::by_hand;
  return std::make_shared<const policy>(std::move(result));
}

ROBOTS_INLINE std::uint64_t policy::fingerprint() const {
  const policy& by = in_force();
  const bool by_rules = by.basis_ == policy_basis::rules || by.basis_ == policy_basis::allow_all;
  return by_rules ? by.fingerprint_of_rules() : 0;
}

ROBOTS_INLINE void policy::follow(const std::shared_ptr<const policy>& before) {
  last_answer_ = is_answer() ? nullptr : last_answer(before);
  const bool same = before != nullptr && before->fingerprint() == fingerprint();
  version_ = before == nullptr ? 1 : same ? before->version() : before->version() + 1;
}

ROBOTS_INLINE std::size_t policy::memory_bytes() const noexcept {
  std::size_t all = sizeof(*this) - sizeof(rules_) + rules_.memory_bytes() +
                    findings_.diagnostics.capacity() * sizeof(diagnostic) +
                    request_rates_.capacity() * sizeof(request_rate) +
                    visit_times_.capacity() * sizeof(visit_time) + sitemaps_.memory_bytes() +
                    source_.exchanges.capacity() * sizeof(exchange);
  for (const exchange& hop : source_.exchanges) {
    all += hop.url.capacity();
  }
  for (const std::string* text : {&host_, &source_.error_text, &source_.url, &source_.final_url,
                                  &source_.validators.etag, &source_.validators.last_modified}) {
    all += text->capacity();
  }
  all += text_ ? text_->capacity() : 0;
  for (const auto& other : others_) {
    all += sizeof(other) + other->memory_bytes();
  }
  const policy* const earlier = last_answer_ ? last_answer_.get() : last_good_.get();
  return all + (earlier != nullptr ? earlier->memory_bytes() : 0);
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::good(
    const std::shared_ptr<const policy>& from) {
  auto answer = kept_answer(from);
  const bool is_good = answer != nullptr && answer->basis_ == policy_basis::rules;
  return is_good ? std::move(answer) : nullptr;
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::kept_answer(
    const std::shared_ptr<const policy>& from) {
  const bool stands_in =
      from == nullptr || from->is_answer() || from->basis_ == policy_basis::redirected;
  return stands_in ? from : from->last_good_;
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::last_answer(
    const std::shared_ptr<const policy>& from) {
  return from == nullptr || from->is_answer() ? from : from->last_answer_;
}

ROBOTS_INLINE std::uint64_t policy::fingerprint_of_rules() const {
  std::uint64_t all = rules_.fingerprint();
  const auto add = [&all](std::chrono::milliseconds::rep number) {
    all = base::combined(all, static_cast<std::uint64_t>(number));
  };
  add(file_delay_ ? file_delay_->count() + 1 : 0);
  add(static_cast<std::chrono::milliseconds::rep>(request_rates_.size()));
  for (const request_rate& rate : request_rates_) {
    add(rate.requests);
    add(rate.per.count());
    add(rate.window ? rate.window->from.count() + 1 : 0);
    add(rate.window ? rate.window->to.count() : 0);
  }
  add(static_cast<std::chrono::milliseconds::rep>(visit_times_.size()));
  for (const visit_time& hours : visit_times_) {
    add(hours.from.count());
    add(hours.to.count());
  }
  return all;
}

}  // namespace robots
