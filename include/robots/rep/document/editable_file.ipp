#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/document/editable_file.hpp>
#include <robots/rep/read/detail/line.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace robots {

namespace rep_detail {

/// Returns true for a valid key that no dialect reads as a user agent, rule, delay or sitemap.
[[nodiscard]] inline bool is_other_key(std::string_view key) noexcept {
  const auto may_stand = [](char c) {
    return base::is_alpha(c) || base::is_digit(c) || c == '-' || c == '_';
  };
  const auto is_other = [key](bool prefixes) {
    const directive_kind kind = recognise_key(key, prefixes, false).kind;
    return !is_rule(kind) && kind != directive_kind::user_agent &&
           kind != directive_kind::crawl_delay && kind != directive_kind::sitemap;
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), may_stand) && is_other(false) &&
         is_other(true);
}

struct text_writer {
  std::string text{};

  void add_group(const editable_file::group& group) {
    if (group.user_agents.empty()) {
      base::raise(
          std::invalid_argument{"a group has no user agent: add one, or * for all crawlers"});
    }
    separate();
    for (const std::string& name : group.user_agents) {
      add_value(directive_kind::user_agent, name);
    }
    add_delay(group.crawl_delay);
    add_lines(group.lines);
    for (const editable_file::rule& rule : group.rules) {
      const std::string_view pattern = rule.pattern;
      if (!pattern.empty() && !pattern.starts_with('/') && !pattern.starts_with('*')) {
        refuse(pattern, "matches no path: begin it with / or *");
      }
      add(to_string(rule.kind == rule_kind::allow ? directive_kind::allow
                                                  : directive_kind::disallow),
          pattern);
    }
    if (group.rules.empty()) {
      add(to_string(directive_kind::disallow), {});
    }
  }

  void add_value(directive_kind kind, std::string_view value) {
    if (value.empty()) {
      base::raise(std::invalid_argument{"a " + std::string{to_string(kind)} +
                                        " is empty: give it a value or remove it"});
    }
    add(to_string(kind), value);
  }

  void add_delay(std::optional<std::chrono::milliseconds> delay) {
    if (!delay) {
      return;
    }
    if (delay->count() < 0 || *delay > longest_delay) {
      base::raise(std::invalid_argument{"a crawl delay is " + std::to_string(delay->count()) +
                                        " ms: set it from 0 to longest_delay"});
    }
    std::string seconds;
    base::append_seconds(seconds, *delay);
    add(to_string(directive_kind::crawl_delay), seconds);
  }

  void add_lines(const std::vector<editable_file::line>& lines) {
    for (const editable_file::line& line : lines) {
      if (!is_other_key(line.key)) {
        refuse(line.key,
               "is not the key of another line: use letters, digits, - and _, and the members for "
               "user agents, rules, delays and sitemaps");
      }
      add(line.key, line.value);
    }
  }

  void add(std::string_view key, std::string_view value) {
    constexpr std::string_view unwritable{"\r\n\0#", 4};
    if (value.find_first_of(unwritable) != std::string_view::npos) {
      refuse(value, "has a line end, NUL or # in it: remove it, or write %0A, %00 or %23 in a URL");
    }
    if (base::trim(value, is_padding).size() != value.size()) {
      refuse(value, "begins or ends with white space: remove it, or write %20 in a URL");
    }
    const std::size_t start = text.size();
    text.append(key).append(value.empty() ? ":" : ": ").append(value);
    if (text.size() - start > max_line_bytes) {
      refuse(value.substr(0, 80), "begins a line of " + std::to_string(text.size() - start) +
                                      " octets: shorten it, since " +
                                      std::to_string(max_line_bytes) + " are read");
    }
    text += '\n';
  }

  void separate() { text += text.empty() ? "" : "\n"; }

  [[noreturn]] static void refuse(std::string_view value, std::string_view why) {
    base::raise(std::invalid_argument{'"' + base::printable(value) + "\" " + std::string{why}});
  }
};

/// Collects the groups of an `editable_file` from the lines of a document.
class editable_reader {
 public:
  void take(const directive& line) {
    if (line.kind == directive_kind::sitemap) {
      take_sitemap(line.value);
    } else if (line.kind == directive_kind::user_agent) {
      take_user_agent(line);
    } else if (line.kind == directive_kind::crawl_delay) {
      take_delay(line.value);
    } else if (!is_rule(line.kind)) {
      take_other(line);
    } else if (line.in_group &&
               (line.value.empty() || line.value.starts_with('/') || line.value.starts_with('*'))) {
      rules_.push_back({line.kind == directive_kind::allow ? rule_kind::allow : rule_kind::disallow,
                        std::string{line.value}});
    }
  }

  [[nodiscard]] editable_file finish() {
    end_group();
    return std::move(file_);
  }

 private:
  void take_sitemap(std::string_view value) {
    if (!value.empty()) {
      file_.sitemaps.emplace_back(value);
    }
  }

  void take_user_agent(const directive& line) {
    if (line.starts_group) {
      end_group();
    }
    if (line.starts_group || line.starts_run) {
      runs_.emplace_back();
    }
    if (!line.value.empty()) {
      runs_.back().user_agents.emplace_back(line.value);
    }
  }

  void take_delay(std::string_view value) {
    std::optional<std::chrono::milliseconds>& delay =
        runs_.empty() ? file_.crawl_delay : runs_.back().crawl_delay;
    if (!delay) {
      delay = parse_delay(value);
    }
  }

  void take_other(const directive& line) {
    const std::string_view name =
        line.kind == directive_kind::unknown ? line.key : to_string(line.kind);
    if (is_other_key(name)) {
      std::vector<editable_file::line>& lines = runs_.empty() ? file_.lines : runs_.back().lines;
      lines.push_back({std::string{name}, std::string{line.value}});
    }
  }

  /// Adds the runs of one group of the document. Several runs share their rules.
  void end_group() {
    editable_file::group shared{.rules = std::move(rules_)};
    rules_.clear();
    const bool is_alone = runs_.size() == 1;
    for (editable_file::group& run : runs_) {
      if (run.user_agents.empty()) {
        continue;
      }
      if (is_alone) {
        run.rules = std::move(shared.rules);
      } else {
        shared.user_agents.insert(shared.user_agents.end(), run.user_agents.begin(),
                                  run.user_agents.end());
      }
      file_.groups.push_back(std::move(run));
    }
    if (!is_alone && !shared.user_agents.empty() && !shared.rules.empty()) {
      file_.groups.push_back(std::move(shared));
    }
    runs_.clear();
  }

  editable_file file_;
  std::vector<editable_file::group> runs_;  // of the group that is read, without its rules
  std::vector<editable_file::rule> rules_;
};

}  // namespace rep_detail

ROBOTS_INLINE editable_file to_editable(const document& file) {
  rep_detail::editable_reader reader;
  for (const directive& line : file.directives()) {
    reader.take(line);
  }
  return reader.finish();
}

ROBOTS_INLINE std::string to_text(const editable_file& file) {
  rep_detail::text_writer writer;
  writer.add_delay(file.crawl_delay);
  writer.add_lines(file.lines);
  for (const editable_file::group& group : file.groups) {
    writer.add_group(group);
  }
  if (!file.sitemaps.empty()) {
    writer.separate();
  }
  for (const std::string& url : file.sitemaps) {
    writer.add_value(directive_kind::sitemap, url);
  }
  return std::move(writer.text);
}

}  // namespace robots
