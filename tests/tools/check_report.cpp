#include "check_audit.hpp"
#include "check_text.hpp"
#include "report_style.hpp"
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::check {
namespace {

using adapters_detail::json_object;

/// Escapes a text from outside for the page. The result is ASCII without mark-up. Other characters
/// are escaped as in `append_json`, so that no character can reverse the direction of a line.
std::string html(std::string_view text) {
  std::string json;
  base::append_json(json, text);
  std::string result;
  for (std::size_t i = 1; i + 1 < json.size(); ++i) {
    i += json[i] == '\\' && json[i + 1] != 'u' ? 1 : 0;
    switch (json[i]) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += json[i];
    }
  }
  return result;
}

double seconds_of(const json_object& entry, std::string_view name) {
  return std::strtod(std::string{entry.digits(name)}.c_str(), nullptr);
}

/// Returns a time as `2026-01-01 12:00`.
std::string minute_text(std::int64_t second) {
  std::string text = date_text(std::chrono::sys_seconds{std::chrono::seconds{second}});
  text.resize(text.size() - 4);  // removes the seconds
  return text.replace(text.find('T'), 1, " ");
}

/// Returns a number as `1,234`.
std::string count_text(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) {
    digits.insert(i - 3, 1, ',');
  }
  return digits;
}

/// Returns a duration as `1.234 s`.
std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.resize(text.size() - 3);  // removes three of six digits
  return text + " s";
}

/// The place of an entry, and a summary of it.
struct cited_entry {
  std::size_t file = 0;
  std::uint64_t line = 0;
  std::uint64_t n = 0;
  std::string date{};
  std::string text{};
};

/// A number of entries, and the first of them.
struct cited {
  std::uint64_t count = 0;
  std::vector<cited_entry> first{};

  void add(const cited_entry& entry) {
    constexpr std::size_t most = 20;
    if (++count <= most) {
      first.push_back(entry);
    }
  }
};

/// The events of two kinds in one span of time.
struct bucket {
  cited good;
  cited bad;
};

struct site_figures {
  cited retrievals;
  cited failures;
  cited decisions;
  cited denied;
  cited changes;
  std::string holds{};  ///< the policy in force
};

struct change {
  std::string site;
  std::string before;
  std::string after;
  std::string details;
  cited entry;
};

/// An event with its duration.
struct wait {
  double seconds = 0;
  std::string text;
  cited entry;
};

/// The numbers that the page shows.
class figures {
 public:
  explicit figures(const std::vector<std::string>& files) : files_{files} {
    for_each([this](const json_object& entry, const cited_entry& citation) {
      measure(entry.text("type"), citation.date);
    });
    constexpr std::int64_t most = 1'000;
    const std::int64_t start = first_second - first_second % bucket_seconds;
    const auto count =
        static_cast<std::size_t>(std::min((last_second - start) / bucket_seconds, most) + 1);
    decided.resize(count);
    fetched.resize(count);
    for_each(
        [this](const json_object& entry, const cited_entry& citation) { take(entry, citation); });
  }

  std::uint64_t entries = 0;
  std::map<std::string, site_figures> sites;
  cited retrievals;
  cited failures;
  cited decisions;
  cited denied;
  cited overrides;
  cited quarantines;
  cited breakers;
  cited halts;
  cited revoked;
  cited sign_offs;
  cited alarming;
  cited losses;
  std::map<std::pair<std::string, std::string>, cited> rows;  // the rows of the failure table
  std::vector<change> changes;
  std::uint64_t change_count = 0;
  std::vector<wait> waits;
  std::vector<wait> slowest;
  std::vector<std::pair<std::string, cited>> crawlers;
  std::vector<bucket> decided;
  std::vector<bucket> fetched;
  std::int64_t first_second = 0;
  std::int64_t last_second = 0;
  std::int64_t bucket_seconds = 1;

