#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/permission_entry.hpp>
#include <robots/adapters/audit/detail/policy_evidence.hpp>
#include <robots/adapters/audit/detail/recorded_rulings.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/host.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/fallback_action.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/page_of.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace robots {

/// The result of `verify_decisions`.
struct audit_decisions {
  /// An entry that contradicts the rest of the trail.
  struct difference {
    std::string file;         ///< the file of the entry
    std::uint64_t line = 0;   ///< the line of the entry, 1-based
    std::uint64_t entry = 0;  ///< the number of the entry
    std::string text;  ///< a description for people; it quotes octets of servers as they came
  };

  std::uint64_t confirmed = 0;            ///< decisions that agree with the rest of the trail
  std::uint64_t permissions = 0;          ///< answers about the use of pages that agree, too
  std::uint64_t unknown = 0;              ///< decisions and answers that these files leave open
  std::vector<difference> differences{};  ///< the first 100 contradictions
  std::vector<std::string> notes{};       ///< reasons for unknown decisions, for people
};

namespace adapters_detail {

/// The members of a decision that `audit_judge` computes again.
inline constexpr std::array verdict_members{"allowed", "reason", "directive",
                                            "pattern", "line",   "user_agent"};

/// Returns the members of `decision` that `audit_judge` computes again, for people. The texts have
/// their octets as they came.
[[nodiscard]] inline std::string verdict_text(const json_object& decision) {
  std::string text;
  for (const std::string name : verdict_members) {
    if (decision.has(name)) {
      text += (text.empty() ? "" : ", ") + name + ": " + decision.shown(name);
    }
  }
  return text;
}

/// Computes each decision of a trail again, from the recorded texts. See `verify_decisions`.
class audit_judge {
 public:
  explicit audit_judge(const std::vector<std::string>& files) : files_{files} {}

  [[nodiscard]] audit_decisions run() {
    read(&audit_judge::take_fact);
    read(&audit_judge::take);
    if (found_.unknown > 0) {
      found_.notes.push_back(
          std::to_string(found_.unknown) +
          " decisions depend on entries that are not in these files. The first is entry " +
          first_unknown_);
    }
    if (has_old_rulings_) {
      found_.notes.emplace_back(
          "not checked: the order of some halts, overrides, sign-offs and quarantines, since an "
          "earlier version of the library wrote their entries. A decision that one of them "
          "explains is confirmed if the trail has it at any earlier time");
    }
    if (has_exclusions_) {
      found_.notes.emplace_back(
          "not checked: the order of the lists of excluded hosts. A decision that one of them "
          "explains is confirmed if the trail has this list at any earlier time");
    }
    if (has_ledger_) {
      found_.notes.emplace_back(
          "not checked: how soon the process learned the orders of other processes. A decision is "
          "compared with the orders that the trail states before it");
    }
    if (decisions_ > 0 && !crawler_.options.has_limits) {
      found_.notes.emplace_back(
          "not checked: the age of the rules, since an earlier version of the library wrote the "
          "trail");
    }
    if (has_own_fallback_) {
      found_.notes.emplace_back(
          "not checked: some decisions after failures, since the crawler has a fallback policy of "
          "its own");
    }
    return std::move(found_);
  }

 private:
  /// The names of a crawler, as `add_names` writes them.
  struct recorded_names {
    std::vector<std::string> names{};
    std::vector<std::string> policy_tokens{};  ///< such as `Google-Extended ai_train`
  };

  /// The options that change a crawler's decisions.
  struct described_crawler {
    std::string id{};  ///< a hash of the `crawler` entry; empty before this entry
    std::string user_agent{};
    /// By the `agent` member of the crawler: see `add_names`.
    std::map<std::string, recorded_names, std::less<>> names{};
    parse_options parse{};
    std::vector<detail::excluded_hosts> excluded{};  ///< the lists of excluded hosts so far
    detail::excluded_hosts high_risk{};              ///< hosts that a person must approve
    recorded_options options{};
    bool has_own_risk = false;  ///< an earlier version had such a function
  };

  struct place {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t line = 0;

    auto operator<=>(const place&) const = default;
  };

  /// A recorded robots.txt, with the facts that its parsing depends on.
  struct recorded_text {
    place body{};  ///< the place of the entry with the text
    detail::charset charset{};
    bool truncated = false;

    auto operator<=>(const recorded_text&) const = default;
  };

  /// The last answer of a site that a cache got. Times are in seconds.
  struct newest_answer {
    std::uint64_t entry = 0;
    std::int64_t recorded_at = 0;
    std::int64_t fetched_at = 0;
    std::int64_t fresh_until = 0;
    bool is_file = false;
  };

  using policy_pointer = std::shared_ptr<const policy>;

  void read(void (audit_judge::*take_entry)(const audit_entry&)) {
    bool is_rotated = false;  // the last entry ended a file, but not the process
    process_ = 0;
    begun_.clear();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      audit_lines lines{files_[i]};
      while (const auto line = lines.next()) {
        if (const auto entry = audit_entry::read(*line)) {
          current_ = {i, lines.offset(), lines.number()};
          const std::string type = entry->type();
          is_new_process_ = type == "trail" && !is_rotated;
          is_rotated = type == "checkpoint" && entry->text("why") == "rotation";
          process_ += is_new_process_ ? 1 : 0;
          if (type == "rulings") {
            ++begun_[address_of(*entry)];
          }
          (this->*take_entry)(*entry);
        }
      }
    }
  }

