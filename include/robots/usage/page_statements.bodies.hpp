#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/scheme.hpp>
#include <robots/base/structured_field.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/usage/detail/robots_statements.hpp>
#include <robots/usage/license_link.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace robots {

namespace usage_detail {

/// The meaning of one statement for one purpose. Empty if it does not speak of the purpose.
using effect = std::optional<permission_answer>;

[[nodiscard]] ROBOTS_INLINE effect effect_of(std::optional<bool> permits) noexcept {
  if (!permits) {
    return std::nullopt;
  }
  return *permits ? permission_answer::yes : permission_answer::no;
}

/// Returns true if a purpose needs the content of the page, so that nothing can be done if the page
/// may not be fetched.
[[nodiscard]] ROBOTS_INLINE bool needs_content(purpose wanted) noexcept {
  using enum purpose;
  return wanted == fetch || wanted == snippet || wanted == archive || wanted == translate ||
         wanted == ai_input || wanted == ai_train || wanted == tdm;
}

[[nodiscard]] ROBOTS_INLINE effect effect_of_page_rule(const page_statement& statement,
                                                       purpose wanted, std::chrono::sys_seconds now,
                                                       bool has_vendor_meanings) noexcept {
  using enum page_rule_kind;
  const page_rule_kind rule = statement.rule;
  const bool is_past = rule == unavailable_after && statement.time && *statement.time <= now;
  const bool hides_text = rule == nosnippet || (rule == max_snippet && statement.permits == false);
  const bool hides_copy = rule == noarchive || rule == nocache;
  bool forbids = false;
  switch (wanted) {
    case purpose::index:
    case purpose::search:
      forbids = rule == noindex || rule == none || is_past;
      break;
    case purpose::follow:
      forbids = rule == nofollow || rule == none;
      break;
    case purpose::snippet:
      forbids = hides_text;
      break;
    case purpose::archive:
      forbids = hides_copy;
      break;
    case purpose::translate:
      forbids = rule == notranslate;
      break;
    case purpose::image_index:
      forbids = rule == noimageindex;
      break;
    case purpose::ai_input:
      forbids = has_vendor_meanings && (hides_text || hides_copy);
      break;
    case purpose::ai_train:
      forbids = has_vendor_meanings && hides_copy;
      break;
    case purpose::fetch:
    case purpose::tdm:
      break;
  }
  return forbids ? effect{permission_answer::no} : std::nullopt;
}

/// Returns the label by which a vocabulary speaks of a purpose, or an empty text.
[[nodiscard]] ROBOTS_INLINE std::string_view label_of(purpose wanted,
                                                      statement_kind kind) noexcept {
  const bool is_signal = kind == statement_kind::content_signal;
  switch (wanted) {
    case purpose::search:
      return "search";
    case purpose::ai_input:
      return is_signal ? "ai-input" : "ai-use";
    case purpose::ai_train:
      return is_signal ? "ai-train" : "train-ai";
    default:
      return "";
  }
}

/// Returns the answer that a reservation gives: no, or on terms if it names a policy. That rights
/// are not reserved answers nothing.
[[nodiscard]] ROBOTS_INLINE effect effect_of_tdm(const page_statement& statement) noexcept {
  if (statement.permits != false) {
    return std::nullopt;
  }
  return statement.terms ? permission_answer::on_terms : permission_answer::no;
}

/// Returns true if `first` restricts more than `second`: no, on terms, yes, nothing.
[[nodiscard]] ROBOTS_INLINE bool is_stricter(permission_answer first,
                                             permission_answer second) noexcept {
  const auto rank = [](permission_answer answer) {
    switch (answer) {
      case permission_answer::no:
        return 3;
      case permission_answer::on_terms:
        return 2;
      case permission_answer::yes:
        return 1;
      default:
        return 0;
    }
  };
  return rank(first) > rank(second);
}

/// Returns the places that can restrict a purpose. A fetch is answered before anything is read.
[[nodiscard]] ROBOTS_INLINE std::span<const statement_place> places_for(purpose wanted) noexcept {
  using enum statement_place;
  static constexpr std::array<statement_place, 4> all{robots_txt, headers, meta, tdmrep};
  const bool is_about_mining = wanted == purpose::ai_train || wanted == purpose::tdm;
  if (wanted == purpose::fetch) {
    return {};
  }
  return {all.data(), is_about_mining ? std::size_t{4} : std::size_t{3}};
}

/// Returns true for a header or a meta element of TDMRep.
[[nodiscard]] ROBOTS_INLINE bool is_tdm_field(std::string_view name) noexcept {
  const std::string_view trimmed = base::trim(name, base::is_space);
  return base::equal_ignoring_case(trimmed, "tdm-reservation") ||
         base::equal_ignoring_case(trimmed, "tdm-policy");
}

/// Returns true for a header that can say something about use.
[[nodiscard]] ROBOTS_INLINE bool is_usage_header(std::string_view name) noexcept {
  for (const std::string_view known :
       {"X-Robots-Tag", "Robots-Tag", "Content-Usage", "Content-Signal", "Link"}) {
    if (base::equal_ignoring_case(name, known)) {
      return true;
    }
  }
  return is_tdm_field(name);
}

/// Collects the members of a Content-Usage Dictionary. The last value of a key counts.
class usage_member_handler {
 public:
  void on_member(std::string_view key, const base::field_value& value) {
    page_statement statement{.kind = statement_kind::content_usage, .label = std::string{key}};
    statement.text.append(key).append("=").append(value.text);
    statement.permits = rep_detail::parse_usage_value(value);
    if (!statement.permits) {
      statement.problem = "the value is not y or n";
    }
    const auto repeated =
        std::find_if(members.begin(), members.end(),
                     [&](const page_statement& other) { return other.label == key; });
    if (repeated != members.end()) {
      members.erase(repeated);
    }
    members.push_back(std::move(statement));
  }
  void on_parameter(std::string_view, const base::field_value&) noexcept {}