 private:
  /// Calls `use` with each line that is an entry.
  template <class Use>
  void for_each(const Use& use) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      adapters_detail::audit_lines lines{files_[i]};
      while (const auto line = lines.next()) {
        if (const auto entry = json_object::read(*line)) {
          use(*entry, {.file = i,
                       .line = lines.number(),
                       .n = entry->number("n"),
                       .date = entry->text("time")});
        }
      }
    }
  }

  /// Finds the first and the last event, and chooses the length of a bucket so that about sixty
  /// buckets cover the time between them.
  void measure(std::string_view type, const std::string& date) {
    const bool has_time = type == "decision" || type == "retrieval" || type == "admission";
    const std::int64_t second = has_time ? adapters_detail::audit_second(date) : 0;
    if (second == 0) {
      return;
    }
    constexpr std::array<std::int64_t, 14> steps{1,      5,       15,        60,        300,
                                                 900,    3'600,   7'200,     21'600,    43'200,
                                                 86'400, 604'800, 2'592'000, 31'536'000};
    if (last_second == 0) {
      first_second = last_second = second;
    }
    first_second = std::min(first_second, second);
    last_second = std::max(last_second, second);
    const std::int64_t span = last_second - first_second;
    const auto* const step = std::find_if(
        steps.begin(), steps.end() - 1, [&](std::int64_t seconds) { return span / seconds < 60; });
    bucket_seconds = *step;
  }

  bucket& bucket_at(std::vector<bucket>& all, const cited_entry& citation) const {
    const std::int64_t start = first_second - first_second % bucket_seconds;
    const std::int64_t second = adapters_detail::audit_second(citation.date);
    const std::int64_t index = std::max<std::int64_t>((second - start) / bucket_seconds, 0);
    return all.at(std::min(static_cast<std::size_t>(index), all.size() - 1));
  }

  void take(const json_object& entry, cited_entry citation) {
    ++entries;
    const std::string type = entry.text("type");
    const std::string site = entry.text("site");
    citation.text = type + (site.empty() ? "" : ' ' + site);
    if (type == "decision") {
      take_decision(entry, std::move(citation), site);
    } else if (type == "retrieval") {
      take_retrieval(entry, std::move(citation), site);
    } else if (type == "far_hit") {
      take_policy(entry, citation, site);
    } else if (type == "fallback") {
      const std::string outcome = entry.text("outcome");
      const std::string basis = entry.text("basis");
      citation.text += ": " + outcome + ", so " + basis;
      rows[{outcome, basis}].add(citation);
    } else if (type == "directives") {
      take_directives(entry);
    } else if (type == "crawler") {
      take_crawler(entry, citation);
    } else if (type == "admission") {
      citation.text += ": " + entry.text("url") + ", " + entry.text("reason");
      note(waits, {seconds_of(entry, "waited_seconds"), entry.text("url"), one(citation)});
    } else if (type == "override") {
      citation.text += ": " + entry.text("value");
      overrides.add(citation);
    } else if (type == "quarantine") {
      citation.text += entry.flag("released") ? ": released" : ": quarantined";
      quarantines.add(citation);
    } else if (type == "breaker") {
      citation.text += ": " + entry.text("state");
      breakers.add(citation);
    } else if (type == "halt") {
      citation.text += ": " + entry.text("reason") + (entry.flag("resumed") ? ", resumed" : "");
      halts.add(citation);
    } else if (type == "access_revoked") {
      citation.text += ": " + entry.text("url");
      revoked.add(citation);
    } else if (type == "sign_off") {
      citation.text += entry.flag("given")     ? ": given"
                       : entry.flag("awaited") ? ": awaited"
                                               : ": withdrawn";
      sign_offs.add(citation);
    } else if (type == "policy_change" && (entry.flag("fast") || entry.flag("turned_hostile"))) {
      citation.text += entry.flag("turned_hostile") ? ": turned hostile" : ": fast";
      alarming.add(citation);
    } else if (type == "gap" || type == "lost") {
      citation.text += ": " + entry.text("note");
      losses.add(citation);
    }
  }

  void take_decision(const json_object& entry, cited_entry citation, const std::string& site) {
    const bool allowed = entry.flag("allowed");
    citation.text =
        "decision " + entry.text("url") + (allowed ? ": allowed, " : ": denied, ") +
        entry.text("reason") +
        (entry.has("pattern") ? ' ' + entry.text("directive") + ": " + entry.text("pattern") : "");
    site_figures& of = sites[site];
    of.decisions.add(citation);
    decisions.add(citation);
    bucket& now = bucket_at(decided, citation);
    (allowed ? now.good : now.bad).add(citation);
    if (!allowed) {
      of.denied.add(citation);
      denied.add(citation);
    }
  }

  void take_retrieval(const json_object& entry, cited_entry citation, const std::string& site) {
    const std::string outcome = entry.text("outcome");
    const auto status = entry.number("status");
    const std::string error = entry.text("error");
    citation.text += ": " + outcome + (status == 0 ? "" : ", HTTP " + std::to_string(status)) +
                     (error.empty() ? "" : ", " + error);
    const bool failed = outcome != "success" && outcome != "not_found";
    site_figures& of = sites[site];
    of.retrievals.add(citation);
    retrievals.add(citation);
    bucket& now = bucket_at(fetched, citation);
    (failed ? now.bad : now.good).add(citation);
    if (failed) {
      of.failures.add(citation);
      failures.add(citation);
    }
    note(slowest, {seconds_of(entry, "duration_seconds"), entry.text("url"), one(citation)});
    take_policy(entry, citation, site);
  }

  /// Notes a change of the policy in force for a site.
  void take_policy(const json_object& entry, const cited_entry& citation, const std::string& site) {
    const std::string directives = entry.text("directives");
    const std::string basis = entry.text("basis");
    const std::string now = holds_text(basis, directives);
    auto& [last_basis, last_directives] = last_[{agent_, site}];
    site_figures& of = sites[site];
    of.holds = now;
    const bool is_first = last_basis.empty();
    if (!is_first && (basis != last_basis || directives != last_directives)) {
      ++change_count;
      of.changes.add(citation);
      constexpr std::size_t most = 200;
      if (changes.size() < most) {
        changes.push_back({site, holds_text(last_basis, last_directives), now,
                           difference(last_directives, directives), one(citation)});
      }
    }
    last_basis = basis;
    last_directives = directives;
  }

  [[nodiscard]] std::string holds_text(const std::string& basis,
                                       const std::string& directives) const {
    const auto found = rules_.find(directives);
    const std::size_t count = found == rules_.end() ? 0 : found->second.size();
    return basis + (directives.empty()
                        ? ""
                        : ", " + std::to_string(count) + (count == 1 ? " line" : " lines"));
  }

  /// Lists the lines that were added and those that were removed.
  [[nodiscard]] std::string difference(const std::string& before, const std::string& after) const {
    const auto lines = [this](const std::string& id) {
      const auto found = rules_.find(id);
      return found == rules_.end() ? std::set<std::string>{} : found->second;
    };
    constexpr std::size_t most = 8;
    const std::set<std::string> old_lines = lines(before);
    const std::set<std::string> new_lines = lines(after);
    std::string text;
    const auto say = [&](std::string_view sign, const std::set<std::string>& of,
                         const std::set<std::string>& without) {
      std::size_t count = 0;
      for (const std::string& line : of) {
        if (!without.contains(line) && ++count <= most) {
          text.append(sign).append(line) += '\n';
        }
      }
      if (count > most) {
        text.append(sign).append("and " + std::to_string(count - most) + " more\n");
      }
    };
    say("- ", old_lines, new_lines);
    say("+ ", new_lines, old_lines);
    return text;
  }

  void take_directives(const json_object& entry) {
    const auto found = entry.object("directives");
    if (!found) {
      return;
    }
    constexpr std::size_t most = 5'000;
    std::set<std::string>& lines = rules_[entry.text("id")];
    for (const json_object& line : found->list("lines")) {
      const auto take = [&](std::string_view key) {
        if (lines.size() < most && line.has(key)) {
          lines.insert(std::string{key}.append(": ").append(line.text(key)));
        }
      };
      take(to_string(rule_kind::allow));
      take(to_string(rule_kind::disallow));
      for (int kind = 0; kind < static_cast<int>(directive_kind::unknown); ++kind) {
        take(to_string(static_cast<directive_kind>(kind)));
      }
    }
  }

  void take_crawler(const json_object& entry, cited_entry citation) {
    const std::string text = entry.text("user_agent") + ", fallback " + entry.text("fallback") +
                             ", dialect " + entry.text("dialect");
    citation.text = "crawler " + text;
    agent_ = entry.text("user_agent");
    auto found = std::find_if(crawlers.begin(), crawlers.end(),
                              [&](const auto& crawler) { return crawler.first == text; });
    if (found == crawlers.end()) {
      found = crawlers.insert(found, {text, {}});
    }
    found->second.add(citation);
  }

  [[nodiscard]] static cited one(const cited_entry& citation) {
    cited result;
    result.add(citation);
    return result;
  }

  /// Adds an event to a list if it is among the longest.
  static void note(std::vector<wait>& longest, wait one) {
    constexpr std::size_t most = 15;
    const auto place = std::find_if(longest.begin(), longest.end(), [&](const wait& listed) {
      return listed.seconds < one.seconds;
    });
    if (one.seconds > 0 && (place != longest.end() || longest.size() < most)) {
      longest.insert(place, std::move(one));
      longest.resize(std::min(longest.size(), most));
    }
  }

  const std::vector<std::string>& files_;
  std::string agent_;  // the user agent of the crawler that wrote the next entries
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> last_;
  std::map<std::string, std::set<std::string>> rules_;
};

