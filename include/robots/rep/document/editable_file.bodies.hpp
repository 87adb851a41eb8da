#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/longest_delay.hpp>
#include <robots/base/refuse_value.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/document/editable_file.hpp>
#include <robots/rep/read/detail/line.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/scan.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
      if (!pattern.empty() && !begins_as_pattern(pattern)) {
        base::refuse_value(pattern, "matches no path: begin it with / or *");
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
        base::refuse_value(
            line.key,
            "is not the key of another line: use letters, digits, - and _, and the members for "
            "user agents, rules, delays and sitemaps");
      }
      add(line.key, line.value);
    }
  }

  void add(std::string_view key, std::string_view value) {
    constexpr std::string_view unwritable{"\r\n\0#", 4};
    if (value.find_first_of(unwritable) != std::string_view::npos) {
      base::refuse_value(
          value, "has a line end, NUL or # in it: remove it, or write %0A, %00 or %23 in a URL");
    }
    if (base::trim(value, is_padding).size() != value.size()) {
      base::refuse_value(value,
                         "begins or ends with white space: remove it, or write %20 in a URL");
    }
    const std::size_t start = text.size();
    const bool has_blank = !value.empty() && key.size() + 2 + value.size() <= max_line_bytes;
    text.append(key).append(has_blank ? ": " : ":").append(value);
    if (text.size() - start > max_line_bytes) {
      base::refuse_value(value.substr(0, 80), "begins a line of " +
                                                  std::to_string(text.size() - start) +
                                                  " octets: shorten it, since " +
                                                  std::to_string(max_line_bytes) + " are read");
    }
    text += '\n';
  }

  void separate() { text += text.empty() ? "" : "\n"; }
};

/// Collects the groups of an `editable_file` from the lines of a document.
///
/// The usual key can be longer than the key of the file, and `prepend_slash` adds an octet. So a
/// line can become one or two octets too long to be read. Then a Disallow or a User-agent line
/// loses its last octets, and an Allow line is left out, like a line that was too long in the file.
class editable_reader {
 public:
  explicit editable_reader(bool prepends_slash) : prepends_slash_{prepends_slash} {}

  void take(const directive& line) {
    if (line.kind == directive_kind::sitemap) {
      take_sitemap(line.value);
    } else if (line.kind == directive_kind::user_agent) {
      take_user_agent(line);
    } else if (line.kind == directive_kind::crawl_delay) {
      take_delay(line.value);
    } else if (!is_rule(line.kind)) {
      take_other(line);
    } else if (line.in_group) {
      take_rule(line);
    }
  }

  [[nodiscard]] editable_file finish() {
    end_group();
    if (shortest_cut_ < max_line_bytes) {
      remove_long_allows();
    }
    return std::move(file_);
  }

 private:
  [[nodiscard]] static std::size_t most_octets(directive_kind kind) {
    return max_line_bytes - to_string(kind).size() - std::string_view{":"}.size();
  }

  void take_rule(const directive& line) {
    std::string pattern{line.value};
    if (!pattern.empty() && !begins_as_pattern(pattern)) {
      if (!prepends_slash_) {
        return;
      }
      pattern.insert(pattern.begin(), '/');
    }
    const bool is_allow = line.kind == directive_kind::allow;
    if (pattern.size() > most_octets(line.kind)) {
      if (is_allow) {
        return;
      }
      pattern.resize(most_octets(line.kind));
      const std::size_t escape = pattern.find('%', pattern.size() - 2);
      pattern.resize((std::min)(escape, pattern.size()));
      pattern.resize(base::trim(pattern, is_padding).size());
      shortest_cut_ = (std::min)(shortest_cut_, pattern.size());
    }
    rules_.push_back({is_allow ? rule_kind::allow : rule_kind::disallow, std::move(pattern)});
  }

  /// A pattern that was cut can be less specific than an Allow rule that it outweighed before (RFC
  /// 9309, section 2.2.2). An octet of a pattern counts as up to three, in its percent encoding.
  void remove_long_allows() {
    for (editable_file::group& group : file_.groups) {
      std::erase_if(group.rules, [this](const editable_file::rule& rule) {
        return rule.kind == rule_kind::allow && 3 * rule.pattern.size() >= shortest_cut_;
      });
    }
  }

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
      const std::string_view name = line.value.substr(0, most_octets(directive_kind::user_agent));
      runs_.back().user_agents.emplace_back(base::trim(name, is_padding));
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
  bool prepends_slash_;
  std::size_t shortest_cut_ = max_line_bytes;  // octets of the shortest pattern that was cut
};

}  // namespace rep_detail

ROBOTS_INLINE editable_file to_editable(const document& file) {
  rep_detail::editable_reader reader{file.options().prepend_slash};
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
