#include "check_text.hpp"

#include <robots/base/printable.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <cstddef>
#include <iomanip>
#include <ios>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace robots::check {
namespace {

using real_seconds = std::chrono::duration<double>;

constexpr std::size_t rule_width = 38;
constexpr std::size_t delay_width = 10;

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.append(width - text.size(), ' ');
  }
  return text;
}

std::string number(double value, int decimals) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

std::string verdict_column(const answer& about, bool colour) {
  std::string word = padded(about.decided.allowed ? "allowed" : "not allowed", 11);
  if (!colour) {
    return word;
  }
  return (about.decided.allowed ? "\033[32m" : "\033[31m") + word + "\033[0m";
}

std::string rule_column(const answer& about, const text_style& style) {
  const decision& decided = about.decided;
  switch (decided.reason) {
    case decision_reason::rule:
      return (*decided.verdict.directive == rule_kind::allow ? "Allow: " : "Disallow: ") +
             base::printable(*decided.verdict.pattern) + " (line " +
             std::to_string(decided.verdict.line) + ", for " +
             base::printable(decided.verdict.user_agent) + ')';
    case decision_reason::no_rule:
      return "no rule matches";
    case decision_reason::robots_txt:
      return "/robots.txt itself";
    case decision_reason::no_file:
      return "there is no robots.txt";
    case decision_reason::undecided:
      return "too long to compare";
    case decision_reason::fallback:
      return "fallback " + std::string{style.fallback} +
             (decided.allowed ? " allows all" : " denies all");
    case decision_reason::by_hand:
      return "the site was set by an operator";
    case decision_reason::halted:
      return "the site is halted";
    case decision_reason::needs_sign_off:
      return "the site needs a sign-off";
    case decision_reason::unread:
      return "the rulings are not read yet";
    case decision_reason::excluded:
      return "the host is excluded";
    case decision_reason::invalid_url:
      break;
  }
  return "not an http or https URL";
}

std::string delay_column(const std::optional<std::chrono::milliseconds>& delay) {
  if (!delay) {
    return "no delay";
  }
  std::ostringstream text;
  text << "delay " << real_seconds{*delay}.count() << " s";
  return text.str();
}

std::string source_column(const answer& about) {
  if (!about.has_source()) {
    return "not asked";
  }
  const record_head source = about.source();
  std::string text = base::printable(source.url);
  if (source.redirects > 0) {
    text += " -> " + base::printable(source.final_url) + " (" + std::to_string(source.redirects) +
            (source.redirects == 1 ? " redirect)" : " redirects)");
  }
  text += " (" + base::printable(outcome_text(source)) +
          (source.error == fetch_error::refused_address ? "; --allow-address allows it)" : ")");
  if (about.decided.policy->basis() == policy_basis::last_good) {
    text += ", by the last good copy";
  }
  text +=
      about.decided.from_cache ? ", cached, " : (about.file.empty() ? ", fetched, " : ", read, ");
  return text + number(real_seconds{about.decided.age}.count(), 1) + " s old";
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string group_text(group_choice group, const std::string& crawler) {
  switch (group) {
    case group_choice::own:
      return "own (a group names " + crawler + ')';
    case group_choice::everyone:
      return "* (no group names " + crawler + ')';
    case group_choice::none:
      break;
  }
  return "none (no group names " + crawler + " or *)";
}

std::string match_text(const robots::listed_rule& rule) {
  std::string text = rule.kind == rule_kind::allow ? "Allow: " : "Disallow: ";
  text += base::printable(rule.pattern);
  if (rule.compared != rule.pattern) {
    text += ", compared as " + base::printable(rule.compared);
  }
  return text + " (" + counted(rule.specificity, "octet") + ", line " + std::to_string(rule.line) +
         ')';
}

std::string no_rules_text(decision_reason reason) {
  switch (reason) {
    case decision_reason::excluded:
      return "no rules: the host is excluded and was not asked";
    case decision_reason::no_file:
      return "no rules: there is no robots.txt";
    default:
      return "no rules: no robots.txt was obeyed";
  }
}

}  // namespace

std::string outcome_text(const detail::retrieval_facts& facts) {
  std::string text{to_string(facts.outcome)};
  if (facts.status != 0) {
    text += ", HTTP " + std::to_string(facts.status);
  }
  if (facts.error != fetch_error::none) {
    text += ", " + std::string{to_string(facts.error)};
  }
  if (!facts.error_text.empty()) {
    text += ": " + facts.error_text;
  }
  return text;
}

