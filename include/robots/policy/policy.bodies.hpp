#pragma once

#include <robots/base/hash.hpp>
#include <robots/base/scheme.hpp>
#include <robots/http/location.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/usage/usage_lines.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace policy_detail {

/// Returns at most 32 lines, since long lists would slow each request of a crawler.
template <class Line>
[[nodiscard]] std::vector<Line> first_of(const std::vector<Line>& lines) {
  constexpr std::ptrdiff_t most = 32;
  return {lines.begin(), lines.begin() + (std::min)(std::ssize(lines), most)};
}

[[nodiscard]] inline bool is_needed(const policy_extras& has) noexcept {
  return !has.diagnostics.empty() || has.file_delay || !has.request_rates.empty() ||
         !has.visit_times.empty() || !has.host.empty() || !has.leads_to.empty() || has.file ||
         has.last_good || has.last_known_rules || has.order || !has.others.empty();
}

/// Returns rules equal to `rules`. Rule sets without rules share their memory if the same thread
/// makes these rule sets.
[[nodiscard]] inline rule_set shared(rule_set rules) {
  if (!rules.empty()) {
    return rules;
  }
  thread_local std::array<rule_set, 8> without_rules;
  thread_local std::size_t next = 0;
  for (const rule_set& known : without_rules) {
    if (known == rules) {
      return known;
    }
  }
  next = (next + 1) % without_rules.size();
  return without_rules.at(next) = std::move(rules);
}

/// Packs the counts of lines and the sitemaps of a file.
[[nodiscard]] inline std::string packed_file(const file_findings::line_counts& lines,
                                             const std::vector<std::string_view>& sitemaps = {}) {
  std::string out;
  append_number(out, lines.non_blank);
  append_number(out, std::uint64_t{lines.malformed} * 8 + (lines.guessed != 0 ? 4 : 0) +
                         (lines.all_disallows_dead ? 2 : 0) + (lines.not_robots_txt ? 1 : 0));
  if (lines.guessed != 0) {
    append_number(out, lines.guessed);
  }
  for (const std::string_view sitemap : sitemaps) {
    if (!sitemap.empty()) {
      append_text(out, sitemap);
    }
  }
  return out;
}

/// Packs `head` with `file`, which is a result of `packed_file`.
[[nodiscard]] inline packed_octets packed(std::string_view file, const record_head& head) {
  std::string out;
  append_text(out, file);
  out.append(without_checksum(head), 1);  // skips the version
  return packed_octets{out};
}

[[nodiscard]] inline file_findings::line_counts read_lines(octet_reader& in) noexcept {
  file_findings::line_counts result;
  result.non_blank = static_cast<std::uint32_t>(in.number(UINT32_MAX));
  const std::uint64_t malformed = in.number((std::numeric_limits<std::uint64_t>::max)());
  result.malformed = static_cast<std::uint32_t>(malformed / 8);
  if (malformed / 4 % 2 != 0) {
    result.guessed = static_cast<std::uint32_t>(in.number(UINT32_MAX));
  }
  result.all_disallows_dead = malformed / 2 % 2 != 0;
  result.not_robots_txt = malformed % 2 != 0;
  return result;
}

[[nodiscard]] inline policy_basis basis_of(fallback_action action, const policy* last_good,
                                           outcome kind) noexcept {
  if (kind == outcome::redirected) {
    return policy_basis::redirected;
  }
  if (action == fallback_action::allow_all) {
    return policy_basis::allow_all;
  }
  const bool has_rules = last_good != nullptr && can_be_last_good(*last_good);
  const bool may_use_last_good =
      action == fallback_action::last_good_or_deny || action == fallback_action::last_good_or_allow;
  if (may_use_last_good && has_rules) {
    return policy_basis::last_good;
  }
  if (action == fallback_action::last_good_or_allow) {
    return policy_basis::allow_all;
  }
  return policy_basis::deny_all;
}

/// Returns the reason why a site must not be asked, for people.
[[nodiscard]] inline std::string refusal_text(decision_reason why, std::string_view url) {
  if (why == decision_reason::excluded) {
    return "the host is excluded";
  }
  if (why == decision_reason::halted) {
    return "the site is halted";
  }
  if (why == decision_reason::needs_sign_off) {
    return "the site needs a sign-off";
  }
  if (why == decision_reason::unread) {
    return "the rulings of the crawl are not read yet";
  }
  return detail::url_problem(url);
}

}  // namespace policy_detail

ROBOTS_INLINE policy::policy(crawler_directives file, const record_head& source,
                             time_point fetched_at, std::shared_ptr<const std::string> text,
                             std::shared_ptr<const usage_lines> usage)
    : basis_(policy_basis::rules),
      outcome_(source.outcome),
      fetched_at_(fetched_at),
      head_(policy_detail::packed(policy_detail::packed_file(file.findings.lines, file.sitemaps),
                                  source)) {
  extras_type extras{
      .diagnostics = std::move(file.findings.diagnostics),
      .file_delay = file.file_delay,
      .request_rates = policy_detail::first_of(read_lines<request_rate>(file.extensions)),
      .visit_times = policy_detail::first_of(read_lines<visit_time>(file.extensions)),
      .host = std::string{file.host.value_or("")}};
  if (text || usage) {
    extras.file = std::make_shared<const policy_detail::kept_file>(
        policy_detail::kept_file{std::move(text), std::move(usage)});
  }
  set_parts(std::move(file.rules), std::move(extras));
}