/// Writes the page: first the visible part, then the lists that its numbers link to.
class page {
 public:
  page(const audit_question& trail, const audit_answer& verified, const figures& of)
      : files_{trail.files}, verified_{verified}, of_{of} {}

  [[nodiscard]] std::string text() {
    body_ += "<h1>Requests, responses and decisions of the crawler</h1>\n";
    add_head();
    add_tiles();
    add_chart("Decisions over time", of_.decided, "allowed", "denied");
    add_chart("Retrievals over time", of_.fetched, "answered", "failed");
    add_rows();
    add_changes();
    add_waits("Longest waits", "Admissions that waited", of_.waits);
    add_waits("Slowest retrievals", "Time of all tries and redirects", of_.slowest);
    add_sites();
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "style-src 'unsafe-inline'\">\n"
           "<title>robots.txt audit report</title>\n<style>" +
           std::string{report_style} + "</style>\n</head>\n<body>\n<main id=\"top\">\n" + body_ +
           "</main>\n" + lists_ + "</body>\n</html>\n";
  }

 private:
  /// Returns a count that links to its entries.
  std::string linked(const cited& entries, const std::string& title) {
    return entries.count == 0 ? "0" : link(count_text(entries.count), entries, title);
  }

  std::string link(const std::string& shown, const cited& entries, const std::string& title) {
    return "<a href=\"#" + list(entries, title) + "\">" + shown + "</a>";
  }