std::string to_text(const answer& about, const text_style& style) {
  std::string line = verdict_column(about, style.colour);
  line += "  " + padded(base::printable(about.url), style.url_width);
  line += "  " + padded(rule_column(about, style), rule_width);
  line += "  " + padded(delay_column(about.decided.crawl_delay()), delay_width);
  line += "  " + source_column(about);
  if (about.elapsed) {
    using real_milliseconds = std::chrono::duration<double, std::milli>;
    line += "  [" + number(real_milliseconds{*about.elapsed}.count(), 3) + " ms]";
  }
  return line;
}

std::string explanation_text(const answer& about, const text_style& style) {
  std::string text;
  const auto line = [&text](const std::string& content) { text += "    " + content + '\n'; };
  if (!about.has_rules()) {
    line(no_rules_text(about.decided.reason));
    return text;
  }
  const explanation& why = *about.why;
  const bool rule_decides = why.verdict.directive.has_value();
  line("group: " + group_text(why.group, base::printable(style.crawler)));
  line("target: " + base::printable(why.target));
  for (std::size_t i = 0; i < why.matches.size(); ++i) {
    std::string content = "matches: " + match_text(why.matches[i]);
    if (rule_decides && i < 2) {
      content += i == 0 ? ", decides" : ", would decide without the rule above";
    }
    line(content);
  }
  if (about.decided.reason == decision_reason::robots_txt && !rule_decides) {
    line("no rule decides: /robots.txt itself is always allowed");
  } else if (why.matches.empty()) {
    line("no rule matches: allowed");
  } else if (why.matches.size() == 1) {
    line("without this rule, no rule matches: allowed");
  }
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < about.mistakes.size() && i < most; ++i) {
    const diagnostic& mistake = about.mistakes[i];
    line("mistake: line " + std::to_string(mistake.line) + ", " +
         std::string{to_string(mistake.severity)} + ": " + base::printable(mistake.text) + " [" +
         std::string{to_string(mistake.code)} + ']');
  }
  if (about.mistakes.size() > most) {
    line("and " + counted(about.mistakes.size() - most, "mistake") +
         " more: robots-check lint lists them");
  }
  return text;
}

std::string to_text(const diagnostic& finding, std::string_view file) {
  std::string text = base::printable(file) + ':' + std::to_string(finding.line) + ':' +
                     std::to_string(finding.column) + ": ";
  text += to_string(finding.severity);
  text += ": " + base::printable(finding.text) + " [";
  text += to_string(finding.code);
  return text + ']';
}

std::string to_text(const finding_counts& counts) {
  return counted(counts.errors, "error") + ", " + counted(counts.warnings, "warning") + ", " +
         counted(counts.notes, "note");
}

std::string to_text(const change_report& found) {
  std::string text;
  const auto placed = [](const robots::change_report::placed_pattern& rule) {
    return base::printable(rule.pattern) + " (line " + std::to_string(rule.line) + ')';
  };
  for (const robots::change_report::rule_change& rule : found.rules) {
    std::string line = padded(std::string{to_string(rule.change)}, 9) + "  " +
                       (rule.kind == rule_kind::allow ? "Allow: " : "Disallow: ");
    line += rule.before ? placed(*rule.before) : "";
    line += rule.before && rule.after ? " -> " : "";
    line += rule.after ? placed(*rule.after) : "";
    text += padded(std::move(line), 56) + "  " +
            (rule.example.empty()
                 ? "not compared to the end"
                 : base::printable(rule.example) +
                       (rule.example_allowed ? " is allowed now" : " is not allowed now")) +
            '\n';
  }
  for (const robots::change_report::line_change& line : found.lines) {
    const std::string_view kind = !line.before ? "added" : !line.after ? "removed" : "changed";
    text += padded(std::string{kind}, 9) + "  " + std::string{to_string(line.kind)} + ": ";
    text += line.before ? base::printable(*line.before) : "";
    text += line.before && line.after ? " -> " : "";
    text += (line.after ? base::printable(*line.after) : "") + '\n';
  }
  if (found.same()) {
    return "no change\n";
  }
  return text + counted(found.changed(), "change") + ", " + number(100 * found.share(), 1) +
         " % of the rules and lines for this crawler\n";
}