ROBOTS_INLINE policy::policy(fallback_action action, const crawler_names_view& crawler,
                             const record_head& source, std::shared_ptr<const policy> last_good,
                             time_point fetched_at, file_findings findings)
    : basis_(policy_detail::basis_of(action, last_successful(last_good).get(), source.outcome)),
      outcome_(source.outcome),
      fetched_at_(fetched_at),
      head_(policy_detail::packed(policy_detail::packed_file(findings.lines), source)) {
  extras_type extras{.diagnostics = std::move(findings.diagnostics),
                     .last_good = std::move(last_good)};
  if (basis_ == policy_basis::redirected) {
    extras.leads_to = source.final_url;
  }
  set_parts(compile({}, crawler.list()), std::move(extras));
}

ROBOTS_INLINE policy::policy(const policy& unchanged, const record_head& source,
                             time_point fetched_at)
    : policy(unchanged.in_force()) {
  outcome_ = source.outcome;
  fetched_at_ = fetched_at;
  head_ = policy_detail::packed(own_file(), source);
}

template <class Change>
void policy::change_extras(Change change) {
  extras_type changed = extras();
  change(changed);
  set_parts(rules_, std::move(changed));
}

ROBOTS_INLINE void policy::set_parts(rule_set rules, extras_type&& extras) {
  rules_ = policy_detail::shared(std::move(rules));
  extras_ = policy_detail::is_needed(extras) ? policy_detail::optional_extras{std::move(extras)}
                                             : policy_detail::optional_extras{};
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::with_others(
    policy own, std::vector<std::shared_ptr<const policy>> others) {
  own.change_extras([&](extras_type& has) { has.others = std::move(others); });
  return std::make_shared<const policy>(std::move(own));
}

ROBOTS_INLINE record_head policy::last_retrieval() const {
  policy_detail::octet_reader in{head_.view()};
  static_cast<void>(in.text(UINT32_MAX));  // skips the file
  return static_cast<record_head&&>(policy_detail::read_record(in));
}

ROBOTS_INLINE detail::source_view policy::source_view() const noexcept {
  policy_detail::octet_reader in{head_.view()};
  static_cast<void>(in.text(UINT32_MAX));  // skips the file
  return policy_detail::read_source(in);
}

ROBOTS_INLINE std::vector<std::string_view> policy::sitemaps() const {
  policy_detail::octet_reader in{in_force().own_file()};
  static_cast<void>(policy_detail::read_lines(in));
  std::vector<std::string_view> values;
  while (!in.rest().empty()) {
    values.push_back(in.text(UINT32_MAX));
  }
  return values;
}

ROBOTS_INLINE std::vector<std::string> policy::sitemap_urls() const {
  const std::string file_url = rules_source().final_url;
  std::vector<std::string> urls;
  for (const std::string_view sitemap : sitemaps()) {
    if (file_url.empty() && base::scheme_prefix(sitemap) == 0) {
      continue;  // a policy that was made without a retrieval
    }
    constexpr std::string_view any = "https://localhost/";  // an absolute URL needs none
    std::optional<std::string> url = resolve_location(file_url.empty() ? any : file_url, sitemap);
    if (url && parse_site(*url) && base::scheme_prefix(*url) != 0) {
      urls.push_back(*std::move(url));
    }
  }
  return urls;
}

ROBOTS_INLINE std::string_view policy::own_file() const noexcept {
  return policy_detail::octet_reader{head_.view()}.text(UINT32_MAX);
}

ROBOTS_INLINE file_findings::line_counts policy::lines() const noexcept {
  policy_detail::octet_reader in{newest_file().own_file()};
  return policy_detail::read_lines(in);
}

ROBOTS_INLINE const usage_lines& policy::usage() const noexcept {
  static const usage_lines none;
  const auto& file = in_force().extras().file;
  return file && file->usage ? *file->usage : none;
}

ROBOTS_INLINE document policy::document() const {
  // Throws, since an empty document would allow what the rules of the file disallow.
  const auto& file = in_force().extras().file;
  if (in_force().basis_ == policy_basis::rules && !(file && file->text)) {
    throw std::logic_error{
        "policy::document: the text of the robots.txt was not kept; set cache_options::keep_text"};
  }
  return parse(text());
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::refusal(const crawler_names_view& crawler,
                                                            decision_reason why,
                                                            std::string_view url) {
  record_head source{
      {.outcome = outcome::refused, .error_text = policy_detail::refusal_text(why, url)}};
  policy result{fallback_action::deny_all, crawler, source};
  result.basis_ = policy_basis::refused;
  result.reason_for_all_urls_ = why;
  return std::make_shared<const policy>(std::move(result));
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::by_hand(const crawler_names_view& crawler,
                                                            bool allow) {
  const auto action = allow ? fallback_action::allow_all : fallback_action::deny_all;
  policy result{action, crawler, record_head{{.error_text = "an operator has set an override"}}};
  result.reason_for_all_urls_ = decision_reason::by_hand;
  return std::make_shared<const policy>(std::move(result));
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::by_order(
    const policy& from, const std::shared_ptr<const order_reference>& order) {
  std::vector<std::shared_ptr<const policy>> others;
  others.reserve(from.others().size());
  for (const auto& other : from.others()) {
    others.push_back(by_order(*other, order));
  }
  policy result = from;
  result.change_extras([&](extras_type& has) {
    has.order = order;
    has.others = std::move(others);
  });
  return std::make_shared<const policy>(std::move(result));
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::successor(
    policy next, const std::shared_ptr<const policy>& before) {
  auto answer = next.is_answer() ? nullptr : last_known_rules(before);
  if (answer != next.extras().last_known_rules) {
    next.change_extras([&](extras_type& has) { has.last_known_rules = std::move(answer); });
  }
  const bool same = before != nullptr && before->fingerprint() == next.fingerprint();
  next.version_ = before == nullptr ? 1 : before->version_ + (same ? 0 : 1);
  return std::make_shared<const policy>(std::move(next));
}

ROBOTS_INLINE std::size_t policy::memory_bytes() const noexcept {
  std::size_t all = sizeof(*this) + head_.view().size();
  if (!rules_.empty()) {  // otherwise, policies share the memory of the rules
    all += rules_.memory_bytes() - sizeof(rules_);
  }
  if (extras_.get() == nullptr) {
    return all;
  }
  const extras_type& has = *extras_.get();
  all += sizeof(has) + has.diagnostics.capacity() * sizeof(diagnostic) +
         has.request_rates.capacity() * sizeof(request_rate) +
         has.visit_times.capacity() * sizeof(visit_time) + has.host.capacity() +
         has.leads_to.capacity();
  all += has.order ? sizeof(*has.order) + has.order->id.size() + has.order->maker.size() : 0;
  if (has.file) {
    all += sizeof(*has.file) + (has.file->text ? has.file->text->capacity() : 0);
    all += has.file->usage ? sizeof(usage_lines) + has.file->usage->memory_bytes() : 0;
  }
  for (const auto& other : has.others) {
    all += sizeof(other) + other->memory_bytes();
  }
  const auto& earlier = has.last_known_rules ? has.last_known_rules : has.last_good;
  return all + (earlier ? earlier->memory_bytes() : 0);
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::good_copy(
    const std::shared_ptr<const policy>& from) {
  auto answer = last_successful(from);
  const bool is_good = answer != nullptr && answer->basis_ == policy_basis::rules;
  return is_good ? std::move(answer) : nullptr;
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::last_successful(
    const std::shared_ptr<const policy>& from) {
  const bool stands_in =
      from == nullptr || from->is_answer() || from->basis_ == policy_basis::redirected;
  return stands_in ? from : from->extras().last_good;
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::before_redirects(
    const std::shared_ptr<const policy>& from) {
  auto answer = last_successful(from);
  if (answer && answer->basis_ == policy_basis::redirected) {
    return answer->extras().last_good;
  }
  return answer;
}

ROBOTS_INLINE std::shared_ptr<const policy> policy::last_known_rules(
    const std::shared_ptr<const policy>& from) {
  return from == nullptr || from->is_answer() ? from : from->extras().last_known_rules;
}

ROBOTS_INLINE std::uint64_t policy::fingerprint() const {
  const policy& used = in_force();
  if (used.basis_ != policy_basis::rules && used.basis_ != policy_basis::allow_all) {
    return 0;
  }
  using number = std::chrono::milliseconds::rep;
  const extras_type& has = used.extras();
  std::uint64_t all = used.rules_.fingerprint();
  const auto add = [&all](number value) {
    all = base::combined(all, static_cast<std::uint64_t>(value));
  };
  // Adds lines as a set, so that neither their order nor repetitions change the hash.
  const auto add_lines = [&add](auto lines) {
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    add(static_cast<number>(lines.size()));
    for (const auto& line : lines) {
      std::for_each(line.begin(), line.end(), add);
    }
  };
  add(has.file_delay ? has.file_delay->count() + 1 : 0);
  std::vector<std::array<number, 4>> rates;
  rates.reserve(has.request_rates.size());
  for (const request_rate& rate : has.request_rates) {
    rates.push_back({rate.requests, rate.per.count(),
                     rate.window ? rate.window->from.count() + 1 : 0,
                     rate.window ? rate.window->to.count() : 0});
  }
  add_lines(std::move(rates));
  std::vector<std::array<number, 2>> visits;
  visits.reserve(has.visit_times.size());
  for (const visit_time& hours : has.visit_times) {
    visits.push_back({hours.from.count(), hours.to.count()});
  }
  add_lines(std::move(visits));
  const usage_lines& lines = usage();
  return lines.empty() ? all : base::combined(all, lines.fingerprint());
}

}  // namespace robots
