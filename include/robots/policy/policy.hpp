#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/detail/policy_parts.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/fallback_action.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/policy/source_view.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/read/visit_time.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

struct crawler_directives;
class document;

/// The permissions of one site for one crawler, and the source of these permissions. A policy never
/// changes, so threads may share it.
class policy {
 public:
  /// Makes a policy from `file`, which is a result of `directives_for`. `source` was fetched
  /// at `fetched_at`. If `text` is not null, the policy keeps it. If `usage` is not null, the
  /// policy keeps these lines of the file.
  policy(crawler_directives file, const record_head& source, time_point fetched_at = {},
         std::shared_ptr<const std::string> text = nullptr,
         std::shared_ptr<const usage_lines> usage = nullptr);

  /// Makes a policy without a robots.txt. If `action` is `last_good_or_deny` or
  /// `last_good_or_allow`, and `last_good` has rules, the policy obeys these rules. In all other
  /// cases, the policy allows or denies everything, and keeps `last_good` only for
  /// `last_successful`. `findings` describes a file that was fetched but is not obeyed.
  policy(fallback_action action, const crawler_names_view& crawler, const record_head& source,
         std::shared_ptr<const policy> last_good = nullptr, time_point fetched_at = {},
         file_findings findings = {});

  /// Makes a policy with the rules of `unchanged`, since the robots.txt has not changed.
  policy(const policy& unchanged, const record_head& source, time_point fetched_at);

  /// Makes the policy of a site that must not be asked. `why` is `excluded`, `halted`,
  /// `needs_sign_off`, `unread` or `invalid_url`. For `invalid_url`, `url` is the invalid text.
  [[nodiscard]] static std::shared_ptr<const policy> refusal(const crawler_names_view& crawler,
                                                             decision_reason why,
                                                             std::string_view url = {});

  /// Makes the policy of an override, which allows everything or only /robots.txt.
  [[nodiscard]] static std::shared_ptr<const policy> by_hand(const crawler_names_view& crawler,
                                                             bool allow);

  /// Returns `from`, and the policies of its `others`, as policies that an order has made.
  [[nodiscard]] static std::shared_ptr<const policy> by_order(
      const policy& from, const std::shared_ptr<const order_reference>& order);

  /// Returns true if the crawler may fetch `target`, a URL of this site or a path with query.
  [[nodiscard]] bool allows(std::string_view target) const noexcept {
    const bool by_rules = basis_ == policy_basis::rules || basis_ == policy_basis::allow_all;
    return by_rules ? rules_.allows(target) : match(target).allowed;
  }

  /// Returns whether `target` is allowed, and the rule that decided. The views in the result live
  /// as long as this policy. Allocates nothing.
  [[nodiscard]] verdict match(std::string_view target) const noexcept {
    const policy& used = in_force();
    verdict result = used.rules_.match(target);
    if (used.basis_ == policy_basis::refused) {
      result.allowed = result.exempt = false;
    } else if (used.basis_ == policy_basis::deny_all || used.basis_ == policy_basis::redirected) {
      // RFC 9309, section 2.2.2: /robots.txt is always allowed.
      result.allowed = result.exempt;
    }
    return result;
  }

  /// Returns the basis of the decisions.
  [[nodiscard]] policy_basis basis() const noexcept { return basis_; }

  /// Returns the rules in force. The rules are empty if there is no robots.txt to obey.
  [[nodiscard]] const rule_set& rules() const noexcept { return in_force().rules_; }