  std::vector<page_statement> members;
};

/// Appends one statement for each member of a Content-Signal statement.
ROBOTS_INLINE void add_signals(std::vector<page_statement>& to, std::string_view signals,
                               const page_statement& source) {
  while (const auto signal = rep_detail::take_signal(signals)) {
    page_statement statement = source;
    statement.kind = statement_kind::content_signal;
    statement.text = signal->text;
    for (const char c : signal->name) {
      statement.label += base::to_lower(c);
    }
    const bool is_use = statement.label == "use";
    if (is_use) {
      statement.problem = rep_detail::parse_content_use(signal->value)
                              ? ""
                              : "the value is not immediate, reference or full";
    } else {
      statement.permits = rep_detail::parse_yes_or_no(signal->value);
      statement.problem = statement.permits ? "" : "the value is not yes or no";
      if (rep_detail::is_content_usage_label(signal->name)) {
        statement.permits.reset();
        statement.problem = "this label belongs to Content-Usage";
      }
    }
    statement.applies = statement.applies && statement.problem.empty();
    to.push_back(std::move(statement));
  }
}

/// Appends one statement for each member of a Content-Usage Dictionary, or one that says that it is
/// none.
ROBOTS_INLINE void add_usages(std::vector<page_statement>& to, std::string_view dictionary,
                              const page_statement& source) {
  usage_member_handler handler;
  if (!base::read_dictionary_field(dictionary, handler)) {
    page_statement statement = source;
    statement.kind = statement_kind::content_usage;
    statement.text = dictionary;
    statement.problem = "not a Dictionary of RFC 9651";
    statement.applies = false;
    to.push_back(std::move(statement));
    return;
  }
  for (page_statement& member : handler.members) {
    member.place = source.place;
    member.name = source.name;
    member.addressee = source.addressee;
    member.position = source.position;
    member.applies = source.applies && member.problem.empty();
    to.push_back(std::move(member));
  }
}

}  // namespace usage_detail

ROBOTS_INLINE page_statements::page_statements(const document& file, std::string_view url,
                                               const crawler_names_view& names)
    : url_{url} {
  keep_names(names);
  const rule_set rules = file.rules_for(tokens());
  const verdict answer = rules.match(url_);
  read_robots({.kind = statement_kind::robots_rule,
               .name = "robots.txt",
               .text = explain(answer),
               .position = answer.line,
               .label = "fetch",
               .permits = answer.allowed,
               .applies = true},
              usage_lines_of(file, rules, names.policy_tokens()));
}

ROBOTS_INLINE page_statements::page_statements(page_statement verdict, const usage_lines& lines,
                                               std::string_view url,
                                               const crawler_names_view& names)
    : url_{url} {
  keep_names(names);
  read_robots(std::move(verdict), lines);
}