  void take_fact(const audit_entry& entry) {
    const std::string type = entry.type();
    std::string fact;
    if (is_answer(type)) {
      fact = entry.text("outcome");
    } else if (type == "quarantine" && !entry.flag("released")) {
      fact = to_string(outcome::quarantined);
    } else if (type == "override") {
      fact = "override " + entry.text("value");
    } else if ((type == "halt" && !entry.flag("resumed")) ||
               (type == "sign_off" && entry.flag("given"))) {
      fact = type;
    }
    take_ruling_fact(entry, type);
    if (!fact.empty()) {
      facts_.try_emplace(fact + ' ' + bare(entry.text("site")),
                         std::pair{entry.n(), audit_second(entry.text("time"))});
    }
  }

  /// Notes what an entry says about the rulings of its cache, before any decision is checked.
  void take_ruling_fact(const audit_entry& entry, const std::string& type) {
    if (type == "rulings") {
      rulings_[scope_of(entry)].begin(entry, hosts_in(entry, "needs_sign_off"));
      has_ledger_ = has_ledger_ || entry.flag("has_ledger");
    } else if (type == "order") {
      statements_.note(process_, scope_of(entry), order_named_in(entry), true);
    } else if (const auto stated = stated_order::read(entry)) {
      rulings_[scope_of(entry)].add(*stated);
      statements_.note(process_, scope_of(entry), stated->order, false);
    }
  }

  /// Compares an entry about an order with the earlier ones.
  void take_ruling(const audit_entry& entry, const std::string& type) {
    std::string problem;
    if (type == "order") {
      problem = statements_.problem_of_given(scope_of(entry), order_named_in(entry), entry.n());
    } else if (const auto stated = stated_order::read(entry)) {
      problem = statements_.problem_of(process_, scope_of(entry), *stated);
    } else if (type != "sign_off" || !entry.flag("awaited")) {
      has_old_rulings_ = true;
    }
    if (!problem.empty()) {
      differ(entry, problem);
    }
  }

  void take(const audit_entry& entry) {
    const std::string type = entry.type();
    if (type == "lost" || type == "gap" || (is_first_ && entry.n() > 1)) {
      has_gaps_ = true;
      last_gap_ = entry.n();
    }
    is_first_ = false;
    if (is_new_process_) {
      newest_.clear();  // another process, whose caches begin without answers
      scopes_.clear();
      awaiting_.clear();  // and whose options can differ
    }
    if (type == "decision" || type == "rulings" || is_answer(type)) {
      scopes_.insert(scope_of(entry));
    }
    has_exclusions_ = has_exclusions_ || type == "exclusions";
    if (type == "halt" || type == "override" || type == "sign_off" || type == "quarantine" ||
        type == "order") {
      take_ruling(entry, type);
    }
    if (type == "sign_off" && entry.flag("awaited")) {
      awaiting_.insert(bare(entry.text("site")));
    }
    if (type == "crawler") {
      take_crawler(entry);
    } else if (type == "exclusions") {
      crawler_.excluded.push_back(hosts_in(entry, "hosts"));
    } else if (type == "body") {
      if (sha256(entry.text("text")) != entry.text("id")) {
        return differ(entry, "the robots.txt does not match its hash");
      }
      bodies_.try_emplace(entry.text("id"), current_);
    } else if (type == "policy" || type == "fallback" || is_answer(type)) {
      take_policy(entry);
    } else if (type == "tdmrep") {
      take_tdmrep(entry);
    } else if (type == "decision") {
      take_decision(entry);
    } else if (type == "permission") {
      take_permission(entry);
    }
  }

  void take_tdmrep(const audit_entry& entry) {
    const std::string text = entry.text("text");
    // A file over the limit was cut: its text says nothing else than that it is too long.
    if (text.size() <= max_tdmrep_bytes && sha256(text) != entry.text("id")) {
      return differ(entry, "the tdmrep.json does not match its hash");
    }
    tdmreps_.try_emplace(entry.text("id"), current_);
  }

  /// Returns the text of the tdmrep.json that a permission names, or an empty optional.
  [[nodiscard]] std::optional<std::string> tdmrep_of(const audit_entry& entry) const {
    const auto found = tdmreps_.find(entry.text("tdmrep"));
    if (found == tdmreps_.end()) {
      return std::nullopt;
    }
    audit_lines lines{files_[found->second.file], found->second.offset};
    const auto recorded = audit_entry::read(lines.next().value_or(""));
    return recorded ? std::optional{recorded->text("text")} : std::nullopt;
  }

  /// A policy that an entry names, and what it decides for the crawler of the entry.
  struct named_policy {
    const recorded_policy* recorded;
    policy_pointer rules;
  };

