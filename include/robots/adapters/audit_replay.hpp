#pragma once

#include <robots/adapters/audit_options.hpp>
#include <robots/adapters/detail/audit_crawler.hpp>
#include <robots/adapters/detail/audit_crypto.hpp>
#include <robots/adapters/detail/audit_entry.hpp>
#include <robots/adapters/detail/audit_policy.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/printable.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace robots {

/// An entry of a trail that does not follow from what is recorded before it.
struct audit_difference {
  std::string file;         ///< where it is
  std::uint64_t line = 0;   ///< 1-based
  std::uint64_t entry = 0;  ///< its number
  std::string text;         ///< what is recorded, and what comes out, for people
};

/// What `replay_audit` found.
struct audit_replay {
  std::uint64_t decisions = 0;  ///< decisions that come out as they are recorded
  std::uint64_t policies = 0;   ///< retrievals, and the like, that do
  std::uint64_t unknown = 0;    ///< decisions on a robots.txt that is not in these files
  std::vector<audit_difference> differences{};  ///< what does not, in order: the first 100
  std::vector<std::string> notes{};             ///< what could not be computed again, for people
};

namespace adapters_detail {

/// Computes again what a trail says, entry by entry.
class audit_replayer {
 public:
  explicit audit_replayer(const std::vector<std::string>& files) : files_{files} {}