ROBOTS_INLINE void page_statements::keep_names(const crawler_names_view& names) {
  for (const std::string_view name : names.list()) {
    const std::string_view token = product_token(name);
    if (!token.empty() && token != "*") {
      names_.emplace_back(token);
    }
  }
}

ROBOTS_INLINE void page_statements::read_robots(page_statement&& verdict,
                                                const usage_lines& lines) {
  may_fetch_ = verdict.permits.value_or(false);
  in_robots_.push_back(std::move(verdict));

  for (const usage_lines::token_rules& token : lines.tokens) {
    const robots::verdict said = token.rules.match(url_);
    token_verdicts_.emplace_back(token.purpose,
                                 page_statement{.kind = statement_kind::policy_token,
                                                .name = "robots.txt",
                                                .text = explain(said),
                                                .addressee = token.token,
                                                .position = said.line,
                                                .label = std::string{to_string(token.purpose)},
                                                .permits = said.allowed,
                                                .applies = true});
  }

  const auto source = [&](std::string_view name, std::uint32_t line) {
    return page_statement{
        .name = std::string{name}, .addressee = lines.agent, .position = line, .applies = true};
  };
  const usage_detail::robots_statements found =
      may_fetch_ ? usage_detail::statements_for(lines, url_) : usage_detail::robots_statements{};
  is_undecided_ = found.is_undecided;
  const std::size_t first_signal = in_robots_.size();
  std::vector<std::uint32_t> lengths;
  for (const auto& [signal, specificity] : found.signals) {
    usage_detail::add_signals(in_robots_, signal.statement, source("Content-Signal", signal.line));
    lengths.resize(in_robots_.size() - first_signal, specificity);
  }
  // Of the lines that set a signal, those with the longest path decide about it.
  std::map<std::string_view, std::uint32_t> longest;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const page_statement& signal = in_robots_[first_signal + i];
    if (signal.problem.empty()) {
      std::uint32_t& length = longest[signal.label];
      length = (std::max)(length, lengths[i]);
    }
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    page_statement& signal = in_robots_[first_signal + i];
    signal.applies = signal.applies && lengths[i] == longest[signal.label];
  }
  for (const auto& [usage, specificity] : found.usages) {
    page_statement from = source("Content-Usage", usage.line);
    from.applies = specificity == found.longest_usage();
    usage_detail::add_usages(in_robots_, usage.statement, from);
  }
  for (const usage_lines::line& line : lines.lines) {
    if (line.kind == directive_kind::license) {
      page_statement statement = source("License", line.number);
      statement.kind = statement_kind::license;
      statement.text = line.value;
      statement.terms = line.value;
      in_robots_.push_back(std::move(statement));
    }
  }
}

ROBOTS_INLINE void page_statements::header(std::string_view name, std::string_view value) {
  mark_read(statement_place::headers);
  headers_.push_back({std::string{name}, std::string{value}});
}

ROBOTS_INLINE void page_statements::meta(std::string_view name, std::string_view content) {
  mark_read(statement_place::meta);
  meta_.push_back({std::string{name}, std::string{content}});
}

ROBOTS_INLINE void page_statements::link(std::string_view rel, std::string_view type,
                                         std::string_view href) {
  mark_read(statement_place::meta);
  const std::string_view url = base::trim(href, base::is_space);
  if (is_license_link(rel, type) && base::scheme_prefix(url) != 0) {
    license_links_.emplace_back(url);
  }
}

ROBOTS_INLINE void page_statements::tdmrep(std::string_view text) {
  mark_read(statement_place::tdmrep);
  tdmrep_ = text;
}

ROBOTS_INLINE void page_statements::mark_read(statement_place place) {
  is_read_[static_cast<std::size_t>(place)] = true;
}

ROBOTS_INLINE void page_statements::mark_unread(statement_place place) {
  is_read_[static_cast<std::size_t>(place)] = false;
}

ROBOTS_INLINE std::vector<std::string_view> page_statements::tokens() const {
  return {names_.begin(), names_.end()};
}

