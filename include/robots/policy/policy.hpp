#pragma once

#include <robots/base/fingerprint.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/http/validators.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/request_rate.hpp>
#include <robots/rep/extensions/visit_time.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/detail/normal_target.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// Where the rules of a site came from.
struct provenance {
  robots::outcome outcome = robots::outcome::unreachable;  ///< the row of the failure table
  int status = 0;                         ///< HTTP status of the last exchange, 0 without response
  fetch_error error = fetch_error::none;  ///< why the last exchange had no response
  std::string error_text{};               ///< for people, when something went wrong
  std::string url{};                      ///< the robots.txt that was asked for
  std::string final_url{};                ///< where the answer was found, behind any redirects
  int redirects = 0;                      ///< how many were followed
  int attempts = 0;                       ///< how many tries it took
  int failures = 0;                       ///< retrievals in a row that failed, this one included
  bool not_modified = false;              ///< a 304 confirmed what was known
  std::vector<exchange> exchanges{};      ///< every one that was made, in order
  time_point fetched_at{};                ///< when the answer came
  std::chrono::seconds lifetime{0};       ///< for how long it is fresh
  robots::validators validators{};        ///< by which to ask whether it has changed
};

/// What a site's rules for one crawler rest on.
enum class policy_basis : std::uint8_t {
  rules,      ///< a robots.txt that was read
  allow_all,  ///< there is none, or the fallback policy allows
  deny_all,   ///< the fallback policy denies all but /robots.txt itself
  refused,    ///< the site is none that may be asked: nothing is allowed, not even /robots.txt
  last_good,  ///< the last robots.txt that could be read, since a newer one could not be had
};

/// The name of a basis, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(policy_basis basis) noexcept {
  switch (basis) {
    case policy_basis::rules:
      return "rules";
    case policy_basis::allow_all:
      return "allow_all";
    case policy_basis::deny_all:
      return "deny_all";
    case policy_basis::refused:
      return "refused";
    case policy_basis::last_good:
      return "last_good";
  }
  return "deny_all";
}

/// What one site permits one crawler, and how that is known. Immutable: threads share it freely.
class policy {
 public:
  /// The rules of a robots.txt that was read.
  policy(const document& text, std::string_view user_agent, provenance source)
      : basis_(policy_basis::rules),
        rules_(text.rules_for(user_agent)),
        lines_(text.lines()),
        file_delay_(text.file_delay()),
        source_(std::move(source)) {
    for (const std::string_view sitemap : text.sitemaps()) {
      if (!sitemap.empty()) {
        sitemaps_.emplace_back(sitemap);
      }
    }
    if (const auto host = text.host()) {
      host_ = *host;
    }
    if (!text.values(directive_kind::request_rate).empty()) {
      request_rates_ = first(robots::request_rates(text, user_agent));
    }
    if (!text.values(directive_kind::visit_time).empty()) {
      visit_times_ = first(robots::visit_times(text, user_agent));
    }
    fingerprint_ = fingerprint_of_rules();
  }

  /// What holds in place of a robots.txt. With `last_good`, its rules; else, by `action`,
  /// everything is allowed or nothing is.
  policy(fallback_action action, std::string_view user_agent, provenance source,
         std::shared_ptr<const policy> last_good = nullptr)
      : basis_(basis_of(action, last_good != nullptr)),
        rules_(compile({}, user_agent)),
        source_(std::move(source)),
        last_good_(std::move(last_good)),
        fingerprint_(basis_ == policy_basis::allow_all ? fingerprint_of_rules() : 0) {}

  /// The rules of a robots.txt that was read before and has not changed since.
  policy(const policy& unchanged, provenance source) : policy(unchanged.in_force()) {
    source_ = std::move(source);
  }

  /// What holds for a site that must not be asked, and for a text that names none. `why` is for
  /// people.
  [[nodiscard]] static std::shared_ptr<const policy> refusal(std::string_view user_agent,
                                                             std::string why) {
    provenance source{.outcome = outcome::refused, .error_text = std::move(why)};
    policy made{fallback_action::deny_all, user_agent, std::move(source)};
    made.basis_ = policy_basis::refused;
    return std::make_shared<const policy>(std::move(made));
  }

  /// Whether the crawler may fetch `target`, an absolute URL of this site or a path with query.
  [[nodiscard]] bool allows(std::string_view target) const noexcept {
    const bool by_rules = basis_ == policy_basis::rules || basis_ == policy_basis::allow_all;
    return by_rules ? rules_.allows(target) : match(target).allowed;
  }

  /// The same with the deciding rule, if one decided. The views in the result live as long as this
  /// policy. Never allocates.
  [[nodiscard]] verdict match(std::string_view target) const noexcept {
    if (basis_ == policy_basis::last_good) {
      return last_good_->match(target);
    }
    verdict result = rules_.match(target);
    if (basis_ == policy_basis::refused) {
      result.allowed = false;
    }
    // RFC 9309, section 2.2.2: /robots.txt is allowed whatever else is not.
    if (basis_ == policy_basis::deny_all) {
      result.allowed = detail::targets_robots_txt(target);
    }
    return result;
  }