  [[nodiscard]] audit_replay run() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      audit_lines lines{files_[i]};
      while (const auto line = lines.next()) {
        at_ = {i, lines.offset(), lines.number(), 0};
        if (const auto entry = audit_entry::read(*line)) {
          at_.entry = entry->n();
          first_entry_ = first_entry_ == 0 ? at_.entry : first_entry_;
          take(*entry);
        }
      }
    }
    finish();
    return std::move(found_);
  }

 private:
  struct place {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t line = 0;
    std::uint64_t entry = 0;
  };

  /// What happened to a site, by the number of the crawler.
  using fact = std::pair<std::uint64_t, std::string>;

  /// What a decision needs to have happened, to the site by its own key or by its bare one.
  struct claimed {
    fact own;
    fact bare;
    place where;
    std::string text;
  };

  using crawler_pointer = std::shared_ptr<const audited_crawler>;
  using policy_pointer = std::shared_ptr<const policy>;

  /// A policy that came out as it is recorded, and where.
  struct known_policy {
    place where;
    std::string site;
    crawler_pointer crawler;
    std::string text_of{};  ///< the id of the policy whose text it rests on, if not on its own
    std::string source{};   ///< then: its record, encoded
  };

  void differ(const place& where, std::string text) {
    constexpr std::size_t most = 100;
    if (found_.differences.size() < most) {
      found_.differences.push_back({files_[where.file], where.line, where.entry, std::move(text)});
    }
  }
  void differ(std::string text) { differ(at_, std::move(text)); }

  void take(const audit_entry& entry) {
    const std::string type = entry.type();
    if (type == "crawler") {
      crawlers_[entry.number("crawler")] =
          std::make_shared<const audited_crawler>(read_crawler(entry));
    } else if (type == "body") {
      if (sha256(entry.text("text")) != entry.text("id")) {
        differ("the robots.txt is not the one that its hash stands for");
      }
      bodies_.emplace(entry.text("id"), at_);
    } else if (type == "directives") {
      if (sha256(entry.raw("directives")) != entry.text("id")) {
        differ("the directives are not those that their hash stands for");
      }
    } else if (type == "retrieval" || type == "far_hit" || type == "far_copy" || type == "policy") {
      take_policy(entry);
    } else if (type == "decision") {
      take_decision(entry);
    } else if (type == "override") {
      note(entry, "override " + entry.text("value"), entry.text("site"));
    } else if (type == "quarantine" && !entry.flag("released")) {
      note(entry, type, std::string{without_scheme(entry.text("site"))});
    } else if ((type == "halt" && !entry.flag("resumed")) ||
               (type == "sign_off" && entry.flag("given"))) {
      note(entry, type, entry.text("site"));
    }
  }

  void note(const audit_entry& entry, const std::string& what, const std::string& site) {
    facts_.emplace(entry.number("crawler"), what + ' ' + site);
  }

  /// Has `finish` look whether the trail says so anywhere, since threads may tell of it later than
  /// of a decision that rests on it.
  void claim(const audit_entry& entry, const std::string& what, std::string_view site,
             std::string text) {
    const std::uint64_t crawler = entry.number("crawler");
    claims_.push_back({{crawler, what + ' ' + std::string{site}},
                       {crawler, what + ' ' + std::string{without_scheme(site)}},
                       at_,
                       std::move(text)});
  }

  [[nodiscard]] crawler_pointer crawler_of(const audit_entry& entry) const {
    const auto found = crawlers_.find(entry.number("crawler"));
    return found == crawlers_.end() ? nullptr : found->second;
  }

  void take_policy(const audit_entry& entry) {
    const std::string id = entry.text("policy");
    if (entry.type() == "policy" && known_.contains(id)) {
      return;
    }
    const auto head = read_record(entry.text("record"));
    base::json_writer json;
    if (head) {
      add_record(json, *head);
    }
    const std::string written = std::move(json).finish();
    if (!head ||
        !entry.before_hash().ends_with(std::string_view{written}.substr(1, written.size() - 2))) {
      differ("what the entry says of the retrieval is not what its record says");
      return;
    }
    const crawler_pointer crawler = crawler_of(entry);
    text_of_.clear();
    const policy_pointer made = crawler != nullptr ? made_of(entry, *head, *crawler, {})
                                                   : missing("the options of the crawler");
    if (made == nullptr) {
      return;  // a note tells
    }
    const audited_policy again = audited(*made);
    if (again.id != id) {
      differ(difference(entry, *made, again));
      return;
    }
    ++found_.policies;
    if (!known_.contains(id)) {
      keep(id, {at_, entry.text("site"), crawler, text_of_}, made);
    }
  }

  /// Says where the policy that came out is another one.
  [[nodiscard]] static std::string difference(const audit_entry& entry, const policy& made,
                                              const audited_policy& again) {
    const std::array<std::array<std::string_view, 3>, 3> compared{
        {{"what holds is another:", "basis", to_string(made.basis())},
         {"the robots.txt asks something else of the crawler:", "directives", again.directives},
         {"the policy is another:", "policy", again.id}}};
    for (const auto& [what, name, computed] : compared) {
      if (const std::string recorded = entry.text(name); recorded != computed) {
        return std::string{what} + " recorded: " + recorded +
               "; computed: " + std::string{computed};
      }
    }
    return {};
  }

  void keep(const std::string& id, known_policy known, policy_pointer made) {
    constexpr std::size_t most = 16;
    // Sites that redirect to a URL, however many, do not say what its own site has.
    if (known.text_of.empty() ||
        without_scheme(known_.at(known.text_of).site) == without_scheme(known.site)) {
      const bool has_rules = made->basis() == policy_basis::rules;
      auto& same_url = by_url_[{made->source().final_url, has_rules}];
      same_url.push_front(id);
      if (same_url.size() > most) {
        same_url.pop_back();
      }
    }
    if (!known.text_of.empty()) {
      record source;
      static_cast<record_head&>(source) = made->source();
      known.source = encode(source);
    }
    known_.emplace(id, std::move(known));
    remember(id, std::move(made));
  }

  void remember(const std::string& id, policy_pointer made) {
    constexpr std::size_t most = 4'096;
    if (made_.size() >= most) {
      made_.clear();
    }
    made_.insert_or_assign(id, std::move(made));
  }

  /// A policy that came out before; null if none did.
  [[nodiscard]] policy_pointer policy_of(const std::string& id) {
    if (const auto found = made_.find(id); found != made_.end()) {
      return found->second;
    }
    const auto known = known_.find(id);
    if (known == known_.end() || depth_ > 64) {
      return nullptr;
    }
    const known_policy& from = known->second;
    const std::string line = line_at(from.where);
    const auto entry = audit_entry::read(line);
    const auto head = !entry                 ? std::nullopt
                      : from.text_of.empty() ? read_record(entry->text("record"))
                                             : decode(from.source).record;
    ++depth_;
    policy_pointer made = head ? made_of(*entry, *head, *from.crawler, from.text_of) : nullptr;
    --depth_;
    if (made == nullptr || audited(*made).id != id) {
      return nullptr;
    }
    remember(id, made);
    return made;
  }

  [[nodiscard]] std::string line_at(const place& where) const {
    std::ifstream stream{files_[where.file], std::ios::binary};
    stream.seekg(static_cast<std::streamoff>(where.offset));
    std::string line;
    std::getline(stream, line);
    return line;
  }

  /// What comes out of the record of an entry; null, with a note, where what it rests on is not
  /// in these files. `text_of` is the policy whose text it rests on, where that is known: then
  /// `head` is what came out before.
  [[nodiscard]] policy_pointer made_of(const audit_entry& entry, const record& head,
                                       const audited_crawler& crawler, const std::string& text_of) {
    if (const std::string reason = entry.text("reason"); !reason.empty()) {
      const bool allows = entry.text("basis") == to_string(policy_basis::allow_all);
      return reason == to_string(decision_reason::by_hand)
                 ? policy::by_hand(crawler.user_agent, allows)
                 : policy::refusal(crawler.user_agent, reason_of(reason));
    }
    policy_pointer good;
    if (const std::string id = entry.text("good"); !id.empty()) {
      good = policy_of(id);
      if (good == nullptr) {
        return missing("the last good copy");
      }
    }
    judge_options judging = crawler.judging;
    if (crawler.has_own_fallback) {
      judging.fallback = recorded_fallback_of(entry);
    }
    const std::string id = entry.text("policy");
    const wall_time fetched{head.fetched_at};
    const wall_anchor now{time_point{fetched.time_since_epoch()}, fetched};
    const auto& source = static_cast<const record_head&>(head);
    const bool has_rules = entry.text("basis") == to_string(policy_basis::rules);
    if (entry.type() == "policy" || !text_of.empty()) {
      if (has_rules) {
        return by_others(id, head, text_of, [&](const policy_pointer& theirs) {
          return std::make_shared<const policy>(*theirs, source, now.steady);
        });
      }
      const fallback_action action = judging.fallback.action(source);
      return std::make_shared<const policy>(action, crawler.user_agent, source, good, now.steady);
    }
    record brought = head;
    if (const std::string body = entry.text("body"); !body.empty()) {
      const auto found = bodies_.find(body);
      if (found == bodies_.end()) {
        return missing("the robots.txt");
      }
      const std::string line = line_at(found->second);
      const auto content = audit_entry::read(line);
      brought.body = content ? content->text("text") : std::string{};
    }
    policy_pointer alone = judge(brought, crawler.user_agent, judging, {.last = good}, now);
    if (!brought.body.empty() || audited(*alone).id == id) {
      return alone;
    }
    // It rests on a text that came before, or to another site.
    if (head.not_modified) {
      return by_others(id, head, {}, [&](const policy_pointer& known) {
        return judge(brought, crawler.user_agent, judging, {known, known}, now);
      });
    }
    return policy_detail::has_text(head.outcome)
               ? by_others(id, head, {},
                           [&](const policy_pointer& theirs) {
                             return judge_redirected(source, *theirs, crawler.user_agent, judging,
                                                     good);
                           })
               : alone;
  }

  [[nodiscard]] static decision_reason reason_of(std::string_view name) {
    int value = 0;
    while (to_string(static_cast<decision_reason>(value)) != name && value < 64) {
      ++value;
    }
    return static_cast<decision_reason>(value);
  }

  /// What comes out by the policy `text_of`, or without it by an earlier one of the same URL: by
  /// the one that fits, if any does.
  template <class Make>
  [[nodiscard]] policy_pointer by_others(const std::string& id, const record& head,
                                         const std::string& text_of, const Make& make) {
    policy_pointer other;
    std::deque<std::string> others{text_of};
    if (text_of.empty()) {
      others = by_url_[{head.final_url, true}];
      std::ranges::copy(by_url_[{head.final_url, false}], std::back_inserter(others));
    }
    for (const std::string& each : others) {
      if (const policy_pointer theirs = policy_of(each)) {
        policy_pointer made = make(theirs);
        if (audited(*made).id == id) {
          if (depth_ == 0) {
            const std::string& text_of_theirs = known_.at(each).text_of;
            text_of_ = text_of_theirs.empty() ? each : text_of_theirs;
          }
          return made;
        }
        other = std::move(made);
      }
    }
    return other != nullptr ? other : missing("the robots.txt");
  }

  /// What a policy of the user's own did, as it is recorded.
  [[nodiscard]] static recorded_fallback recorded_fallback_of(const audit_entry& entry) {
    const std::string basis = entry.text("basis");
    recorded_fallback result;
    result.actions.fill(basis == to_string(policy_basis::rules)       ? fallback_action::parse
                        : basis == to_string(policy_basis::allow_all) ? fallback_action::allow_all
                        : basis == to_string(policy_basis::last_good)
                            ? fallback_action::last_good_or_deny
                            : fallback_action::deny_all);
    return result;
  }

  policy_pointer missing(std::string_view what) {
    if (depth_ == 0) {
      missing_.emplace(std::string{what}, at_.entry);
    }
    return nullptr;
  }

  void take_decision(const audit_entry& entry) {
    const std::string id = entry.text("policy");
    const crawler_pointer crawler = crawler_of(entry);
    const policy_pointer by = crawler != nullptr ? policy_of(id) : nullptr;
    if (by == nullptr) {
      ++found_.unknown;
      unknown_from_ = unknown_from_ == 0 ? at_.entry : unknown_from_;
      return;
    }
    const std::string url = entry.text("url");
    const decision again = decide(by, url, {});
    const auto compare = [&](std::string_view what, std::string_view recorded,
                             std::string_view computed) {
      const bool same = recorded == computed;
      if (!same) {
        differ(std::string{"the decision is another: "} + std::string{what} + " recorded: " +
               base::printable(recorded) + "; computed: " + base::printable(computed));
      }
      return same;
    };
    const auto text_of = [](bool value) { return value ? "true" : "false"; };
    const verdict& rule = again.verdict;
    if (compare("allowed", text_of(entry.flag("allowed")), text_of(again.allowed)) &&
        compare("reason", entry.text("reason"), to_string(again.reason)) &&
        compare("directive", entry.text("directive"),
                rule.directive ? to_string(*rule.directive) : "") &&
        compare("pattern", entry.text("pattern"), rule.pattern.value_or("")) &&
        compare("line", std::to_string(entry.number("line")),
                std::to_string(rule.directive ? rule.line : 0)) &&
        compare("user_agent", entry.text("user_agent"), rule.user_agent) &&
        is_about(entry, url, *by, *crawler)) {
      ++found_.decisions;
    }
  }

  /// Whether the policy is one that may hold for the URL.
  bool is_about(const audit_entry& entry, const std::string& url, const policy& by,
                const audited_crawler& crawler) {
    const auto fail = [this](std::string text) {
      while (!claims_.empty() && claims_.back().where.entry == at_.entry) {
        claims_.pop_back();  // it counts as different already
      }
      differ(std::move(text));
      return false;
    };
    const auto where = parse_site(url);
    const std::string key = where ? where->key() : std::string{};
    if (entry.text("site") != key) {
      return fail("the site is not that of the URL");
    }
    const auto given = by.given_reason();
    if ((given == decision_reason::invalid_url) == where.has_value()) {
      return fail(where ? "the URL names a site" : "the URL names no site");
    }
    if (!where) {
      return true;
    }
    const bool is_high_risk = crawler.high_risk.contains(where->host);
    if (given == decision_reason::halted) {
      claim(entry, "halt", key, "the site was never halted");
      return true;
    }
    if (given == decision_reason::needs_sign_off) {
      return is_high_risk || crawler.has_own_risk || fail("the site needs no sign-off");
    }
    const bool is_excluded = crawler.excluded.contains(where->host);
    if (given == decision_reason::excluded) {
      return is_excluded || fail("the host is not excluded");
    }
    if (is_high_risk) {
      claim(entry, "sign_off", key, "nobody has signed the site off");
    }
    if (given == decision_reason::by_hand) {
      const bool allows = by.basis() == policy_basis::allow_all;
      claim(entry, allows ? "override allow" : "override deny", key, "nobody has told so by hand");
      return true;
    }
    if (is_excluded) {
      return fail("the host is excluded");
    }
    if (without_scheme(known_.at(entry.text("policy")).site) != without_scheme(key)) {
      return fail("the policy is that of another site");
    }
    if (by.source().outcome == outcome::quarantined) {
      claim(entry, "quarantine", key, "the site was never put in quarantine");
    }
    return true;
  }

  void finish() {
    std::uint64_t doubted = 0;  // the last entry that was: each has its claims in a row
    for (const claimed& each : claims_) {
      if (each.where.entry != doubted && !facts_.contains(each.own) &&
          !facts_.contains(each.bare)) {
        doubted = each.where.entry;
        unfounded(each.where, each.text);
      }
    }
    for (const auto& [what, entry] : missing_) {
      found_.notes.push_back("entry " + std::to_string(entry) +
                             " is the first that rests on what " +
                             "is not in these files: " + what);
    }
    if (found_.unknown > 0) {
      found_.notes.push_back(std::to_string(found_.unknown) + " decisions, from entry " +
                             std::to_string(unknown_from_) +
                             " on, rest on what is not in these files");
    }
    for (const auto& [number, crawler] : crawlers_) {
      if (crawler->has_own_fallback) {
        found_.notes.push_back("crawler " + std::to_string(number) +
                               " has a fallback policy of its own: what that did is taken as it "
                               "is recorded");
      }
    }
  }

  /// A trail that begins later says nothing of what was told before.
  void unfounded(const place& where, const std::string& text) {
    if (first_entry_ <= 1) {
      --found_.decisions;
      differ(where, text);
    } else if (constexpr std::size_t most = 100; found_.notes.size() < most) {
      found_.notes.push_back("entry " + std::to_string(where.entry) + ": " + text +
                             " in these files");
    }
  }

  const std::vector<std::string>& files_;
  audit_replay found_;
  place at_;
  std::uint64_t first_entry_ = 0;
  std::uint64_t unknown_from_ = 0;
  int depth_ = 0;
  std::string text_of_;  // of the policy that is computed
  std::map<std::uint64_t, crawler_pointer> crawlers_;
  std::unordered_map<std::string, place> bodies_;
  std::unordered_map<std::string, known_policy> known_;
  std::unordered_map<std::string, policy_pointer> made_;
  // Their ids by URL and whether they have rules, the latest first.
  std::map<std::pair<std::string, bool>, std::deque<std::string>> by_url_;
  std::map<std::string, std::uint64_t> missing_;  // and the first entry that rests on it
  std::set<fact> facts_;
  std::vector<claimed> claims_;
};

}  // namespace adapters_detail

/// Computes again what the trail in these files says, the oldest first: of each record, what holds
/// for the crawler by its recorded options (`judge`), and each decision (`decide`); and names what
/// comes out in another way.
///
/// What a decision rests on may stand in an earlier file: where that is not given, it is counted as
/// unknown. Whether the process might have known more than it went by, such as a last good copy
/// that it had dropped, no trail tells. Verify the trail first: this looks at no chain. Takes files
/// of any content; throws `audit_error` for one that cannot be read. Linear; keeps some hundred
/// octets for each policy in memory.
[[nodiscard]] inline audit_replay replay_audit(const std::vector<std::string>& files) {
  return adapters_detail::audit_replayer{files}.run();
}

}  // namespace robots