ROBOTS_INLINE void page_statements::add_page_rules(std::vector<page_statement>& to,
                                                   const std::vector<page_rule>& rules,
                                                   const page_statement& source,
                                                   bool is_for_crawler) const {
  const std::vector<std::string_view> own = tokens();
  for (const page_rule& rule : rules) {
    page_statement statement = source;
    statement.kind = statement_kind::page_rule;
    statement.rule = rule.kind;
    statement.text = rule.name;
    if (!rule.value.empty()) {
      statement.text.append(":").append(rule.value);
    }
    statement.label = to_string(rule.kind);
    if (statement.addressee.empty()) {
      statement.addressee = rule.addressee.empty() ? "*" : rule.addressee;
    }
    statement.problem = rule.problem;
    statement.time = rule.time;
    if (rule.kind == page_rule_kind::max_snippet && rule.number == 0) {
      statement.permits = false;
    }
    statement.applies = is_for_crawler && rule.problem.empty() &&
                        usage_detail::is_addressed_to(rule.addressee, own);
    to.push_back(std::move(statement));
  }
}

ROBOTS_INLINE void page_statements::add_headers(std::vector<page_statement>& to) const {
  std::string robots_tag;
  std::string content_usage;
  std::uint32_t number = 0;
  std::uint32_t robots_tag_number = 0;
  std::uint32_t content_usage_number = 0;
  const auto join = [&](std::string& list, std::uint32_t& first, const std::string& value) {
    first = list.empty() ? number : first;
    list.append(list.empty() ? "" : ", ").append(value);
  };
  for (const auto& [name, value] : headers_) {
    ++number;
    const page_statement source{
        .place = statement_place::headers, .name = name, .position = number, .applies = true};
    if (base::equal_ignoring_case(name, "X-Robots-Tag")) {
      add_page_rules(to, parse_x_robots_tag(value), source, true);
    } else if (base::equal_ignoring_case(name, "Robots-Tag")) {
      join(robots_tag, robots_tag_number, value);
    } else if (base::equal_ignoring_case(name, "Content-Usage")) {
      join(content_usage, content_usage_number, value);
    } else if (base::equal_ignoring_case(name, "Content-Signal")) {
      usage_detail::add_signals(to, content_signal::parse(value).statement, source);
    } else if (base::equal_ignoring_case(name, "Link")) {
      for (const std::string_view url : parse_license_links(value)) {
        page_statement statement = source;
        statement.kind = statement_kind::license;
        statement.text = url;
        statement.terms = std::string{url};
        to.push_back(std::move(statement));
      }
    }
  }
  // All headers of one name form one field (RFC 9651, section 4.2).
  page_statement source{.place = statement_place::headers, .applies = true};
  if (!robots_tag.empty()) {
    source.name = "Robots-Tag";
    source.position = robots_tag_number;
    add_page_rules(to, parse_robots_tag(robots_tag), source, true);
  }
  if (!content_usage.empty()) {
    source.name = "Content-Usage";
    source.position = content_usage_number;
    usage_detail::add_usages(to, content_usage, source);
  }
}

ROBOTS_INLINE void page_statements::add_meta(std::vector<page_statement>& to) const {
  const std::vector<std::string_view> own = tokens();
  std::uint32_t number = 0;
  for (const auto& [name, content] : meta_) {
    ++number;
    const std::string_view trimmed = base::trim(name, base::is_space);
    if (base::starts_with_ignoring_case(trimmed, "tdm-")) {
      continue;
    }
    const bool is_for_crawler = usage_detail::is_robots_meta_for(name, own);
    const std::vector<page_rule> rules = parse_robots_meta(content);
    // A page has many meta elements that are no robots rules, such as `description`.
    const bool has_rule = std::any_of(rules.begin(), rules.end(), [](const page_rule& rule) {
      return rule.kind != page_rule_kind::unknown;
    });
    const bool is_for_everyone = usage_detail::is_robots_meta(name);
    if (!is_for_crawler && !has_rule) {
      continue;
    }
    const page_statement source{.place = statement_place::meta,
                                .name = name,
                                .addressee = is_for_everyone ? "*" : std::string{trimmed},
                                .position = number,
                                .applies = true};
    add_page_rules(to, rules, source, is_for_crawler);
  }
  for (const std::string& url : license_links_) {
    to.push_back({.kind = statement_kind::license,
                  .place = statement_place::meta,
                  .name = "link",
                  .text = url,
                  .addressee = "*",
                  .terms = url,
                  .applies = true});
  }
}

