#pragma once

#include <robots/adapters/audit_options.hpp>
#include <robots/adapters/detail/audit_crawler.hpp>
#include <robots/adapters/detail/audit_crypto.hpp>
#include <robots/adapters/detail/audit_entry.hpp>
#include <robots/adapters/detail/audit_lines.hpp>
#include <robots/adapters/detail/audit_policy.hpp>
#include <robots/base/printable.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

/// An entry that does not follow from the entries before it.
struct audit_difference {
  std::string file;         ///< the file of the entry
  std::uint64_t line = 0;   ///< its line, 1-based
  std::uint64_t entry = 0;  ///< its number
  std::string text;         ///< what is wrong with it, for people
};

/// What `verify_decisions` found.
struct audit_decisions {
  std::uint64_t confirmed = 0;  ///< decisions that follow from the entries before them
  std::uint64_t unknown = 0;    ///< decisions whose basis is in none of these files
  std::vector<audit_difference> differences{};  ///< entries that do not follow: the first 100
  std::vector<std::string> notes{};             ///< why decisions are unknown, for people
};

namespace adapters_detail {

/// Obeys every text, however malformed: whether it was obeyed stands in the trail.
struct always_parse {
  [[nodiscard]] fallback_action action(const record_head& /*source*/) const noexcept {
    return fallback_action::parse;
  }
};

/// The enumerator of that name, up to `last`; `last` for another name.
template <class Enum>
[[nodiscard]] Enum enum_named(std::string_view name, Enum last) {
  int value = 0;
  while (to_string(static_cast<Enum>(value)) != name && static_cast<Enum>(value) != last) {
    ++value;
  }
  return static_cast<Enum>(value);
}

/// Makes each decision of a trail again.
class audit_judge {
 public:
  explicit audit_judge(const std::vector<std::string>& files) : files_{files} {}

