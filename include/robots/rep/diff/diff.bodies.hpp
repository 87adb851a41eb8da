#pragma once

#include <robots/base/decimal.hpp>
#include <robots/rep/diff/detail/rule_comparison.hpp>
#include <robots/rep/diff/diff.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/clean_param.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/read/visit_time.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace robots::detail {

ROBOTS_INLINE std::string value_of(const visit_time& hours) {
  const auto hhmm = [](std::chrono::minutes time) {
    return std::to_string(10'000 + time.count() / 60 * 100 + time.count() % 60).substr(1);
  };
  return hhmm(hours.from) + '-' + hhmm(hours.to);
}

ROBOTS_INLINE std::string value_of(const request_rate& rate) {
  std::string text = std::to_string(rate.requests) + '/';
  base::append_seconds(text, rate.per);
  return rate.window ? text + ' ' + value_of(*rate.window) : text;
}

ROBOTS_INLINE std::vector<stated_line> stated_delays(
    const std::optional<std::chrono::milliseconds>& own,
    const std::optional<std::chrono::milliseconds>& of_file) {
  std::vector<stated_line> lines;
  const auto add = [&](std::optional<std::chrono::milliseconds> delay, std::string_view scope) {
    if (delay) {
      std::string value;
      base::append_seconds(value, *delay);
      lines.push_back({directive_kind::crawl_delay, value.append(scope)});
    }
  };
  add(own, "");
  add(of_file, " for everyone");
  return lines;
}

ROBOTS_INLINE change_report diff(const rule_set& before, std::vector<stated_line> stated_before,
                                 const rule_set& after, std::vector<stated_line> stated_after) {
  change_report result = rep_detail::rule_comparison{before, after}.run();
  for (std::vector<stated_line>* const lines : {&stated_before, &stated_after}) {
    std::sort(lines->begin(), lines->end());
    lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
  }
  auto old_line = stated_before.begin();
  auto new_line = stated_after.begin();
  while (old_line != stated_before.end() || new_line != stated_after.end()) {
    if (new_line == stated_after.end() ||
        (old_line != stated_before.end() && *old_line < *new_line)) {
      result.lines.push_back({.kind = old_line->kind, .before = std::move(old_line->value)});
      ++old_line;
    } else if (old_line == stated_before.end() || *new_line < *old_line) {
      result.lines.push_back({.kind = new_line->kind, .after = std::move(new_line->value)});
      ++new_line;
    } else {
      ++result.unchanged;
      ++old_line;
      ++new_line;
    }
  }
  // If exactly one line of a kind was removed and exactly one added, the two become one change.
  for (std::size_t i = 0; i + 1 < result.lines.size(); ++i) {
    change_report::line_change& first = result.lines[i];
    change_report::line_change& second = result.lines[i + 1];
    const bool is_pair = first.kind == second.kind &&
                         first.before.has_value() != second.before.has_value() &&
                         (i == 0 || result.lines[i - 1].kind != first.kind) &&
                         (i + 2 == result.lines.size() || result.lines[i + 2].kind != first.kind);
    if (is_pair) {
      std::optional<std::string>& missing = first.before ? first.after : first.before;
      missing = first.before ? std::move(second.after) : std::move(second.before);
      result.lines.erase(result.lines.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }
  return result;
}

}  // namespace robots::detail

namespace robots {

namespace rep_detail {

[[nodiscard]] inline std::string scoped(std::string_view path, std::string_view statement) {
  return path.empty() ? std::string{statement} : std::string{path}.append(1, ' ').append(statement);
}

/// Returns the value of `line` in a uniform spelling, or an empty text if the value is unreadable.
[[nodiscard]] inline std::string line_value(const directive& line) {
  switch (line.kind) {
    case directive_kind::request_rate: {
      const auto rate = request_rate::parse(line.value);
      return rate ? detail::value_of(*rate) : "";
    }
    case directive_kind::visit_time: {
      const auto hours = visit_time::parse(line.value);
      return hours ? detail::value_of(*hours) : "";
    }
    case directive_kind::content_signal: {
      const content_signal signal = content_signal::parse(line.value);
      std::string statement;
      const auto add = [&](std::string_view name, std::optional<bool> value) {
        if (value) {
          statement += statement.empty() ? "" : ", ";
          statement.append(name).append(*value ? "=yes" : "=no");
        }
      };
      add("search", signal.search);
      add("ai-input", signal.ai_input);
      add("ai-train", signal.ai_train);
      if (signal.use) {
        statement.append(statement.empty() ? "use=" : ", use=").append(to_string(*signal.use));
      }
      // Signals that are not known are compared as written.
      std::string_view rest = signal.statement;
      while (const auto member = take_signal(rest)) {
        if (!is_known_signal(member->name)) {
          statement.append(statement.empty() ? "" : ", ").append(member->text);
        }
      }
      return statement.empty() ? "" : scoped(signal.path, statement);
    }
    case directive_kind::content_usage: {
      const content_usage usage = content_usage::parse(line.value);
      return scoped(usage.path, usage.statement);
    }
    case directive_kind::clean_param: {
      auto read = clean_param::parse(line.value);
      if (!read) {
        return "";
      }
      std::sort(read->parameters.begin(), read->parameters.end());
      std::string value;
      for (const std::string_view name : read->parameters) {
        value.append(value.empty() ? "" : "&").append(name);
      }
      return value.append(read->path.empty() ? "" : " ").append(read->path);
    }
    default:
      return std::string{line.value};
  }
}

/// Returns all lines for `user_agent` except rules.
[[nodiscard]] inline std::vector<detail::stated_line> stated_lines(const document& file,
                                                                   std::string_view user_agent) {
  std::vector<detail::stated_line> lines =
      detail::stated_delays(file.crawl_delay(user_agent), file.file_delay());
  const auto add = [&](directive_kind kind, std::string value) {
    if (!value.empty()) {
      lines.push_back({kind, std::move(value)});
    }
  };
  for (const directive& line : file.directives_for(user_agent)) {
    if (is_for_crawler(line.kind) && line.kind != directive_kind::crawl_delay) {
      add(line.kind, line_value(line));
    }
  }
  for (const directive& line : file.directives()) {
    if (line.kind == directive_kind::clean_param || line.kind == directive_kind::sitemap) {
      add(line.kind, line_value(line));
    }
  }
  add(directive_kind::host, std::string{file.host().value_or("")});
  return lines;
}

}  // namespace rep_detail

ROBOTS_INLINE change_report diff(std::string_view before, std::string_view after,
                                 std::string_view user_agent, const parse_options& options) {
  const document old_file = parse(before, options);
  const document new_file = parse(after, options);
  return detail::diff(
      old_file.rules_for(user_agent), rep_detail::stated_lines(old_file, user_agent),
      new_file.rules_for(user_agent), rep_detail::stated_lines(new_file, user_agent));
}

}  // namespace robots