ROBOTS_INLINE void page_statements::add_tdm(std::vector<page_statement>& to) const {
  const std::size_t first = to.size();
  std::optional<std::string> terms;
  if (tdmrep_) {
    const tdm_reservation said = read_tdmrep(*tdmrep_, url_);
    terms = said.policy;
    if (said.reserved) {
      to.push_back({.kind = statement_kind::tdm,
                    .place = statement_place::tdmrep,
                    .name = "tdm-reservation",
                    .text = *said.reserved ? "1" : "0",
                    .addressee = "*",
                    .position = static_cast<std::uint32_t>(said.entry),
                    .label = "tdm",
                    .permits = !*said.reserved});
    }
  }
  const auto add_place = [&](const std::vector<http_header>& fields, statement_place place) {
    std::uint32_t number = 0;
    std::optional<std::string> policy;
    for (const auto& [name, value] : fields) {
      ++number;
      const std::string_view trimmed = base::trim(name, base::is_space);
      if (base::equal_ignoring_case(trimmed, "tdm-policy") && !policy && !value.empty()) {
        policy = value;
      }
      if (!base::equal_ignoring_case(trimmed, "tdm-reservation")) {
        continue;
      }
      const std::optional<bool> reserved = parse_tdm_reservation(value);
      page_statement statement{.kind = statement_kind::tdm,
                               .place = place,
                               .name = std::string{trimmed},
                               .text = value,
                               .addressee = "*",
                               .position = number,
                               .label = "tdm"};
      if (reserved) {
        statement.permits = !*reserved;
      } else {
        statement.problem = "the value is not 1 or 0";
      }
      to.push_back(std::move(statement));
    }
    if (policy) {
      terms = policy;
    }
  };
  add_place(headers_, statement_place::headers);
  add_place(meta_, statement_place::meta);
  // A later place replaces an earlier one (TDMRep, section 6). In one place, a reservation wins.
  std::optional<statement_place> deciding;
  for (std::size_t i = first; i < to.size(); ++i) {
    if (to[i].permits) {
      deciding = to[i].place;
    }
  }
  for (std::size_t i = first; i < to.size(); ++i) {
    to[i].applies = to[i].permits && to[i].place == deciding;
    if (to[i].applies && to[i].permits == false) {
      to[i].terms = terms;
    }
  }
}

ROBOTS_INLINE std::vector<page_statement> page_statements::all() const {
  std::vector<page_statement> statements = in_robots_;
  for (const auto& [about, verdict_of_token] : token_verdicts_) {
    statements.push_back(verdict_of_token);
  }
  add_headers(statements);
  add_meta(statements);
  add_tdm(statements);
  return statements;
}

template <class Effect>
ROBOTS_INLINE permission page_statements::combine(std::string_view purpose_name, Effect effect,
                                                  std::span<const statement_place> places) const {
  permission result{.answer = permission_answer::unstated, .purpose = std::string{purpose_name}};
  for (page_statement& statement : all()) {
    if (statement.applies && statement.kind == statement_kind::license) {
      result.licenses.push_back(*statement.terms);
    }
    const usage_detail::effect answer = statement.applies ? effect(statement) : std::nullopt;
    if (answer && usage_detail::is_stricter(*answer, result.answer)) {
      result.answer = *answer;
      result.reason = std::move(statement);
    }
  }
  for (const statement_place place : places) {
    if (!is_read(place)) {
      result.unread.push_back(place);
    }
  }
  return result;
}

