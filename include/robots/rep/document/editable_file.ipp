#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/rep/document/editable_file.hpp>
#include <robots/rep/read/detail/keys.hpp>
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

/// RFC 9309, section 2.2.
[[nodiscard]] inline bool may_match(std::string_view pattern) noexcept {
  return pattern.empty() || pattern.front() == '/' || pattern.front() == '*';
}

class text_writer {
 public:
  [[nodiscard]] std::string write(const editable_file& file) && {
    add_delay(file.crawl_delay);
    add_lines(file.lines);
    for (const editable_file::group& group : file.groups) {
      add_group(group);
    }
    if (!file.sitemaps.empty()) {
      separate();
    }
    for (const std::string& url : file.sitemaps) {
      add_value(directive_kind::sitemap, url);
    }
    return std::move(text_);
  }

 private:
  void add_group(const editable_file::group& group) {
    if (group.user_agents.empty()) {
      throw std::invalid_argument{"a group has no user agent: add one, or * for all crawlers"};
    }
    separate();
    for (const std::string& name : group.user_agents) {
      add_value(directive_kind::user_agent, name);
    }
    add_delay(group.crawl_delay);
    add_lines(group.lines);
    for (const editable_file::rule& rule : group.rules) {
      if (!may_match(rule.pattern)) {
        refuse(rule.pattern, "matches no path: begin it with / or *");
      }
      add(to_string(rule.kind == rule_kind::allow ? directive_kind::allow
                                                  : directive_kind::disallow),
          rule.pattern);
    }
    if (group.rules.empty()) {
      add(to_string(directive_kind::disallow), {});
    }
  }

  void add_value(directive_kind kind, std::string_view value) {
    if (value.empty()) {
      throw std::invalid_argument{"a " + std::string{to_string(kind)} +
                                  " is empty: give it a value or remove it"};
    }
    add(to_string(kind), value);
  }

  void add_delay(std::optional<std::chrono::milliseconds> delay) {
    if (!delay) {
      return;
    }
    if (delay->count() < 0 || *delay > longest_delay) {
      throw std::invalid_argument{"a crawl delay is " + std::to_string(delay->count()) +
                                  " ms: set it from 0 to longest_delay"};
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
    const std::size_t start = text_.size();
    text_.append(key).append(value.empty() ? ":" : ": ").append(value);
    if (text_.size() - start > max_line_bytes) {
      refuse(value.substr(0, 80), "begins a line of " + std::to_string(text_.size() - start) +
                                      " octets: shorten it, since " +
                                      std::to_string(max_line_bytes) + " are read");
    }
    text_ += '\n';
  }

  void separate() { text_ += text_.empty() ? "" : "\n"; }

  [[noreturn]] static void refuse(std::string_view value, std::string_view why) {
    throw std::invalid_argument{'"' + base::printable(value) + "\" " + std::string{why}};
  }

  std::string text_;
};

class editable_collector {
 public:
  explicit editable_collector(bool prepend_slash) noexcept : prepend_slash_{prepend_slash} {}

  void add(const directive& line) {
    switch (line.kind) {
      case directive_kind::user_agent:
        add_user_agent(line);
        break;
      case directive_kind::allow:
      case directive_kind::disallow:
        add_rule(line);
        break;
      case directive_kind::crawl_delay: {
        auto& delay = line.in_group ? parts_.back().crawl_delay : file_.crawl_delay;
        delay = delay ? delay : parse_delay(line.value);
        break;
      }
      case directive_kind::sitemap:
        if (!line.value.empty()) {
          file_.sitemaps.emplace_back(line.value);
        }
        break;
      default:
        add_other(line);
    }
  }

  [[nodiscard]] editable_file finish() && {
    end_group();
    return std::move(file_);
  }

 private:
  void add_user_agent(const directive& line) {
    if (line.starts_group) {
      end_group();
    }
    if (line.starts_run) {
      parts_.emplace_back();
    }
    if (!line.value.empty()) {
      parts_.back().user_agents.emplace_back(line.value);
    }
  }

  /// Host and Clean-param lines apply to the whole file.
  void add_other(const directive& line) {
    const bool is_for_group = is_for_crawler(line.kind) || line.kind == directive_kind::unknown;
    if (is_other_key(line.key)) {
      (line.in_group && is_for_group ? parts_.back().lines : file_.lines)
          .push_back({.key = std::string{line.key}, .value = std::string{line.value}});
    }
  }

  void add_rule(const directive& line) {
    std::string pattern{line.value};
    if (prepend_slash_ && !may_match(pattern)) {
      pattern.insert(0, 1, '/');
    }
    if (line.in_group && may_match(pattern)) {
      rules_.push_back(
          {.kind = line.kind == directive_kind::allow ? rule_kind::allow : rule_kind::disallow,
           .pattern = std::move(pattern)});
    }
  }

  /// Ends the current group. Copies the group's rules to each part of the group.
  void end_group() {
    for (editable_file::group& part : parts_) {
      if (part.user_agents.empty()) {
        continue;
      }
      constexpr std::size_t most_rules = 1'000'000;
      if (rules_.size() > most_rules - rule_count_) {
        throw std::length_error{"the groups of the document have more than " +
                                std::to_string(most_rules) +
                                " rules: write the user agents of each group without delays between"
                                " them"};
      }
      rule_count_ += rules_.size();
      part.rules = rules_;
      file_.groups.push_back(std::move(part));
    }
    parts_.clear();
    rules_.clear();
  }

  bool prepend_slash_;
  editable_file file_;
  std::vector<editable_file::group> parts_;  // the parts of the current group
  std::vector<editable_file::rule> rules_;   // the rules of the current group
  std::size_t rule_count_ = 0;
};

}  // namespace rep_detail

ROBOTS_INLINE std::string to_text(const editable_file& file) {
  return rep_detail::text_writer{}.write(file);
}

ROBOTS_INLINE editable_file to_editable(const document& file) {
  rep_detail::editable_collector collector{file.options().prepend_slash};
  for (const directive& line : file.directives()) {
    collector.add(line);
  }
  return std::move(collector).finish();
}

}  // namespace robots