  [[nodiscard]] audit_decisions run() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      audit_lines lines{files_[i]};
      while (const auto line = lines.next()) {
        if (const auto entry = audit_entry::read(*line)) {
          current_ = {i, lines.offset(), lines.number(), entry->n()};
          has_gaps_ = has_gaps_ || (first_entry_ == 0 && entry->n() > 1);
          first_entry_ = first_entry_ == 0 ? entry->n() : first_entry_;
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

  /// A robots.txt as one crawler has read it.
  struct recorded_text {
    place body;
    std::shared_ptr<const audited_crawler> crawler;
    robots::charset charset{};
    bool truncated = false;
    bool is_empty = false;  ///< no entry has the text
  };

  struct recorded_policy {
    std::string site;        ///< without scheme
    std::string final_site;  ///< the site that its answer came from, without scheme
    policy_basis basis{};
    robots::outcome outcome{};
    std::optional<decision_reason> reason{};
    std::string directives{};
  };

  /// Something that happened to a site, by the number of the crawler.
  using fact = std::pair<std::uint64_t, std::string>;

  /// A decision that needs a fact which no entry has told yet.
  struct claim {
    place where;
    std::int64_t second = 0;
    std::string text;
  };

  using policy_pointer = std::shared_ptr<const policy>;

  void take(const audit_entry& entry) {
    const std::string type = entry.type();
    if (type == "crawler") {
      crawlers_[entry.number("crawler")] =
          std::make_shared<const audited_crawler>(read_crawler(entry));
    } else if (type == "body" || type == "directives") {
      const bool is_body = type == "body";
      const std::string id = entry.text("id");
      if (id != (is_body ? sha256(entry.text("text")) : sha256(entry.raw("directives")))) {
        differ(is_body ? "the robots.txt is not the one that its hash stands for"
                       : "the directives are not those that their hash stands for");
      } else if (is_body) {
        bodies_.emplace(id, current_);
      }
    } else if (type == "policy" || type == "retrieval" || type == "far_hit" || type == "far_copy") {
      take_policy(entry, type);
    } else if (type == "decision") {
      take_decision(entry);
    } else if (type == "exclusions") {
      take_exclusions(entry);
    } else if (type == "override") {
      take_fact(entry, "override " + entry.text("value"));
    } else if ((type == "quarantine" && !entry.flag("released")) ||
               (type == "halt" && !entry.flag("resumed")) ||
               (type == "sign_off" && entry.flag("given"))) {
      take_fact(entry, type);
    } else if (type == "lost" || type == "gap") {
      has_gaps_ = true;
    }
  }

  void take_exclusions(const audit_entry& entry) {
    const auto found = crawlers_.find(entry.number("crawler"));
    if (found != crawlers_.end()) {
      auto next = *found->second;
      next.excluded_before = next.excluded;
      next.excluded = adapters_detail::hosts_in(entry, "hosts");
      found->second = std::make_shared<const audited_crawler>(std::move(next));
    }
  }

  void take_policy(const audit_entry& entry, const std::string& type) {
    const std::string id = entry.text("policy");
    const std::string start = ",\"policy\":\"" + id + "\",";
    const std::string_view said = entry.before_hash();
    const std::size_t members = said.find(start);
    if (members == std::string_view::npos ||
        sha256('{' + std::string{said.substr(members + start.size())} + '}') != id) {
      return differ("the policy is not the one that its hash stands for");
    }
    const std::string final_url = entry.text(entry.raw("final_url").empty() ? "url" : "final_url");
    const auto final_site = parse_site(final_url);
    recorded_policy recorded{
        .site = bare(entry.text("site")),
        .final_site = final_site ? bare(final_site->key()) : std::string{},
        .basis = enum_named(entry.text("basis"), policy_basis::redirected),
        .outcome = enum_named(entry.text("outcome"), outcome::redirected),
        .directives = entry.text("directives"),
    };
    if (const std::string reason = entry.text("reason"); !reason.empty()) {
      recorded.reason = enum_named(reason, decision_reason::invalid_url);
    }
    if (type != "policy") {
      answers_.emplace(recorded.site, recorded.outcome);
    }
    if (!recorded.directives.empty() && learn_text(entry, recorded)) {
      sites_.emplace(recorded.site, recorded.directives);
    }
    policies_.emplace(id, std::move(recorded));
  }

  /// Learns which text an entry's directives were read from, which an entry before may have said.
  /// Returns false if none has.
  bool learn_text(const audit_entry& entry, const recorded_policy& recorded) {
    const auto crawler = crawlers_.find(entry.number("crawler"));
    const auto body = bodies_.find(entry.text("body"));
    if (recorded.basis != policy_basis::rules || crawler == crawlers_.end() ||
        body == bodies_.end()) {
      return sites_.contains({recorded.site, recorded.directives}) ||
             sites_.contains({recorded.final_site, recorded.directives}) ||
             (crawler != crawlers_.end() && learn_empty(crawler->second, recorded.directives));
    }
    const recorded_text text{body->second, crawler->second,
                             enum_named(entry.text("charset"), charset::utf_16be),
                             entry.flag("truncated")};
    const policy_pointer compiled = compile(text);
    const std::string computed = sha256(directives_text(*compiled));
    if (computed != recorded.directives) {
      differ("the robots.txt asks something else of the crawler: recorded: " + recorded.directives +
             "; computed: " + computed);
      return false;
    }
    const auto key = std::pair{crawler->second->id, recorded.directives};
    texts_.emplace(key, text);
    remember(key, compiled);
    return true;
  }

  /// Learns that directives are those of an empty file, which no entry has. Returns false if they
  /// are not.
  bool learn_empty(const std::shared_ptr<const audited_crawler>& crawler,
                   const std::string& directives) {
    const recorded_text text{{}, crawler, charset::utf_8, false, true};
    const policy_pointer compiled = compile(text);
    if (sha256(directives_text(*compiled)) != directives) {
      return false;
    }
    texts_.emplace(std::pair{crawler->id, directives}, text);
    return true;
  }

  [[nodiscard]] policy_pointer compile(const recorded_text& text) const {
    std::string read;
    if (!text.is_empty) {
      audit_lines lines{files_[text.body.file], text.body.offset};
      const auto entry = audit_entry::read(lines.next().value_or(""));
      read = entry ? entry->text("text") : "";
    }
    record_head head;
    head.outcome = outcome::success;
    head.charset = text.charset;
    head.truncated = text.truncated;
    return judge(head, read, text.crawler->user_agent,
                 {.fallback = always_parse{}, .parse = text.crawler->parse}, {}, {});
  }

  void remember(const std::pair<std::string, std::string>& key, const policy_pointer& compiled) {
    constexpr std::size_t most = 1'024;
    if (compiled_.size() >= most) {
      compiled_.clear();
    }
    compiled_.emplace(key, compiled);
  }

  /// Makes a policy of the recorded text. Returns null if no entry has the text.
  [[nodiscard]] policy_pointer policy_of(const recorded_policy& recorded,
                                         const audited_crawler& crawler) {
    const std::string& agent = crawler.user_agent;
    const bool allows = recorded.basis == policy_basis::allow_all;
    if (recorded.reason) {
      return recorded.reason == decision_reason::by_hand ? policy::by_hand(agent, allows)
                                                         : policy::refusal(agent, *recorded.reason);
    }
    if (recorded.directives.empty()) {
      record_head source;
      source.outcome = recorded.outcome;
      return std::make_shared<const policy>(
          allows ? fallback_action::allow_all : fallback_action::deny_all, agent,
          std::move(source));
    }
    const auto key = std::pair{crawler.id, recorded.directives};
    const auto text = texts_.find(key);
    if (text == texts_.end() || !sites_.contains({recorded.site, recorded.directives})) {
      return nullptr;
    }
    if (const auto known = compiled_.find(key); known != compiled_.end()) {
      return known->second;
    }
    policy_pointer compiled = compile(text->second);
    remember(key, compiled);
    return compiled;
  }

  void take_decision(const audit_entry& entry) {
    const auto crawler = crawlers_.find(entry.number("crawler"));
    const auto recorded = policies_.find(entry.text("policy"));
    if (crawler == crawlers_.end() || recorded == policies_.end()) {
      return lacks_basis(current_, "the policy that it names was not recorded before");
    }
    if (!entry.raw("url_bytes").empty()) {
      return unknown(current_, "its URL is too long to be recorded whole");
    }
    const policy_pointer rules = policy_of(recorded->second, *crawler->second);
    if (rules == nullptr) {
      return lacks_basis(current_, "the robots.txt that it rests on was not recorded before");
    }
    const decision again = decide(rules, entry.text("url"), {});
    const verdict& rule = again.verdict;
    const auto flag_text = [](bool value) { return value ? "true" : "false"; };
    const std::string line = std::to_string(rule.directive ? rule.line : 0);
    const std::array<std::array<std::string, 3>, 6> compared{{
        {"allowed", flag_text(entry.flag("allowed")), flag_text(again.allowed)},
        {"reason", entry.text("reason"), std::string{to_string(again.reason)}},
        {"directive", entry.text("directive"),
         std::string{rule.directive ? to_string(*rule.directive) : ""}},
        {"pattern", entry.text("pattern"), std::string{rule.pattern.value_or("")}},
        {"line", std::to_string(entry.number("line")), line},
        {"user_agent", entry.text("user_agent"), std::string{rule.user_agent}},
    }};
    for (const auto& [name, said, computed] : compared) {
      if (said != computed) {
        return differ("the decision is another: " + name + " recorded: " + base::printable(said) +
                      "; computed: " + base::printable(computed));
      }
    }
    check_basis(entry, recorded->second, *crawler->second);
  }

  /// Checks that the policy may hold for the URL, and that what it rests on was recorded.
  void check_basis(const audit_entry& entry, const recorded_policy& by,
                   const audited_crawler& crawler) {
    const auto where = parse_site(entry.text("url"));
    const std::string key = where ? where->key() : std::string{};
    if (entry.text("site") != key) {
      return differ("the site is not that of the URL");
    }
    const auto given = by.reason;
    if ((given == decision_reason::invalid_url) == where.has_value()) {
      return differ(where ? "the URL names a site" : "the URL names no site");
    }
    const std::string site = bare(key);
    const bool is_high_risk = where && crawler.high_risk.contains(where->host);
    // Decisions that were made while the list was replaced may rest on either list.
    const bool is_excluded = where && crawler.excluded.contains(where->host);
    const bool was_excluded =
        where && crawler.excluded_before.value_or(crawler.excluded).contains(where->host);
    if (given == decision_reason::halted) {
      return need(entry, {"halt " + site}, "the site was never halted");
    }
    if (given == decision_reason::needs_sign_off && !is_high_risk && !crawler.has_own_risk) {
      return differ("the site needs no sign-off");
    }
    if (given == decision_reason::excluded && !is_excluded && !was_excluded) {
      return differ("the host is not excluded");
    }
    if (given == decision_reason::invalid_url || given == decision_reason::needs_sign_off ||
        given == decision_reason::excluded) {
      ++found_.confirmed;
      return;
    }
    if (is_high_risk && !has_fact(entry, "sign_off " + site)) {
      return need(entry, {"sign_off " + site}, "nobody has signed the site off");
    }
    if (given == decision_reason::by_hand) {
      return need(
          entry,
          {(by.basis == policy_basis::allow_all ? "override allow " : "override deny ") + site},
          "nobody has set the override");
    }
    if (is_excluded && was_excluded) {
      return differ("the host is excluded");
    }
    if (by.site != site) {
      return differ("the policy is that of another site");
    }
    if (by.outcome == outcome::quarantined) {
      return need(entry, {"quarantine " + site, "quarantine " + by.final_site},
                  "the site was never put in quarantine");
    }
    if (by.basis != policy_basis::rules && by.outcome != outcome::cancelled &&
        !answers_.contains({site, by.outcome}) && !answers_.contains({by.final_site, by.outcome})) {
      return lacks_basis(current_, "no retrieval before had the outcome that it rests on");
    }
    ++found_.confirmed;
  }

  [[nodiscard]] bool has_fact(const audit_entry& entry, const std::string& what) const {
    return facts_.contains({entry.number("crawler"), what});
  }

  /// Confirms a decision if one of the facts was told before.
  void need(const audit_entry& entry, const std::vector<std::string>& facts, std::string text) {
    for (const std::string& what : facts) {
      if (has_fact(entry, what)) {
        ++found_.confirmed;
        return;
      }
    }
    claims_[{entry.number("crawler"), facts.front()}].push_back(
        {current_, audit_second(entry.text("time")).value_or(0), std::move(text)});
  }

  /// A thread may tell of a decision just before another one tells of what it rests on. So this
  /// confirms the decisions of the same second and of the one before.
  void take_fact(const audit_entry& entry, const std::string& what) {
    const fact told{entry.number("crawler"), what + ' ' + bare(entry.text("site"))};
    facts_.insert(told);
    const auto waiting = claims_.find(told);
    if (waiting != claims_.end()) {
      const std::int64_t second = audit_second(entry.text("time")).value_or(0);
      found_.confirmed += std::erase_if(waiting->second,
                                        [&](const claim& one) { return one.second + 1 >= second; });
    }
  }

  void finish() {
    for (const auto& [told, waiting] : claims_) {
      for (const claim& one : waiting) {
        lacks_basis(one.where, one.text);
      }
    }
    std::sort(found_.differences.begin(), found_.differences.end(),
              [](const auto& a, const auto& b) { return a.entry < b.entry; });
    constexpr std::size_t most = 100;
    found_.differences.resize(std::min(found_.differences.size(), most));
    if (found_.unknown > 0) {
      found_.notes.push_back(std::to_string(found_.unknown) +
                             " decisions rest on what is not in these files. The first is entry " +
                             std::to_string(first_unknown_) + ": " + why_unknown_);
    }
  }

  /// A trail that begins later, or has lost entries, does not have everything.
  void lacks_basis(const place& where, const std::string& text) {
    has_gaps_ ? unknown(where, text) : differ(where, text);
  }

  void unknown(const place& where, const std::string& text) {
    if (++found_.unknown == 1 || where.entry < first_unknown_) {
      first_unknown_ = where.entry;
      why_unknown_ = text;
    }
  }

  void differ(const std::string& text) { differ(current_, text); }
  void differ(const place& where, const std::string& text) {
    constexpr std::size_t most = 10'000;
    if (found_.differences.size() < most) {
      found_.differences.push_back({files_[where.file], where.line, where.entry, text});
    }
  }

  [[nodiscard]] static std::string bare(std::string_view site) {
    return std::string{without_scheme(site)};
  }

  const std::vector<std::string>& files_;
  audit_decisions found_;
  place current_;
  std::uint64_t first_entry_ = 0;
  bool has_gaps_ = false;
  std::uint64_t first_unknown_ = 0;
  std::string why_unknown_;
  std::map<std::uint64_t, std::shared_ptr<const audited_crawler>> crawlers_;
  std::unordered_map<std::string, place> bodies_;
  std::unordered_map<std::string, recorded_policy> policies_;
  std::set<std::pair<std::string, std::string>> sites_;  // with the directives they have had
  std::set<std::pair<std::string, outcome>> answers_;    // of sites
  // By the ids of the crawler and of the directives.
  std::map<std::pair<std::string, std::string>, recorded_text> texts_;
  std::map<std::pair<std::string, std::string>, policy_pointer> compiled_;
  std::set<fact> facts_;
  std::map<fact, std::vector<claim>> claims_;
};

}  // namespace adapters_detail

/// Makes each decision of the trail in these files again, the oldest file first. A decision by a
/// rule, or by none, must be what the recorded robots.txt says about the URL. Any other decision
/// must have the entry it rests on before it: a retrieval with that outcome, an override, a halt, a
/// sign-off or a quarantine; an exclusion must be among the crawler's options.
///
/// Where a trail begins with a later file or has lost entries, a decision without basis counts as
/// unknown. Verify the trail first: this function looks at no chain. Takes files of any content.
/// Throws `audit_error` like `verify_audit`. Linear; keeps some hundred octets for each policy in
/// memory.
[[nodiscard]] inline audit_decisions verify_decisions(const std::vector<std::string>& files) {
  return adapters_detail::audit_judge{files}.run();
}

}  // namespace robots