  /// Returns the policy that a decision or a permission names. If it cannot be computed, reports
  /// why, and returns an empty optional.
  [[nodiscard]] std::optional<named_policy> policy_named_in(const audit_entry& entry) {
    const auto recorded = policies_.find(entry.text("policy"));
    if (crawler_.id.empty() || recorded == policies_.end()) {
      lack(entry, "the policy that it names was not recorded before");
      return std::nullopt;
    }
    if (entry.has("url_bytes")) {
      unknown(entry, "its URL is too long to be recorded whole");
      return std::nullopt;
    }
    policy_pointer rules = policy_of(entry, recorded->second);
    if (rules == nullptr) {
      if (!has_fixed_text(entry)) {
        lack(entry, "the robots.txt that it depends on was not recorded before");
      }
      return std::nullopt;
    }
    return named_policy{&recorded->second, std::move(rules)};
  }

  /// Computes the answer for one purpose again, from the recorded robots.txt, the fields of the
  /// page and the tdmrep.json.
  void take_permission(const audit_entry& entry) {
    const std::optional<named_policy> named = policy_named_in(entry);
    if (!named) {
      return;
    }
    const auto& [recorded, rules] = *named;
    const std::optional<std::string> tdmrep = tdmrep_of(entry);
    if (!tdmrep && entry.has("tdmrep")) {
      return lack(entry, "the tdmrep.json that it depends on was not recorded before");
    }
    const std::string url = entry.text("url");
    const auto site = parse_site(url);
    if (entry.repeats_a_name() || entry.text("site") != (site ? site->key() : std::string{})) {
      return differ(entry, "the site is not that of the URL, or a member is repeated");
    }
    if (!recorded->reason && recorded->site != bare(entry.text("site"))) {
      return differ(entry, "the policy is that of another site");
    }
    const purpose wanted = enum_named(entry.text("purpose"), purpose::tdm);
    page_statements page = page_of(decide(rules, url, {}), url, names_of(entry.text("agent")));
    try {
      add_recorded(page, entry, tdmrep ? &*tdmrep : nullptr);
    } catch (const std::invalid_argument& error) {
      return differ(entry,
                    std::string{"the fields of the page are not those of a page: "} + error.what());
    }
    base::json_writer json;
    const std::chrono::sys_seconds asked{std::chrono::seconds{audit_second(entry.text("time"))}};
    const permission answer = page.may(wanted, asked);
    add_permission(json, answer);
    const std::string object = std::move(json).finish();
    const json_object again = json_object::read(object).value();
    if (entry.text("purpose") != to_string(wanted) || !has_same(entry, again, permission_members)) {
      return differ(entry, "the permission for " + entry.text("purpose") + " differs: recorded: " +
                               permission_text(entry) + "; computed: " + permission_text(again));
    }
    if (answer.answer == permission_answer::no || is_supported(entry, *recorded)) {
      ++found_.permissions;
    }
  }

  /// Returns true if other entries explain the policy of a permission, as they must explain that of
  /// a decision. Else reports the problem.
  bool is_supported(const audit_entry& entry, const recorded_policy& recorded) {
    if (!recorded.reason && !may_allow(entry, recorded)) {
      return false;
    }
    const std::uint64_t confirmed = found_.confirmed;
    check_basis(entry, recorded);
    return std::exchange(found_.confirmed, confirmed) != confirmed;
  }

