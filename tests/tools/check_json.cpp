#include "check_json.hpp"

#include "check_text.hpp"
#include "json_text.hpp"
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/rep/document/to_json.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots::check {
namespace {

json text_or_null(std::string_view text) { return text.empty() ? json{} : text_of(text); }

/// Returns seconds to the millisecond, as an integer if they are whole.
json seconds(std::chrono::milliseconds time) {
  constexpr std::int64_t unit = 1000;
  if (time.count() % unit == 0) {
    return time.count() / unit;
  }
  return static_cast<double>(time.count()) / unit;
}

json seconds(std::optional<std::chrono::milliseconds> time) {
  return time ? seconds(*time) : json{};
}

/// Returns seconds to the microsecond.
json exact_seconds(std::chrono::nanoseconds time) {
  return std::round(static_cast<double>(time.count()) / 1e3) / 1e6;
}

json source_of(const answer& about) {
  const record_head source = about.source();
  return {{"outcome", to_string(source.outcome)},
          {"status", source.status != 0 ? json(source.status) : json{}},
          {"error", source.error != fetch_error::none ? json(to_string(source.error)) : json{}},
          {"errorText", text_or_null(source.error_text)},
          {"url", text_or_null(source.url)},
          {"finalUrl", text_or_null(source.final_url)},
          {"redirects", source.redirects},
          {"ageSeconds", about.has_source() ? exact_seconds(about.decided.age) : json{}},
          {"fromCache", about.decided.from_cache}};
}

/// The group is null without a robots.txt, and the target without a URL.
json explain_of(const answer& about) {
  const explanation& why = *about.why;
  json matches = json::array();
  for (const robots::listed_rule& rule : why.matches) {
    matches.push_back({{"directive", to_string(rule.kind)},
                       {"pattern", text_of(rule.pattern)},
                       {"compared", text_of(rule.compared)},
                       {"specificity", rule.specificity},
                       {"line", rule.line}});
  }
  json mistakes = json::array();
  for (const diagnostic& mistake : about.mistakes) {
    mistakes.push_back({{"line", mistake.line},
                        {"column", mistake.column},
                        {"severity", to_string(mistake.severity)},
                        {"code", to_string(mistake.code)},
                        {"text", text_of(mistake.text)}});
  }
  const bool url = about.decided.reason != decision_reason::invalid_url;
  return {{"mistakes", mistakes},
          {"group", about.has_rules() ? json(to_string(why.group)) : json{}},
          {"target", url ? text_of(why.target) : json{}},
          {"matches", matches}};
}

}  // namespace

std::string to_json(const answer& about) {
  const verdict& rule = about.decided.verdict;
  json written = json::parse(robots::to_json(rule));
  written.update({{"url", text_of(about.url)},
                  {"line", rule.directive ? json(rule.line) : json{}},
                  {"reason", to_string(about.decided.reason)},
                  {"crawlDelay", seconds(about.decided.crawl_delay())},
                  {"source", source_of(about)}});
  if (about.why) {
    written["explain"] = explain_of(about);
  }
  if (!about.permissions.empty()) {
    json answers = json::array();
    for (const permission& answer : about.permissions) {
      answers.push_back(json::parse(robots::to_json(answer)));
    }
    written["purposes"] = answers;
  }
  if (about.round != 0) {
    written["round"] = about.round;
  }
  if (about.elapsed) {
    written["elapsed"] = exact_seconds(*about.elapsed);
  }
  return to_line(written);
}

std::string to_json(const cache_stats& stats) {
  const json written = {{"hits", stats.hits},
                        {"staleHits", stats.stale_hits},
                        {"misses", stats.misses},
                        {"joined", stats.joined},
                        {"hitRate", stats.hit_rate()},
                        {"retrievals", stats.retrievals},
                        {"notModified", stats.not_modified},
                        {"failures", stats.failures},
                        {"fetchSuccessRate", stats.fetch_success_rate()},
                        {"allowed", stats.allowed},
                        {"denied", stats.denied},
                        {"allowRate", stats.allow_rate()},
                        {"excluded", stats.excluded},
                        {"exclusionRate", stats.exclusion_rate()},
                        {"size", stats.size},
                        {"evictions", stats.evictions},
                        {"farHits", stats.far_hits},
                        {"farMisses", stats.far_misses},
                        {"farRejected", stats.far_rejected},
                        {"farFailures", stats.far_failures},
                        {"storageFailures", stats.storage_failures},
                        {"quarantined", stats.quarantined},
                        {"openBreakers", stats.open_breakers}};
  return to_line({{"stats", written}});
}

std::string to_json(const diagnostic& finding, std::string_view file) {
  return to_line({{"file", text_of(file)},
                  {"line", finding.line},
                  {"column", finding.column},
                  {"severity", to_string(finding.severity)},
                  {"code", to_string(finding.code)},
                  {"text", std::string{finding.text}}});
}

std::string to_json(const change_report& found) {
  const auto placed = [](const std::optional<robots::change_report::placed_pattern>& rule) {
    return rule ? json{{"pattern", text_of(rule->pattern)}, {"line", rule->line}} : json{};
  };
  const auto text_if = [](const std::optional<std::string>& value) {
    return value ? text_of(*value) : json{};
  };
  json rules = json::array();
  for (const robots::change_report::rule_change& change : found.rules) {
    rules.push_back({{"change", to_string(change.change)},
                     {"directive", to_string(change.kind)},
                     {"before", placed(change.before)},
                     {"after", placed(change.after)},
                     {"example", text_or_null(change.example)},
                     {"allowed", change.example.empty() ? json{} : json(change.example_allowed)}});
  }
  json lines = json::array();
  for (const robots::change_report::line_change& change : found.lines) {
    lines.push_back({{"directive", to_string(change.kind)},
                     {"before", text_if(change.before)},
                     {"after", text_if(change.after)}});
  }
  return to_line({{"same", found.same()},
                  {"share", std::round(found.share() * 1e6) / 1e6},
                  {"complete", found.complete},
                  {"rules", rules},
                  {"lines", lines}});
}

std::string to_json(const stored_site& site) {
  json written = {{"site", text_of(site.key)}};
  if (site.rulings) {
    for (const rulings_detail::old_ruling& ruling : site.rulings->rulings) {
      written["rulings"].push_back(ruling_text(ruling));
    }
    return to_line(written);
  }
  written["storedFor"] = seconds(site.left);
  written["problem"] = site.content.value ? json{} : json(site.content.error);
  if (site.content.value) {
    const record& latest = site.content.value->latest;
    const auto& good = site.content.value->last_good;
    const auto end = holds_until(latest);
    written.update(
        {{"outcome", to_string(latest.outcome)},
         {"status", latest.status != 0 ? json(latest.status) : json{}},
         {"error", latest.error != fetch_error::none ? json(to_string(latest.error)) : json{}},
         {"errorText", text_or_null(latest.error_text)},
         {"url", text_of(latest.url)},
         {"finalUrl", text_of(latest.final_url)},
         {"redirects", latest.outcome == outcome::redirected},
         {"octets", latest.body.size()},
         {"fetchedAt", date_text(latest.fetched_at)},
         {"ageSeconds", (site.now - latest.fetched_at).count()},
         {"holdsUntil", end ? json(date_text(*end)) : json{}},
         {"lastGoodAt", good ? json(date_text(good->fetched_at)) : json{}}});
  }
  return to_line(written);
}

}  // namespace robots::check