  /// Adds a list of entries. Returns its name.
  std::string list(const cited& entries, const std::string& title) {
    const std::string name = "l" + std::to_string(++list_count_);
    lists_ += "<section class=\"list\" id=\"" + name +
              "\">\n<a class=\"close\" href=\"#closed\">close</a>\n<h3>" + html(title) +
              "</h3>\n<ol>\n";
    for (const cited_entry& entry : entries.first) {
      const std::string file = std::filesystem::path{files_.at(entry.file)}.filename().string();
      lists_ += "<li>entry " + std::to_string(entry.n) + ", <code>" + html(file) + ':' +
                std::to_string(entry.line) + "</code>, <time>" + html(entry.date) +
                "</time><br><code>" + html(cut(entry.text)) + "</code></li>\n";
    }
    lists_ += "</ol>\n";
    if (entries.count > entries.first.size()) {
      lists_ += "<p class=\"soft\">and " + count_text(entries.count - entries.first.size()) +
                " more entries</p>\n";
    }
    lists_ += "</section>\n";
    return name;
  }

  [[nodiscard]] static std::string cut(const std::string& text) {
    constexpr std::size_t most = 300;
    return text.size() <= most ? text : text.substr(0, most) + " ...";
  }

  void add_head() {
    if (of_.last_second != 0) {
      body_ += "<p class=\"soft\">" + minute_text(of_.first_second) + " to " +
               minute_text(of_.last_second) + " UTC, " + count_text(of_.entries) + " entries in " +
               count_text(files_.size()) + (files_.size() == 1 ? " file" : " files") + "</p>\n";
    }
    for (const auto& [text, entries] : of_.crawlers) {
      body_ += "<p>" + link(html(text), entries, "Crawler " + text) + "</p>\n";
    }
    body_ += "<h2>Integrity</h2>\n<div class=\"card\"><p class=\"";
    body_ += verified_.intact ? "ok\"><b>The trail is intact.</b></p>"
                              : "bad\"><b>The trail is broken.</b></p>";
    body_ += "<pre>";
    std::string_view rest = verified_.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      body_ += html(rest.substr(0, end)) + '\n';
      rest.remove_prefix(end + 1);
    }
    body_ += "</pre></div>\n";
  }

  void add_tiles() {
    const auto tile = [this](const cited& entries, const std::string& name) {
      body_ += "<li><b>" + linked(entries, name) + "</b>" + name + "</li>\n";
    };
    body_ += "<ul class=\"tiles\">\n<li><b><a href=\"#sites\">" + count_text(of_.sites.size()) +
             "</a></b>sites</li>\n";
    tile(of_.decisions, "decisions recorded");
    tile(of_.denied, "denied");
    tile(of_.retrievals, "retrievals");
    tile(of_.failures, "retrievals failed");
    body_ +=
        "<li><b><a href=\"#changes\">" + count_text(of_.change_count) + "</a></b>changes</li>\n";
    tile(of_.alarming, "fast or hostile changes");
    tile(of_.halts, "sites halted, resumed");
    tile(of_.revoked, "times access revoked");
    tile(of_.sign_offs, "sign-offs");
    tile(of_.overrides, "set by an operator");
    tile(of_.quarantines, "quarantine events");
    tile(of_.breakers, "breaker events");
    tile(of_.losses, "gaps in the trail");
    body_ += "</ul>\n";
  }

  void add_chart(const std::string& title, const std::vector<bucket>& all, const std::string& good,
                 const std::string& bad) {
    std::uint64_t top = 0;
    for (const bucket& counted : all) {
      top = std::max(top, counted.good.count + counted.bad.count);
    }
    if (top == 0) {
      return;
    }
    constexpr double left = 46;
    constexpr double width = 704;
    constexpr double height = 130;
    constexpr double base = 144;
    const auto number = [](double value) {
      std::string text = std::to_string(value);
      return text.substr(0, text.size() - 4);
    };
    body_ += "<h2>" + title +
             "</h2>\n<div class=\"card\">\n<p class=\"key\"><span><i class=\"good\">"
             "</i>" +
             good + "</span><span><i class=\"bad\"></i>" + bad + "</span><span>" + span_text() +
             " a bar</span></p>\n<svg viewBox=\"0 0 760 168\" role=\"img\" "
             "aria-label=\"" +
             title + "\">\n";
    for (const double share : {0.0, 0.5, 1.0}) {
      const std::string y = number(base - share * height);
      body_ += "<line class=\"axis\" x1=\"" + number(left) + "\" x2=\"" + number(left + width) +
               "\" y1=\"" + y + "\" y2=\"" + y + "\"/>";
      if (share != 0.5 || top % 2 == 0) {
        body_ += "<text x=\"" + number(left - 6) + "\" y=\"" + number(base - share * height + 4) +
                 "\" text-anchor=\"end\">" +
                 count_text(static_cast<std::uint64_t>(share * static_cast<double>(top))) +
                 "</text>\n";
      }
    }
    const double step = width / static_cast<double>(all.size());
    const std::int64_t start = of_.first_second - of_.first_second % of_.bucket_seconds;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string when =
          minute_text(start + static_cast<std::int64_t>(i) * of_.bucket_seconds);
      double y = base;
      const auto bar = [&](const cited& entries, const std::string& name, const char* kind) {
        if (entries.count == 0) {
          return;
        }
        const double size = height * static_cast<double>(entries.count) / static_cast<double>(top);
        y -= size;
        const std::string label = when + ": " + count_text(entries.count) + ' ' + name;
        body_ += "<a href=\"#" + list(entries, label) + "\"><rect class=\"" + kind + "\" x=\"" +
                 number(left + static_cast<double>(i) * step + 1) + "\" y=\"" + number(y) +
                 "\" width=\"" + number(std::clamp(step - 2, 1.0, 48.0)) + "\" height=\"" +
                 number(size) + "\"><title>" + label + "</title></rect></a>\n";
      };
      bar(all[i].good, good, "good");
      bar(all[i].bad, bad, "bad");
    }
    body_ += "<text x=\"" + number(left) + "\" y=\"162\">" + minute_text(start) +
             "</text><text x=\"" + number(left + width) + "\" y=\"162\" text-anchor=\"end\">" +
             minute_text(of_.last_second) + "</text>\n</svg></div>\n";
  }

  [[nodiscard]] std::string span_text() const {
    const std::int64_t seconds = of_.bucket_seconds;
    const auto say = [&](std::int64_t unit, std::string_view name) {
      const std::int64_t count = seconds / unit;
      return std::to_string(count) + ' ' + std::string{name} + (count == 1 ? "" : "s");
    };
    return seconds < 60       ? say(1, "second")
           : seconds < 3'600  ? say(60, "minute")
           : seconds < 86'400 ? say(3'600, "hour")
                              : say(86'400, "day");
  }

  void begin_table(std::string_view heads) {
    body_.append("<div class=\"card\"><table>\n<tr>").append(heads).append("</tr>\n");
  }
  void end_table() { body_ += "</table></div>\n"; }

  void add_rows() {
    body_ += "<h2>Failures by row of the failure table</h2>\n";
    if (of_.rows.empty()) {
      body_ += "<p class=\"soft\">None.</p>\n";
      return;
    }
    begin_table("<th>outcome</th><th>policy</th><th class=\"number\">times</th>");
    for (const auto& [row, entries] : of_.rows) {
      body_ += "<tr><td>" + html(row.first) + "</td><td>" + html(row.second) +
               "</td><td class=\"number\">" + linked(entries, row.first + ", so " + row.second) +
               "</td></tr>\n";
    }
    end_table();
  }

  void add_changes() {
    body_ += "<h2 id=\"changes\">Changes</h2>\n";
    if (of_.changes.empty()) {
      body_ += "<p class=\"soft\">None.</p>\n";
      return;
    }
    begin_table("<th>when</th><th>site</th><th>policy before and after</th>");
    for (const change& shown : of_.changes) {
      const cited_entry& citation = shown.entry.first.front();
      body_ += "<tr><td>" +
               link("<time>" + html(citation.date.substr(0, 19)) + "</time>", shown.entry,
                    "Change of " + shown.site) +
               "</td><td class=\"name\">" + html(shown.site) + "</td><td><span class=\"soft\">" +
               html(shown.before) + "</span><br>" + html(shown.after);
      if (!shown.details.empty()) {
        body_ += "<pre>";
        std::string_view rest = shown.details;
        while (!rest.empty()) {
          const std::size_t end = rest.find('\n');
          body_ += html(rest.substr(0, end)) + '\n';
          rest.remove_prefix(end + 1);
        }
        body_ += "</pre>";
      }
      body_ += "</td></tr>\n";
    }
    end_table();
    add_rest(of_.change_count, of_.changes.size(), "changes");
  }

  void add_waits(const std::string& title, const std::string& caption,
                 const std::vector<wait>& all) {
    body_ += "<h2>" + title + "</h2>\n";
    if (all.empty()) {
      body_ += "<p class=\"soft\">None.</p>\n";
      return;
    }
    body_ += "<p class=\"soft\">" + caption + ".</p>\n";
    begin_table("<th class=\"number\">time</th><th>URL</th><th>when</th>");
    for (const wait& shown : all) {
      body_ += "<tr><td class=\"number\">" +
               link(seconds_text(shown.seconds), shown.entry, title + ": " + shown.text) +
               "</td><td class=\"name\"><code>" + html(cut(shown.text)) + "</code></td><td><time>" +
               html(shown.entry.first.front().date.substr(0, 19)) + "</time></td></tr>\n";
    }
    end_table();
  }

  void add_sites() {
    constexpr std::size_t most = 200;
    std::vector<const std::pair<const std::string, site_figures>*> order;
    for (const auto& site : of_.sites) {
      order.push_back(&site);
    }
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      const auto decisions_a = a->second.decisions.count;
      const auto decisions_b = b->second.decisions.count;
      return decisions_a != decisions_b ? decisions_a > decisions_b : a->first < b->first;
    });
    body_ += "<h2 id=\"sites\">Sites</h2>\n";
    begin_table(
        "<th>site</th><th class=\"number\">decisions</th><th class=\"number\">denied</th>"
        "<th class=\"number\">retrievals</th><th class=\"number\">failed</th>"
        "<th class=\"number\">changes</th><th>policy</th>");
    for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
      const auto& [name, of] = *order[i];
      const std::string shown = name.empty() ? "(no site)" : name;
      body_ += "<tr><td class=\"name\">" + html(cut(shown)) + "</td>";
      for (const auto& [figure, caption] :
           {std::pair{&of.decisions, "decisions"}, std::pair{&of.denied, "denied"},
            std::pair{&of.retrievals, "retrievals"}, std::pair{&of.failures, "failed"},
            std::pair{&of.changes, "changes"}}) {
        body_ += "<td class=\"number\">" + linked(*figure, shown + ": " + caption) + "</td>";
      }
      body_ += "<td>" + html(of.holds) + "</td></tr>\n";
    }
    end_table();
    add_rest(order.size(), std::min(order.size(), most), "sites");
  }

  void add_rest(std::uint64_t all, std::uint64_t shown, const std::string& noun) {
    if (all > shown) {
      body_ += "<p class=\"soft\">and " + count_text(all - shown) + " more " + noun + "</p>\n";
    }
  }

  const std::vector<std::string>& files_;
  const audit_answer& verified_;
  const figures& of_;
  std::string body_;
  std::string lists_;
  std::size_t list_count_ = 0;
};

}  // namespace

std::string report(const audit_question& trail) {
  const audit_answer verified = verify(trail, false);
  const figures of{trail.files};
  return page{trail, verified, of}.text();
}

}  // namespace robots::check