  /// What the decisions rest on.
  [[nodiscard]] policy_basis basis() const noexcept { return basis_; }

  /// The rules in force; none when there is no robots.txt to obey.
  [[nodiscard]] const rule_set& rules() const noexcept { return in_force().rules_; }

  /// The Crawl-delay in force for the crawler.
  [[nodiscard]] std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return rules().crawl_delay();
  }

  /// The delay that the file asks of everyone before its first group, a floor for politeness.
  [[nodiscard]] std::optional<std::chrono::milliseconds> file_delay() const noexcept {
    return in_force().file_delay_;
  }

  /// The Request-rate lines in force for the crawler, in file order: the first 32.
  [[nodiscard]] const std::vector<request_rate>& request_rates() const noexcept {
    return in_force().request_rates_;
  }

  /// The Visit-time lines in force for the crawler, in file order: the first 32.
  [[nodiscard]] const std::vector<visit_time>& visit_times() const noexcept {
    return in_force().visit_times_;
  }

  /// The values of the Sitemap lines, as written.
  [[nodiscard]] const std::vector<std::string>& sitemaps() const noexcept {
    return in_force().sitemaps_;
  }

  /// The value of the first Host line; empty when there is none.
  [[nodiscard]] const std::string& host() const noexcept { return in_force().host_; }

  /// How many lines the robots.txt has, and how many of them mean nothing.
  [[nodiscard]] line_counts lines() const noexcept { return in_force().lines_; }

  /// Counts the changes of what a site permits, as far as its storage remembers: 1 for the first
  /// policy, one more for each whose fingerprint is not that of the one before (the pipeline
  /// guide's policy versions).
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }

  /// Stands for the meaning: equal for policies with the same rules and delays, whatever comments,
  /// order and spelling their files have. 0 for one that denies everything for
  /// want of a robots.txt. The same on every machine.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return in_force().fingerprint_; }

  /// Numbers this policy as the one that comes after `before`, or as the first.
  void follow(const policy* before) noexcept {
    const bool same = before != nullptr && before->fingerprint() == fingerprint();
    version_ = before == nullptr ? 1 : same ? before->version() : before->version() + 1;
  }

  /// What came of the last retrieval.
  [[nodiscard]] const provenance& source() const noexcept { return source_; }

  /// Where the rules in force came from: `source()`, unless they are those of an earlier retrieval.
  [[nodiscard]] const provenance& rules_source() const noexcept { return in_force().source_; }

  /// The last policy that rests on a robots.txt that was read: this one, an earlier one kept for
  /// worse times, or none.
  [[nodiscard]] static std::shared_ptr<const policy> good(std::shared_ptr<const policy> from) {
    if (from == nullptr || from->basis_ == policy_basis::rules) {
      return from;
    }
    return from->last_good_;
  }

 private:
  [[nodiscard]] static policy_basis basis_of(fallback_action action, bool last_good) noexcept {
    if (action == fallback_action::allow_all) {
      return policy_basis::allow_all;
    }
    if (action == fallback_action::last_good_or_deny && last_good) {
      return policy_basis::last_good;
    }
    return policy_basis::deny_all;
  }

  [[nodiscard]] std::uint64_t fingerprint_of_rules() const {
    std::uint64_t all = rules_.fingerprint();
    const auto add = [&all](std::chrono::milliseconds::rep number) {
      all = detail::combined(all, static_cast<std::uint64_t>(number));
    };
    add(file_delay_ ? file_delay_->count() + 1 : 0);
    for (const request_rate& rate : request_rates_) {
      add(rate.requests);
      add(rate.per.count());
      add(rate.window ? rate.window->from.count() + 1 : 0);
      add(rate.window ? rate.window->to.count() : 0);
    }
    for (const visit_time& hours : visit_times_) {
      add(hours.from.count());
      add(hours.to.count());
    }
    return all;
  }

  /// Bounds what every request of a crawler has to look through, however long the file is.
  template <class Line>
  [[nodiscard]] static std::vector<Line> first(const std::vector<Line>& lines) {
    constexpr std::size_t most = 32;
    const std::size_t count = std::min(lines.size(), most);
    return {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  [[nodiscard]] const policy& in_force() const noexcept {
    return basis_ == policy_basis::last_good ? *last_good_ : *this;
  }

  policy_basis basis_;  // first, beside the rules: what a decision reads lies close together
  rule_set rules_;
  line_counts lines_;
  std::optional<std::chrono::milliseconds> file_delay_;
  std::vector<request_rate> request_rates_;
  std::vector<visit_time> visit_times_;
  std::vector<std::string> sitemaps_;
  std::string host_;
  provenance source_;
  std::shared_ptr<const policy> last_good_;
  std::uint64_t fingerprint_ = 0;
  std::uint64_t version_ = 1;
};

}  // namespace robots
