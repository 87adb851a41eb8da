#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/usage/detail/robots_statements.hpp>
#include <robots/usage/license_link.hpp>
#include <robots/usage/usage_lines.hpp>
#include <robots/usage/usage_statements.hpp>

#include <algorithm>

namespace robots {

namespace usage_detail {

/// Returns the more restrictive of two preferences: no, yes, nothing
/// (draft-ietf-aipref-vocab-08, section 5.1).
[[nodiscard]] ROBOTS_INLINE std::optional<bool> stricter(std::optional<bool> first,
                                                         std::optional<bool> second) noexcept {
  if (!first || !second) {
    return first ? first : second;
  }
  return *first && *second;
}

/// The value of one signal, from the lines with the longest path that set it.
template <class Value>
struct longest_signal {
  std::uint32_t specificity = 0;
  std::optional<Value> value{};

  /// `Value` is ordered from the most restrictive value on: `false` before `true`.
  void offer(std::uint32_t size, const std::optional<Value>& stated) noexcept {
    if (!stated || (value && size < specificity)) {
      return;
    }
    value = value && size == specificity ? (std::min)(*value, *stated) : *stated;
    specificity = size;
  }
};

/// Replaces the reservation of earlier places, and the policy, by those of a later place.
ROBOTS_INLINE void apply_tdm(tdm_reservation& tdm, std::optional<bool> reserved,
                             std::optional<std::string_view> policy) {
  if (reserved) {
    tdm.reserved = reserved;
    tdm.entry = 0;
  }
  if (policy) {
    tdm.policy = *policy;
  }
}

/// The reservation of one place: of the headers or of the meta elements. If a place repeats itself,
/// the rights are reserved if one statement says so.
struct tdm_place {
  std::optional<bool> reserved{};
  std::optional<std::string_view> policy{};

  void read(std::string_view name, std::string_view value) noexcept {
    const std::string_view trimmed = base::trim(name, base::is_space);
    if (base::equal_ignoring_case(trimmed, "tdm-reservation")) {
      if (const std::optional<bool> stated = parse_tdm_reservation(value)) {
        reserved = reserved.value_or(false) || *stated;
      }
    } else if (base::equal_ignoring_case(trimmed, "tdm-policy") && !policy) {
      const std::string_view url = base::trim(value, base::is_space);
      if (!url.empty()) {
        policy = url;
      }
    }
  }
};

}  // namespace usage_detail

ROBOTS_INLINE std::optional<bool> usage_statements::preference(
    std::string_view label) const noexcept {
  if (is_undecided_) {
    return false;
  }
  usage_detail::longest_signal<bool> in_robots;
  for (const scoped_signal& signal : signals_) {
    in_robots.offer(signal.specificity,
                    content_signal{.statement = signal.statement}.preference(label));
  }
  std::optional<bool> result = in_robots.value;
  for (const std::string& statement : header_signals_) {
    result = usage_detail::stricter(result, content_signal::parse(statement).preference(label));
  }
  for (const std::string& dictionary : usages_) {
    result = usage_detail::stricter(result, usage_preference(dictionary, label));
  }
  return result;
}

ROBOTS_INLINE usage_statements read_usage(const usage_sources& sources, std::string_view url,
                                          std::string_view user_agent) {
  usage_statements result;
  const document file = parse(sources.robots);
  const rule_set rules = file.rules_for(user_agent);
  const usage_lines lines = usage_lines_of(file, rules, {});
  const usage_detail::robots_statements found = rules.allows(url)
                                                    ? usage_detail::statements_for(lines, url)
                                                    : usage_detail::robots_statements{};
  result.is_undecided_ = found.is_undecided;
  usage_detail::longest_signal<content_use> use;
  for (const auto& [signal, specificity] : found.signals) {
    result.signals_.push_back({std::string{signal.statement}, specificity});
    use.offer(specificity, signal.use);
  }
  result.use_ = use.value;
  for (const auto& [usage, specificity] : found.usages) {
    if (specificity == found.longest_usage()) {
      result.usages_.emplace_back(usage.statement);
    }
  }
  for (const usage_lines::line& line : lines.lines) {
    if (line.kind == directive_kind::license) {
      result.licenses_.push_back(line.value);
    }
  }

  usage_detail::tdm_place in_headers;
  for (const http_header& header : sources.headers) {
    in_headers.read(header.name, header.value);
    if (base::equal_ignoring_case(header.name, "Content-Signal")) {
      const content_signal signal = content_signal::parse(header.value);
      result.header_signals_.push_back(header.value);
      if (signal.use) {
        result.use_ = (std::min)(*signal.use, result.use_.value_or(content_use::full));
      }
    } else if (base::equal_ignoring_case(header.name, "Link")) {
      for (const std::string_view license : parse_license_links(header.value)) {
        result.licenses_.emplace_back(license);
      }
    }
  }
  const std::string header_usage = usage_detail::joined_values(sources.headers, "Content-Usage");
  if (!header_usage.empty()) {
    result.usages_.push_back(header_usage);
  }

  usage_detail::tdm_place in_meta;
  for (const meta_element& element : sources.meta) {
    in_meta.read(element.name, element.content);
  }
  result.tdm_ = sources.tdmrep.empty() ? tdm_reservation{} : read_tdmrep(sources.tdmrep, url);
  usage_detail::apply_tdm(result.tdm_, in_headers.reserved, in_headers.policy);
  usage_detail::apply_tdm(result.tdm_, in_meta.reserved, in_meta.policy);
  return result;
}

}  // namespace robots