ROBOTS_INLINE permission page_statements::may(purpose wanted,
                                              std::chrono::system_clock::time_point now) const {
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto effect = [&](const page_statement& statement) -> usage_detail::effect {
    switch (statement.kind) {
      case statement_kind::robots_rule:
        if (statement.permits == false && usage_detail::needs_content(wanted)) {
          return permission_answer::no;
        }
        return wanted == purpose::fetch ? usage_detail::effect_of(statement.permits) : std::nullopt;
      case statement_kind::policy_token:
        return statement.label == to_string(wanted) ? usage_detail::effect_of(statement.permits)
                                                    : std::nullopt;
      case statement_kind::page_rule:
        return usage_detail::effect_of_page_rule(statement, wanted, second, has_vendor_meanings_);
      case statement_kind::content_signal:
      case statement_kind::content_usage: {
        const std::string_view label = usage_detail::label_of(wanted, statement.kind);
        return !label.empty() && statement.label == label
                   ? usage_detail::effect_of(statement.permits)
                   : std::nullopt;
      }
      case statement_kind::tdm:
        return wanted == purpose::tdm || wanted == purpose::ai_train
                   ? usage_detail::effect_of_tdm(statement)
                   : std::nullopt;
      case statement_kind::license:
        return std::nullopt;
    }
    return std::nullopt;
  };
  permission result = combine(to_string(wanted), effect, usage_detail::places_for(wanted));
  const bool is_about_models = wanted == purpose::ai_input || wanted == purpose::ai_train;
  const bool is_licensable = is_about_models || wanted == purpose::tdm;
  if (!is_licensable) {
    result.licenses.clear();
  }
  if (is_undecided_ && (is_about_models || wanted == purpose::search)) {
    result.answer = permission_answer::no;
    result.reason = in_robots_.front();
    result.reason->problem = "the lines about usage are too many to compare";
    return result;
  }
  if (result.answer == permission_answer::unstated && !result.licenses.empty()) {
    result.answer = permission_answer::on_terms;
    const std::vector<page_statement> statements = all();
    const auto license =
        std::find_if(statements.begin(), statements.end(), [](const page_statement& statement) {
          return statement.applies && statement.kind == statement_kind::license;
        });
    result.reason = *license;
    return result;
  }
  const bool is_open =
      result.answer == permission_answer::unstated || result.answer == permission_answer::yes;
  // A page that may not be fetched has no headers and no meta elements to read.
  if (is_open && !result.unread.empty() && may_fetch_) {
    result.answer = permission_answer::unread;
    result.reason.reset();
  }
  return result;
}

ROBOTS_INLINE permission page_statements::may(std::string_view label,
                                              std::chrono::system_clock::time_point) const {
  const auto effect = [&](const page_statement& statement) -> usage_detail::effect {
    const bool is_meant =
        statement.kind == statement_kind::content_signal
            ? base::equal_ignoring_case(statement.label, label)
            : statement.kind == statement_kind::content_usage && statement.label == label;
    return is_meant ? usage_detail::effect_of(statement.permits) : std::nullopt;
  };
  permission result = combine(label, effect, usage_detail::places_for(purpose::search).first(2));
  result.licenses.clear();
  if (is_undecided_) {
    result.answer = permission_answer::no;
    result.reason = in_robots_.front();
    result.reason->problem = "the lines about usage are too many to compare";
    return result;
  }
  if (result.answer != permission_answer::no && !result.unread.empty() && may_fetch_) {
    result.answer = permission_answer::unread;
    result.reason.reset();
  }
  return result;
}

ROBOTS_INLINE std::vector<page_field> page_statements::fields() const {
  std::vector<page_field> found;
  const auto add_place = [&](const std::vector<http_header>& from, statement_place place,
                             const auto& is_about_use) {
    std::uint32_t number = 0;
    for (const auto& [name, value] : from) {
      ++number;
      if (is_about_use(name)) {
        found.push_back({.place = place, .number = number, .name = name, .value = value});
      }
    }
  };
  const std::vector<std::string_view> own = tokens();
  add_place(headers_, statement_place::headers, usage_detail::is_usage_header);
  add_place(meta_, statement_place::meta, [&own](std::string_view name) {
    return usage_detail::is_tdm_field(name) || usage_detail::is_robots_meta_for(name, own);
  });
  for (const std::string& url : license_links_) {
    found.push_back({.place = statement_place::meta, .name = "license", .value = url});
  }
  return found;
}

ROBOTS_INLINE void page_statements::add(const page_field& field) {
  if (field.number == 0) {
    link("license", "application/rsl+xml", field.value);
    return;
  }
  constexpr std::uint32_t most = 100'000;
  std::vector<http_header>& to = field.place == statement_place::meta ? meta_ : headers_;
  base::require(field.number <= most && field.number > to.size(), "page_field: number",
                static_cast<std::int64_t>(field.number),
                ": it must rise within a place, up to 100000");
  to.resize(field.number - 1);  // fields that say nothing
  to.push_back({field.name, field.value});
  mark_read(field.place);
}

ROBOTS_INLINE page_rules page_statements::rules() const {
  std::vector<meta_element> elements;
  elements.reserve(meta_.size());
  for (const auto& [name, content] : meta_) {
    elements.push_back({name, content});
  }
  return read_page_rules(headers_, elements, tokens());
}

}  // namespace robots