  [[nodiscard]] static std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
      const std::size_t size = (std::min)(text.find('\n'), text.size());
      lines.emplace_back(text.substr(0, size));
      text.remove_prefix((std::min)(size + 1, text.size()));
    }
    return lines;
  }

  void take_crawler(const audit_entry& entry) {
    const std::string_view said = entry.before_hash();
    const std::size_t start = said.find(",\"user_agent\":");
    if (start == std::string_view::npos) {
      return differ(entry, "the entry does not describe the crawler as an AuditTrail does");
    }
    std::string id = sha256(said.substr(start));
    if (crawler_.id == id) {
      return;  // each file of the trail repeats this entry
    }
    crawler_ = {.id = std::move(id), .user_agent = entry.text("user_agent")};
    for (const json_object& one : entry.list("crawlers")) {
      crawler_.names[one.text("agent")] = {.names = lines_of(one.text("names")),
                                           .policy_tokens = lines_of(one.text("policy_tokens"))};
    }
    crawler_.options = recorded_options::read(entry);
    parse_options& parse = crawler_.parse;
    parse.dialect =
        entry.text("dialect") == to_string(dialect::google) ? dialect::google : dialect::rfc9309;
    parse.max_bytes = entry.number("max_bytes");
    parse.strict = entry.flag("strict");
    parse.truncated = entry.flag("truncated");
    parse.delay_closes_group = entry.flag("delay_closes_group");
    parse.prepend_slash = entry.flag("prepend_slash");
    parse.tie = entry.flag("tie_disallows") ? tie_break::disallow : tie_break::allow;
    parse.names = entry.flag("names_united") ? several_names::union_of_groups
                                             : several_names::first_with_group;
    crawler_.excluded.push_back(hosts_in(entry, "excluded"));
    crawler_.high_risk = hosts_in(entry, "sign_off");
    crawler_.has_own_risk = entry.flag("is_high_risk");
    compiled_.clear();
  }

  [[nodiscard]] static detail::excluded_hosts hosts_in(const audit_entry& entry,
                                                       std::string_view name) {
    std::vector<std::string> listed;
    for (const json_object& host : entry.list(name)) {
      listed.push_back(host.text("host"));
    }
    try {
      return detail::excluded_hosts{listed};
    } catch (const std::invalid_argument&) {
      return detail::excluded_hosts{};  // an `AuditTrail` writes only valid names
    }
  }

  void take_policy(const audit_entry& entry) {
    const std::string id = entry.text("policy");
    const std::string start = ",\"policy\":\"" + id + "\",";
    const std::string_view said = entry.before_hash();
    const std::size_t members = said.find(start);
    if (members == std::string_view::npos ||
        sha256('{' + std::string{said.substr(members + start.size())} + '}') != id) {
      return differ(entry, "the policy does not match its hash");
    }
    const auto final_site = parse_site(entry.text("final_url"));
    recorded_policy recorded{
        .site = bare(entry.text("site")),
        .final_site = final_site ? bare(final_site->key()) : std::string{},
        .final_key = final_site ? final_site->key() : std::string{},
        .basis = enum_named(entry.text("basis"), policy_basis::redirected),
        .outcome = enum_named(entry.text("outcome"), outcome::licence_demanded),
        .directives = entry.text("directives"),
        .status = static_cast<int>((std::min)(entry.number("status"), std::uint64_t{1'000})),
        .fetched_at = audit_second(entry.text("fetched_at")),
        .rules_fetched_at = audit_second(entry.text("rules_fetched_at")),
        .lifetime = whole_seconds(entry, "lifetime_seconds"),
        .order = order_named_in(entry),
    };
    if (std::string problem = statements_.problem_of_number(process_, recorded.order);
        !problem.empty()) {
      differ(entry, problem);
    }
    if (const std::string error = entry.text("error"); !error.empty()) {
      recorded.error = enum_named(error, fetch_error::local);
    }
    if (entry.has("failing_seconds")) {
      recorded.failing_for = std::chrono::seconds{whole_seconds(entry, "failing_seconds")};
    }
    if (const std::string reason = entry.text("reason"); !reason.empty()) {
      recorded.reason = enum_named(reason, decision_reason::invalid_url);
    }
    // If the entry names a robots.txt, the named file has the rules of the policy. Otherwise, an
    // earlier robots.txt of `site` or `final_site` with the same `directives` has the rules.
    const std::string own = text_key(recorded.site, recorded.directives);
    const auto body = bodies_.find(entry.text("body"));
    const auto theirs = texts_.find(text_key(recorded.final_site, recorded.directives));
    if (recorded.basis == policy_basis::rules && body != bodies_.end()) {
      texts_[own] = {body->second, enum_named(entry.text("charset"), detail::charset::windows_1252),
                     entry.flag("truncated")};
    } else if (theirs != texts_.end()) {
      texts_.try_emplace(own, recorded_text{theirs->second});
    }
    if (entry.type() == "retrieval" || entry.type() == "far_hit") {
      take_answer(entry, recorded);
    }
    if (recorded.is_redirected() && !recorded.final_key.empty()) {
      redirects_[recorded.site].insert(recorded.final_key);
    }
    constexpr std::int64_t hour = 3'600;
    if (const std::int64_t late = audit_second(entry.text("time")) - recorded.fetched_at;
        entry.type() == "retrieval" && (late > hour || late < -hour)) {
      differ(entry, "the retrieval states a time that is not that of its entry");
    }
    policies_.insert_or_assign(id, std::move(recorded));
  }

  /// Returns the names of a crawler by its `agent` member, which is empty for the one that fetches.
  [[nodiscard]] crawler_names names_of(const std::string& agent) const {
    const auto listed = crawler_.names.find(agent);
    if (listed == crawler_.names.end()) {
      return crawler_names{agent.empty() ? crawler_.user_agent : agent};
    }
    const recorded_names& recorded = listed->second;
    const std::vector<std::string_view> names{recorded.names.begin(), recorded.names.end()};
    crawler_names result{std::span{names}};
    for (const std::string& line : recorded.policy_tokens) {
      const std::size_t blank = (std::min)(line.find(' '), line.size());
      const std::string_view token = std::string_view{line}.substr(0, blank);
      const std::string_view name = product_token(token);
      if (!name.empty() && name != "*") {  // an `AuditTrail` writes only such tokens
        result = result.with_policy_token(
            token, enum_named(std::string_view{line}.substr((std::min)(blank + 1, line.size())),
                              purpose::tdm));
      }
    }
    return result;
  }

  /// Notes the newest answer of a site. A cancelled retrieval has no answer.
  void take_answer(const audit_entry& entry, const recorded_policy& recorded) {
    if (recorded.outcome == outcome::cancelled) {
      return;
    }
    newest_[scope_of(entry) + ' ' + entry.text("site")] = {
        .entry = entry.n(),
        .recorded_at = audit_second(entry.text("time")),
        .fetched_at = recorded.fetched_at,
        .fresh_until = recorded.fetched_at + recorded.lifetime,
        .is_file = detail::has_text(recorded.outcome)};
  }

  /// Returns the robots.txt that a policy obeys: the fixed one of its order, or the one that its
  /// site has sent.
  [[nodiscard]] std::optional<recorded_text> text_of(const audit_entry& decision,
                                                     const recorded_policy& recorded) const {
    if (!recorded.order.id.empty() && recorded.outcome != outcome::quarantined) {
      for (const recorded_rulings* const own : rulings_of(decision)) {
        const stated_order* const order = own->find(recorded.order.id);
        const auto body = order != nullptr ? bodies_.find(order->body) : bodies_.end();
        if (body != bodies_.end()) {
          return recorded_text{.body = body->second};
        }
      }
      return std::nullopt;
    }
    auto text = texts_.find(text_key(recorded.site, recorded.directives));
    if (text == texts_.end()) {  // the site redirects to `final_site`, which has the robots.txt
      text = texts_.find(text_key(recorded.final_site, recorded.directives));
    }
    return text == texts_.end() ? std::nullopt : std::optional{text->second};
  }

  /// Computes the policy of `decision` again. Returns null if the robots.txt was not recorded.
  [[nodiscard]] policy_pointer policy_of(const audit_entry& decision,
                                         const recorded_policy& recorded) {
    const std::string agent = decision.text("agent");
    const crawler_names crawler = names_of(agent);
    const bool allows = recorded.basis == policy_basis::allow_all;
    if (recorded.reason) {
      return recorded.reason == decision_reason::by_hand
                 ? policy::by_hand(crawler, allows)
                 : policy::refusal(crawler, *recorded.reason);
    }
    if (recorded.directives.empty()) {
      return std::make_shared<const policy>(
          allows ? fallback_action::allow_all : fallback_action::deny_all, crawler,
          record_head{{.outcome = recorded.outcome}});
    }
    const std::optional<recorded_text> text = text_of(decision, recorded);
    if (!text) {
      return nullptr;
    }
    constexpr std::size_t most_compiled = 1'024;
    if (compiled_.size() >= most_compiled) {
      compiled_.clear();
    }
    policy_pointer& compiled = compiled_[{*text, agent}];
    if (compiled == nullptr) {
      audit_lines lines{files_[text->body.file], text->body.offset};
      const auto entry = audit_entry::read(lines.next().value_or(""));
      record source{{{.outcome = outcome::success, .truncated = text->truncated}, text->charset}};
      source.body = entry ? entry->text("text") : "";
      compiled = detail::judge(source, crawler,
                               {.fallback = fallback_policy::permissive(), .parse = crawler_.parse},
                               {}, {});
    }
    return compiled;
  }

  void take_decision(const audit_entry& entry) {
    ++decisions_;
    const std::optional<named_policy> named = policy_named_in(entry);
    if (!named) {
      return;
    }
    const auto& [recorded, rules] = *named;
    const std::string url = entry.text("url");
    base::json_writer json{longest_text};
    detail::describe(json, decision_event{{}, url, decide(rules, url, {})});
    const std::string object = std::move(json).finish();
    const json_object again = json_object::read(object).value();
    if (entry.repeats_a_name()) {
      return differ(entry, "the entry has two members with one name");
    }
    if (order_named_in(entry) != recorded->order) {
      return differ(entry, "the decision and its policy follow different orders");
    }
    if (!has_same(entry, again, verdict_members)) {
      return differ(entry, "the decision differs: recorded: " + verdict_text(entry) +
                               "; computed: " + verdict_text(again));
    }
    if (!recorded->reason && entry.flag("allowed") &&
        entry.text("reason") != to_string(decision_reason::robots_txt) &&
        !may_allow(entry, *recorded)) {
      return;
    }
    check_basis(entry, *recorded);
  }

  /// Returns true if an entry before `entry` states the fact `kind` about a site.
  [[nodiscard]] bool is_stated(const audit_entry& entry, std::string_view kind,
                               const std::string& about) const {
    const auto fact = facts_.find(std::string{kind} + ' ' + about);
    // If another thread records the fact that explains a decision, the fact can come after the
    // decision.
    return fact != facts_.end() &&
           (fact->second.first < entry.n() ||
            fact->second.second <= audit_second(entry.text("time")) + longest_lateness);
  }

  /// Returns true if an operator has set an override with a fixed robots.txt for the site of the
  /// URL in `entry`, in a trail of an earlier version. Then counts the decision as unknown, since
  /// such a trail has no text of operators.
  [[nodiscard]] bool has_fixed_text(const audit_entry& entry) {
    if (!rulings_of(entry).empty()) {
      return false;
    }
    const auto parsed = parse_site(entry.text("url"));
    const bool is_fixed = parsed && (is_stated(entry, "override text", bare(parsed->key())) ||
                                     is_stated(entry, "override text", parsed->host));
    if (is_fixed) {
      unknown(entry, "an override of the site has a fixed robots.txt, which no entry has");
    }
    return is_fixed;
  }

  /// Returns true if the policy of a permission follows from the status, the table of actions and
  /// the time, and if no newer file of the site was known. Else reports the problem.
  bool may_allow(const audit_entry& entry, const recorded_policy& recorded) {
    const recorded_options& options = crawler_.options;
    std::string problem = status_problem(recorded);
    if (!recorded.order.id.empty()) {
      if (rulings_of(entry).empty()) {
        lack(entry, "no entry states the order that it follows: " + explain(recorded.order));
        return false;
      }
      if (recorded.basis != policy_basis::rules && recorded.outcome != outcome::quarantined) {
        differ(entry, "it follows a fixed robots.txt, but its policy has none");
        return false;
      }
    }
    if (problem.empty()) {
      problem = action_problem(recorded, options);
      if (!problem.empty() && !options.has_known_fallback()) {
        has_own_fallback_ = true;
        unknown(entry, problem);
        return false;
      }
    }
    const std::int64_t decided = audit_second(entry.text("time"));
    const bool is_ruled = !recorded.order.id.empty();  // then neither age nor other files count
    if (problem.empty() && options.has_limits && !is_ruled) {
      problem = age_problem(recorded, options, decided);
    }
    if (problem.empty() && !is_ruled) {
      problem = newer_file(entry, entry.text("site"), recorded, decided);
    }
    if (problem.empty() && !is_ruled && recorded.is_redirected()) {
      problem = newer_file(entry, recorded.final_key, recorded, decided);
    }
    if (!problem.empty() && !has_fixed_text(entry)) {
      differ(entry, problem);
    }
    return problem.empty();
  }

  /// Returns what is wrong if the cache had a newer file that was still fresh. The entry of a
  /// permission does not name its cache, so each cache must have had one. Ignores a minute, since
  /// calls that run at the same time can end in any order.
  [[nodiscard]] std::string newer_file(const audit_entry& entry, const std::string& site,
                                       const recorded_policy& recorded, std::int64_t decided) {
    std::set<std::string, std::less<>> scopes{scope_of(entry)};
    if (entry.type() == "permission") {
      scopes = scopes_;
    }
    std::string problem;
    for (const std::string& scope : scopes) {
      const auto found = newest_.find(std::string{scope}.append(" ").append(site));
      if (found == newest_.end()) {
        return {};
      }
      const newest_answer& newest = found->second;
      const bool is_newer =
          newest.is_file && newest.fetched_at - longest_lateness > recorded.fetched_at;
      if (!is_newer || newest.recorded_at + longest_lateness >= decided ||
          decided >= newest.fresh_until) {
        return {};
      }
      problem =
          "a newer robots.txt of the site was known: see entry " + std::to_string(newest.entry);
    }
    return problem;
  }

  /// Checks that the site matches the URL, and that other entries explain the policy.
  void check_basis(const audit_entry& entry, const recorded_policy& recorded) {
    using enum decision_reason;
    const auto parsed = parse_site(entry.text("url"));
    const std::string site = parsed ? bare(parsed->key()) : std::string{};
    const std::string_view host = parsed ? std::string_view{parsed->host} : std::string_view{};
    if (entry.text("site") != (parsed ? parsed->key() : std::string{}) ||
        parsed.has_value() == (recorded.reason == invalid_url)) {
      return differ(entry, "the site is not that of the URL");
    }
    if (!recorded.reason && recorded.site != site) {
      return differ(entry, "the policy is that of another site");
    }
    const auto has = [&](std::string_view kind, const std::string& about) {
      return is_stated(entry, kind, about);
    };
    const auto is_ruled = [&](std::string_view kind) {
      return has(kind, site) || has(kind, std::string{host});  // a ruling can cover all ports
    };
    const auto need = [&](bool is_recorded, const char* problem) {
      is_recorded ? void(++found_.confirmed) : lack(entry, problem);
    };
    if (const auto rulings = rulings_of(entry);
        parsed && recorded.reason != excluded && !rulings.empty()) {
      if (is_ruled_rightly(entry, recorded, *parsed, rulings)) {
        const bool needs_answer = !recorded.reason && recorded.order.id.empty();
        needs_answer ? check_answer(entry, recorded, site) : void(++found_.confirmed);
      }
      return;
    }
    const bool is_high_risk = crawler_.high_risk.contains(host);
    if (recorded.reason == invalid_url || recorded.reason == unread) {
      ++found_.confirmed;
    } else if (recorded.reason == halted) {
      need(is_ruled("halt"), "the site was never halted");
    } else if (recorded.reason == needs_sign_off) {
      // Only a trail of an earlier version lists the high-risk sites. Only the first cache that
      // asks reports that the site waits.
      need(is_high_risk || crawler_.has_own_risk || crawler_.high_risk.empty(),
           "the site needs no sign-off");
    } else if (recorded.reason == excluded) {
      const auto lists = [&](const detail::excluded_hosts& list) { return list.contains(host); };
      need(std::ranges::any_of(crawler_.excluded, lists), "the host is not excluded");
    } else if ((is_high_risk || awaiting_.contains(site)) && !is_ruled("sign_off")) {
      lack(entry, "no entry signs off the site");
    } else if (recorded.reason == by_hand) {
      need(is_ruled(recorded.basis == policy_basis::allow_all ? "override allow" : "override deny"),
           "no entry sets the override");
    } else {
      check_answer(entry, recorded, site);
    }
  }

  /// Checks that an answer of the site, or a quarantine, explains the policy.
  void check_answer(const audit_entry& entry, const recorded_policy& recorded,
                    const std::string& site) {
    const std::string_view kind = to_string(recorded.outcome);
    const bool led_nowhere = recorded.outcome == outcome::refused ||
                             recorded.outcome == outcome::too_many_redirects ||
                             recorded.outcome == outcome::server_error;
    const bool is_quarantined = recorded.outcome == outcome::quarantined;
    const bool is_explained =
        recorded.basis == policy_basis::rules || recorded.outcome == outcome::cancelled ||
        is_stated(entry, kind, site) || is_stated(entry, kind, recorded.final_site) ||
        (is_quarantined && is_stated(entry, kind, std::string{host_of(site)})) ||
        (led_nowhere && is_stated(entry, to_string(outcome::redirected), site));
    if (is_explained) {
      ++found_.confirmed;
    } else {
      lack(entry, is_quarantined ? "the site was never put in quarantine"
                                 : "no earlier retrieval had the outcome that it depends on");
    }
  }

  /// Returns the rulings of the cache that made a decision, unless the trail has no orders of it.
  /// The entry of a permission does not name its cache: then these are the rulings of all caches of
  /// the process, unless one of them has no orders.
  [[nodiscard]] std::vector<const recorded_rulings*> rulings_of(const audit_entry& entry) const {
    std::set<std::string, std::less<>> scopes{scope_of(entry)};
    if (entry.type() == "permission" && !scopes_.empty()) {
      scopes = scopes_;
    }
    std::vector<const recorded_rulings*> found;
    for (const std::string& scope : scopes) {
      const auto listed = rulings_.find(scope);
      if (listed == rulings_.end() || !listed->second.is_ordered()) {
        return {};
      }
      found.push_back(&listed->second);
    }
    return found;
  }

  /// Returns true if the rulings of a cache explain a decision, or do not contradict it. Else
  /// reports the problem.
  bool is_ruled_rightly(const audit_entry& entry, const recorded_policy& recorded,
                        const site& asked, const std::vector<const recorded_rulings*>& rulings) {
    using enum decision_reason;
    const ruled_decision decided = ruled(entry, recorded, asked);
    ruling_problem problem;
    for (const recorded_rulings* const own : rulings) {
      if (recorded.reason == unread) {
        problem = own->problem_of_unread();
      } else if (recorded.reason == needs_sign_off) {
        problem = own->problem_of_missing_sign_off(decided);
      } else {
        problem = own->problem_of(decided, awaiting_.contains(bare(asked.key())));
      }
      if (problem.text.empty()) {
        return true;
      }
    }
    if (problem.since > last_gap_) {
      differ(entry, problem.text);
    } else {
      lack(entry, problem.text);
    }
    return false;
  }

  [[nodiscard]] ruled_decision ruled(const audit_entry& entry, const recorded_policy& recorded,
                                     const site& asked) const {
    const std::string answer = entry.text("answer");  // of a permission
    ruled_decision decided{.entry = entry.n(),
                           .time = audit_second(entry.text("time")),
                           .asked = &asked,
                           .is_allowed = entry.flag("allowed") || !answer.empty(),
                           .order = recorded.order};
    if (recorded.reason == decision_reason::halted) {
      decided.kind = ruling_kind::halt;
    } else if (recorded.reason == decision_reason::by_hand) {
      decided.kind = ruling_kind::site_override;
      decided.value = recorded.basis == policy_basis::allow_all ? "allow" : "deny";
    } else if (!recorded.order.id.empty() && recorded.outcome == outcome::quarantined) {
      decided.kind = ruling_kind::quarantine;
    } else if (!recorded.order.id.empty()) {
      decided.kind = ruling_kind::site_override;
      decided.value = "text";
    }
    decided.targets = targets_of(bare(asked.key()));
    using enum outcome;
    const bool is_of_target =
        recorded.basis == policy_basis::rules ||
        (recorded.outcome != refused && recorded.outcome != cancelled &&
         recorded.outcome != too_many_redirects && recorded.outcome != server_error);
    if (recorded.is_redirected() && is_of_target) {
      decided.obeyed = parse_site(recorded.final_key);
    }
    return decided;
  }

  /// Returns the sites to which the robots.txt of a site redirects, also over others.
  [[nodiscard]] std::vector<site> targets_of(const std::string& first) const {
    constexpr std::size_t most = 100;
    std::vector<site> targets;
    std::set<std::string, std::less<>> reached{first};
    std::vector<std::string> from{first};
    while (!from.empty() && targets.size() < most) {
      const auto listed = redirects_.find(from.back());
      from.pop_back();
      if (listed == redirects_.end()) {
        continue;
      }
      for (const std::string& key : listed->second) {
        const auto target = parse_site(key);
        if (target && reached.insert(bare(key)).second) {
          targets.push_back(*target);
          from.push_back(bare(key));
        }
      }
    }
    return targets;
  }

  /// Reports that the decision in `entry` depends on an entry that is missing.
  void lack(const audit_entry& entry, const std::string& text) {
    has_gaps_ ? unknown(entry, text) : differ(entry, text);
  }

  void unknown(const audit_entry& entry, const std::string& text) {
    if (++found_.unknown == 1) {
      first_unknown_ = std::to_string(entry.n()) + ": " + text;
    }
  }

  void differ(const audit_entry& entry, const std::string& text) {
    constexpr std::size_t most = 100;
    if (found_.differences.size() < most) {
      found_.differences.push_back({files_[current_.file], current_.line, entry.n(), text});
    }
  }

  /// Returns true if an entry has an answer of the site. In trails of earlier versions, the name of
  /// `far_old_record` is `far_copy`.
  [[nodiscard]] static bool is_answer(std::string_view type) noexcept {
    return type == "retrieval" || type == "far_hit" || type == "far_old_record" ||
           type == "far_copy";
  }

  [[nodiscard]] std::string text_key(const std::string& site, const std::string& directives) const {
    return crawler_.id + ' ' + directives + ' ' + site;
  }

  /// The process and the number of the cache that wrote an entry. The entries of a first cache have
  /// no such number.
  [[nodiscard]] std::string address_of(const audit_entry& entry) const {
    return std::to_string(process_) + ' ' + std::string{entry.digits("cache")};
  }

  /// Distinguishes the caches of all processes, also those that had one number, one after another.
  [[nodiscard]] std::string scope_of(const audit_entry& entry) const {
    std::string address = address_of(entry);
    const auto begun = begun_.find(address);
    return address + ' ' + std::to_string(begun == begun_.end() ? 0 : begun->second);
  }

  [[nodiscard]] static std::string bare(std::string_view site) {
    return std::string{detail::without_scheme(site)};
  }

  const std::vector<std::string>& files_;
  audit_decisions found_;
  place current_;
  bool is_first_ = true;
  bool has_gaps_ = false;
  std::uint64_t last_gap_ = 0;   // the last entry after which entries can be missing
  bool is_new_process_ = false;  // true at the first entry of a process
  std::uint64_t process_ = 0;    // counts the processes of the trail
  std::set<std::string, std::less<>> awaiting_;  // sites that were seen without a sign-off
  std::map<std::string, recorded_rulings, std::less<>> rulings_;  // by `scope_of`
  order_statements statements_;
  bool has_old_rulings_ = false;  // true for rulings without orders
  bool has_exclusions_ = false;
  bool has_ledger_ = false;
  bool has_own_fallback_ = false;  // true if an own fallback policy made a decision unknown
  std::uint64_t decisions_ = 0;
  std::string first_unknown_;
  described_crawler crawler_;
  // Maps each fact, such as the halt of a site, to the number and the time of the first entry about
  // the fact. The time is in seconds.
  std::unordered_map<std::string, std::pair<std::uint64_t, std::int64_t>> facts_;
  std::unordered_map<std::string, place> bodies_;
  std::unordered_map<std::string, place> tdmreps_;
  std::unordered_map<std::string, recorded_policy> policies_;
  /// The keys of the sites to which a site has redirected, by the site without a scheme.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> redirects_;
  std::unordered_map<std::string, newest_answer> newest_;  // by `scope_of` and the site
  std::map<std::string, int, std::less<>> begun_;  // entries of type `rulings`, by `address_of`
  std::set<std::string, std::less<>> scopes_;      // the caches of the process, by `scope_of`
  std::unordered_map<std::string, recorded_text> texts_;                      // by `text_key`
  std::map<std::pair<recorded_text, std::string>, policy_pointer> compiled_;  // by text and agent
};

}  // namespace adapters_detail

/// Computes each decision of the trail in `files` again. Give the oldest file first. A decision
/// that obeys a robots.txt must follow from the recorded text, the URL and the options of the
/// crawler. Any other decision needs an entry that explains it: a retrieval with the same outcome,
/// an override, a halt, a sign-off, a quarantine or a list of excluded hosts.
///
/// A permission, and each answer about use other than `no`, must also follow from the HTTP status,
/// the recorded table of the fallback policy and the age of the rules. No newer robots.txt of the
/// site may have been known to the same cache; for an answer about use, which does not name its
/// cache, to all caches. The headers, meta elements and tdmrep.json of a page are claims of the
/// crawler, which nothing confirms.
/// So a decision that `basic_robots_cache::check` made by a policy which the caller has kept too
/// long is a difference, too. `notes` lists what was not checked.
///
/// If the needed entry is missing, adds the decision to `differences`. If the first files are
/// missing or the trail reports a loss, counts the decision as `unknown` instead. Does the same for
/// a decision by the fixed robots.txt of an operator (`SiteRulings::override_with_text`), since the
/// trail does not have this text. Call `verify_audit` first, since this function does not check the
/// hashes. Files may have any content. Throws `audit_error` like `verify_audit`. Takes linear time,
/// reads the files twice, and keeps several hundred octets in memory for each policy.
[[nodiscard]] inline audit_decisions verify_decisions(const std::vector<std::string>& files) {
  return adapters_detail::audit_judge{files}.run();
}

}  // namespace robots