  /// Returns the Crawl-delay in force for the crawler.
  [[nodiscard]] std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return rules().crawl_delay();
  }

  /// Returns the Crawl-delay that stands before the first group. This delay applies to every
  /// crawler.
  [[nodiscard]] std::optional<std::chrono::milliseconds> file_delay() const noexcept {
    return in_force().extras().file_delay;
  }

  /// Returns the Request-rate lines in force for the crawler, in file order, at most 32.
  [[nodiscard]] const std::vector<request_rate>& request_rates() const noexcept {
    return in_force().extras().request_rates;
  }

  /// Returns the Visit-time lines in force for the crawler, in file order, at most 32.
  [[nodiscard]] const std::vector<visit_time>& visit_times() const noexcept {
    return in_force().extras().visit_times;
  }

  /// Returns the values of the Sitemap lines, as written.
  [[nodiscard]] std::vector<std::string_view> sitemaps() const;

  /// Returns the values of the Sitemap lines as absolute URLs, without fragments, in file order.
  /// Resolves a value such as `/map.xml` against the URL that the file came from, after redirects
  /// (RFC 3986, section 5). Leaves out values that name no http or https URL. Takes linear time.
  [[nodiscard]] std::vector<std::string> sitemap_urls() const;

  /// Returns the value of the first Host line, or an empty text.
  [[nodiscard]] const std::string& host() const noexcept { return in_force().extras().host; }

  /// Returns the text of the robots.txt in force, in UTF-8, up to `parse_options::max_bytes`. If no
  /// robots.txt is in force, the text says the same as this policy: it is empty if the policy
  /// allows everything, and denies everything to every crawler if the policy does. The text of a
  /// file is empty if `cache_options::keep_text` is off.
  [[nodiscard]] std::string_view text() const noexcept {
    const policy& used = in_force();
    if (used.basis_ != policy_basis::rules && used.basis_ != policy_basis::allow_all) {
      return "User-agent: *\nDisallow: /\n";
    }
    const auto& file = used.extras().file;
    return file && file->text ? std::string_view{*file->text} : std::string_view{};
  }

  /// Returns the lines in force that say how pages may be used; most policies have none. `page_of`
  /// reads them. The result lives as long as this policy.
  [[nodiscard]] const usage_lines& usage() const noexcept;

  /// Parses all groups in `text()`, to ask about other crawlers. If no robots.txt is in force, the
  /// document allows or denies everything, as this policy does. As in every document, /robots.txt
  /// itself is allowed. Throws `std::logic_error` if a robots.txt is in force but its text was not
  /// kept (`cache_options::keep_text`). Takes linear time.
  [[nodiscard]] robots::document document() const;

  /// If the site redirects to another site, returns the URL of the robots.txt there. Until the
  /// other site has answered, this policy denies everything.
  [[nodiscard]] std::optional<std::string_view> leads_to() const noexcept {
    const policy& used = in_force();
    return used.basis_ == policy_basis::redirected
               ? std::optional<std::string_view>{used.extras().leads_to}
               : std::nullopt;
  }

  /// Returns the reason why the site must not be asked, if there is one.
  [[nodiscard]] std::optional<decision_reason> refusal_reason() const noexcept {
    return basis_ == policy_basis::refused ? reason_for_all_urls_ : std::nullopt;
  }

  /// The earlier name of `refusal_reason`.
  [[nodiscard, deprecated("use refusal_reason")]] std::optional<decision_reason> refused()
      const noexcept {
    return refusal_reason();
  }

  /// If this policy is an override or a refusal, returns the reason for all its decisions.
  [[nodiscard]] std::optional<decision_reason> reason_for_all_urls() const noexcept {
    return reason_for_all_urls_;
  }

  /// The earlier name of `reason_for_all_urls`.
  [[nodiscard, deprecated("use reason_for_all_urls")]] std::optional<decision_reason> given_reason()
      const noexcept {
    return reason_for_all_urls_;
  }

  /// Returns the order of a person or an alarm that made this policy, or null. A refusal without an
  /// order, such as `needs_sign_off`, has none.
  [[nodiscard]] const order_reference* order() const noexcept { return extras().order.get(); }

  /// Returns the findings of the newest robots.txt, even if it was too malformed to be obeyed. The
  /// result is empty if there was no robots.txt.
  [[nodiscard]] file_findings findings() const {
    return {lines(), newest_file().extras().diagnostics};
  }

  /// Returns the line counts of the newest robots.txt. Allocates nothing.
  [[nodiscard]] file_findings::line_counts lines() const noexcept;

  /// Returns the version. The first policy of a site in the storage has version 1. The version
  /// grows by 1 whenever the fingerprint changes (source: the pipeline guide).
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }

  /// Returns a hash of the rules, delays, rates, hours and `usage`, which is the same on every
  /// machine. Sitemaps, the host, and comments, order, repetitions and spelling of the file do not
  /// change it, but `usage` counts as written. The hash is 0 if the policy has no rules and denies
  /// everything. Costs as much as `rule_set::fingerprint`.
  [[nodiscard]] std::uint64_t fingerprint() const;

  /// Makes `next` the successor of `before`, which can be null. Sets its version and
  /// `last_known_rules`.
  [[nodiscard]] static std::shared_ptr<const policy> successor(
      policy next, const std::shared_ptr<const policy>& before);

  /// Adds `others`, the policies of other crawlers for this site, to `own`. Returns the result.
  [[nodiscard]] static std::shared_ptr<const policy> with_others(
      policy own, std::vector<std::shared_ptr<const policy>> others);

  /// Returns the policies of `cache_options::other_agents`, or nothing if all share this policy.
  [[nodiscard]] const std::vector<std::shared_ptr<const policy>>& others() const noexcept {
    return extras().others;
  }

  /// Returns `of->others()[place]`, or null if there is no such policy.
  [[nodiscard]] static std::shared_ptr<const policy> other(const std::shared_ptr<const policy>& of,
                                                           std::size_t place) {
    return of && place < of->others().size() ? of->others()[place] : nullptr;
  }

  /// Returns the result of the last retrieval. Each call unpacks the result and allocates memory.
  /// Very long texts are cut: see `detail::record_limits`.
  [[nodiscard]] record_head last_retrieval() const;

  /// The earlier name of `last_retrieval`.
  [[nodiscard, deprecated("use last_retrieval")]] record_head source() const {
    return last_retrieval();
  }

  /// Returns the parts of `last_retrieval()` that a look-up reads. Allocates nothing. The views in
  /// the result live as long as this policy.
  [[nodiscard]] detail::source_view source_view() const noexcept;

  /// Returns `last_retrieval().outcome`, the outcome of the last retrieval.
  [[nodiscard]] robots::outcome outcome() const noexcept { return outcome_; }

  /// Returns the record of the rules in force, which can be from an earlier retrieval.
  [[nodiscard]] record_head rules_source() const { return in_force().last_retrieval(); }

  /// Returns the parts of `rules_source()` that a look-up reads; see `source_view`.
  [[nodiscard]] detail::source_view rules_source_view() const noexcept {
    return in_force().source_view();
  }

  /// Returns the time at which `last_retrieval()` was fetched, by the clock of this process.
  [[nodiscard]] time_point fetched_at() const noexcept { return fetched_at_; }

  /// Returns the time at which `rules_source()` was fetched, by the clock of this process.
  [[nodiscard]] time_point rules_fetched_at() const noexcept { return in_force().fetched_at_; }

  /// Returns an estimate of the octets in use, including this object and the last good copy.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  /// Returns `from` if it has a robots.txt, else the last good copy that it keeps, or null.
  [[nodiscard]] static std::shared_ptr<const policy> good_copy(
      const std::shared_ptr<const policy>& from);

  /// Returns the newest policy that can decide after a failure. Returns `from` if its source is a
  /// robots.txt, a redirect to another site, or the answer that there is no robots.txt. Otherwise,
  /// returns the policy that `from` keeps, or null.
  [[nodiscard]] static std::shared_ptr<const policy> last_successful(
      const std::shared_ptr<const policy>& from);

  /// If `from` redirects to another site, returns the answer that decided after a failure before
  /// the redirect, or null. Otherwise, returns `last_successful(from)`.
  [[nodiscard]] static std::shared_ptr<const policy> before_redirects(
      const std::shared_ptr<const policy>& from);

  /// Searches `from` and its predecessors for the newest policy that comes from a robots.txt, or
  /// from a 404 or 410 (no robots.txt). Returns this policy or null. Unlike `last_successful`,
  /// skips redirects and answers such as 403. The cache compares new policies with the result.
  [[nodiscard]] static std::shared_ptr<const policy> last_known_rules(
      const std::shared_ptr<const policy>& from);

  /// The earlier name of `good_copy`.
  [[nodiscard, deprecated("use good_copy")]] static std::shared_ptr<const policy> good(
      const std::shared_ptr<const policy>& from) {
    return good_copy(from);
  }

  /// The earlier name of `last_successful`.
  [[nodiscard, deprecated("use last_successful")]] static std::shared_ptr<const policy> kept_answer(
      const std::shared_ptr<const policy>& from) {
    return last_successful(from);
  }

  /// The earlier name of `last_known_rules`.
  [[nodiscard, deprecated("use last_known_rules")]] static std::shared_ptr<const policy>
  last_answer(const std::shared_ptr<const policy>& from) {
    return last_known_rules(from);
  }

 private:
  using extras_type = policy_detail::policy_extras;

  [[nodiscard]] bool is_answer() const noexcept {
    return basis_ == policy_basis::rules ||
           (basis_ == policy_basis::allow_all && outcome_ == robots::outcome::not_found);
  }

  [[nodiscard]] const policy& in_force() const noexcept {
    return basis_ == policy_basis::last_good ? *extras().last_good : *this;
  }

  [[nodiscard]] const policy& newest_file() const noexcept {
    return detail::has_text(outcome_) ? *this : in_force();
  }

  [[nodiscard]] const extras_type& extras() const noexcept {
    static const extras_type none;
    return extras_.get() != nullptr ? *extras_.get() : none;
  }

  template <class Change>
  void change_extras(Change change);

  /// Sets `rules_` and `extras_`.
  void set_parts(rule_set rules, extras_type&& extras);

  [[nodiscard]] std::string_view own_file() const noexcept;  // see `policy_detail::packed_file`

  // These members cost memory for each site. They and the reference count fit into a cache line.
  std::uint32_t version_ = 1;
  policy_basis basis_;
  std::optional<decision_reason> reason_for_all_urls_{};
  robots::outcome outcome_;
  time_point fetched_at_;
  rule_set rules_;
  policy_detail::optional_extras extras_;
  policy_detail::packed_octets head_;  // see `policy_detail::packed`
};

namespace policy_detail {

/// Returns true if `answer` has the rules of a robots.txt, or leads to the site that has them. Only
/// such an answer can decide after a later failure.
[[nodiscard]] inline bool can_be_last_good(const policy& answer) noexcept {
  return answer.basis() == policy_basis::rules || answer.leads_to().has_value();
}

}  // namespace policy_detail

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/policy.bodies.hpp>
#endif