std::string to_text(const cache_stats& stats) {
  std::ostringstream text;
  const auto row = [&text](std::string_view name, const auto& value) {
    text << "  " << std::left << std::setw(34) << name << value << '\n';
  };
  const auto per_cent = [](double share) { return number(100 * share, 1) + " %"; };
  text << "cache statistics\n";
  row("look-ups that found fresh rules", stats.hits);
  row("look-ups that found stale rules", stats.stale_hits);
  row("look-ups that had to fetch", stats.misses);
  row("look-ups that joined a fetch", stats.joined);
  row("hit rate", per_cent(stats.hit_rate()));
  row("retrievals", stats.retrievals);
  row("of these, not modified", stats.not_modified);
  row("of these, failed", stats.failures);
  row("fetch success rate", per_cent(stats.fetch_success_rate()));
  row("decisions that allowed", stats.allowed);
  row("decisions that denied", stats.denied);
  row("allow rate", per_cent(stats.allow_rate()));
  row("decisions about excluded hosts", stats.excluded);
  row("exclusion rate", per_cent(stats.exclusion_rate()));
  row("sites kept", stats.size);
  row("sites evicted", stats.evictions);
  row("sites that the store knew", stats.far_hits);
  row("sites that the store did not know", stats.far_misses);
  row("invalid values of the store", stats.far_rejected);
  row("failures of the store", stats.far_failures);
  row("failures of the storage", stats.storage_failures);
  row("sites in quarantine", stats.quarantined);
  row("open circuit breakers", stats.open_breakers);
  return text.str();
}

std::string date_text(std::chrono::sys_seconds second) {
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{second - day};
  std::string text = std::to_string(static_cast<int>(date.year()));
  const auto add = [&text](char separator, auto number) {
    const std::string digits = std::to_string(number);
    text.append(1, separator).append(digits.size() < 2 ? "0" : "").append(digits);
  };
  add('-', static_cast<unsigned>(date.month()));
  add('-', static_cast<unsigned>(date.day()));
  add('T', time.hours().count());
  add(':', time.minutes().count());
  add(':', time.seconds().count());
  return text + 'Z';
}

std::string ruling_text(const rulings_detail::old_ruling& ruling) {
  std::string text;
  switch (ruling.kind) {
    case ruling_kind::site_override:
      text = "override " + std::string{to_string(static_cast<site_override>(ruling.value))};
      break;
    case ruling_kind::halt:
      text = ruling.value == 0
                 ? "not halted"
                 : "halted, " + std::string{to_string(static_cast<halt_reason>(ruling.value - 1))};
      break;
    case ruling_kind::sign_off:
      text = ruling.value == 0 ? "not signed off" : "signed off";
      break;
    case ruling_kind::quarantine:
      text = ruling.value == 0 ? "not in quarantine" : "in quarantine";
      break;
  }
  return text + (!ruling.scheme                        ? ""
                 : *ruling.scheme == url_scheme::https ? " (https)"
                                                       : " (http)");
}

std::string to_text(const stored_site& site) {
  std::string line = padded(base::printable(site.key), 40) + "  ";
  const std::string lifetime = ", kept for " + number(real_seconds{site.left}.count(), 0) + " s";
  if (site.rulings) {
    std::string_view separator;
    for (const rulings_detail::old_ruling& ruling : site.rulings->rulings) {
      line.append(separator).append(ruling_text(ruling)).append(", since ");
      line += date_text(
          std::chrono::floor<std::chrono::seconds>(std::chrono::sys_time<std::chrono::milliseconds>{
              std::chrono::milliseconds{ruling.stamp}}));
      separator = "; ";
    }
    return line;
  }
  if (!site.content.value) {
    return line + "cannot be read: " + std::string{site.content.error} + lifetime;
  }
  const record& latest = site.content.value->latest;
  line += padded(latest.outcome == outcome::redirected ? "as " + base::printable(latest.final_url)
                                                       : base::printable(outcome_text(latest)),
                 30);
  line += "  " + date_text(latest.fetched_at) + ", " +
          std::to_string((site.now - latest.fetched_at).count()) + " s old";
  if (const auto end = holds_until(latest)) {
    line += ", holds until " + date_text(*end);
  }
  if (const auto& good = site.content.value->last_good) {
    line += ", last good copy of " + date_text(good->fetched_at);
  }
  return line + lifetime;
}

}  // namespace robots::check
