#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/usage/page_rules.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace robots {

namespace usage_detail {

/// Returns true if a rule for `addressee` is for the crawler with the names `tokens`. An empty
/// addressee is everyone. Names are compared whole, in any case, so that `Googlebot` is not
/// `Googlebot-Image`.
[[nodiscard]] ROBOTS_INLINE bool is_addressed_to(
    std::string_view addressee, std::span<const std::string_view> tokens) noexcept {
  return addressee.empty() ||
         std::any_of(tokens.begin(), tokens.end(), [&](std::string_view token) {
           return base::equal_ignoring_case(addressee, token);
         });
}

/// Returns true if a meta element named `name` holds rules for everyone.
[[nodiscard]] ROBOTS_INLINE bool is_robots_meta(std::string_view name) noexcept {
  return base::equal_ignoring_case(base::trim(name, base::is_space), "robots");
}

/// Returns true if a meta element named `name` holds rules for the crawler with the names `tokens`.
[[nodiscard]] ROBOTS_INLINE bool is_robots_meta_for(
    std::string_view name, std::span<const std::string_view> tokens) noexcept {
  const std::string_view trimmed = base::trim(name, base::is_space);
  const std::string_view product = trimmed.substr(0, trimmed.find('/'));
  return is_robots_meta(name) || (!product.empty() && is_addressed_to(product, tokens));
}

/// Returns the values of all headers `name` as one list (RFC 9110, section 5.3).
[[nodiscard]] ROBOTS_INLINE std::string joined_values(std::span<const http_header> headers,
                                                      std::string_view name) {
  std::string joined;
  for (const http_header& header : headers) {
    if (base::equal_ignoring_case(header.name, name)) {
      joined.append(joined.empty() ? "" : ", ").append(header.value);
    }
  }
  return joined;
}

/// Keeps the lower of two limits. -1 means no limit.
ROBOTS_INLINE void keep_lower_limit(std::optional<int>& limit, int stated) noexcept {
  if (!limit || *limit == -1) {
    limit = stated;
  } else if (stated != -1) {
    limit = (std::min)(*limit, stated);
  }
}

/// Returns `time` on the clock of the system, whose unit is finer on many systems. A time that this
/// clock cannot hold, such as one in the year 9999, becomes the nearest one that it can hold.
[[nodiscard]] ROBOTS_INLINE std::chrono::system_clock::time_point on_system_clock(
    std::chrono::sys_seconds time) noexcept {
  using std::chrono::seconds;
  using std::chrono::system_clock;
  constexpr auto earliest = std::chrono::ceil<seconds>((system_clock::time_point::min)());
  constexpr auto latest = std::chrono::floor<seconds>((system_clock::time_point::max)());
  return system_clock::time_point{std::clamp(time, earliest, latest)};
}

/// Applies one rule to `rules`.
ROBOTS_INLINE void apply(page_rules& rules, const page_rule& rule) noexcept {
  if (!rule.problem.empty()) {
    return;
  }
  switch (rule.kind) {
    case page_rule_kind::noindex:
      rules.index = false;
      break;
    case page_rule_kind::nofollow:
      rules.follow = false;
      break;
    case page_rule_kind::none:
      rules.index = false;
      rules.follow = false;
      break;
    case page_rule_kind::noarchive:
    case page_rule_kind::nocache:
      rules.archive = false;
      break;
    case page_rule_kind::nosnippet:
      rules.snippet = false;
      break;
    case page_rule_kind::notranslate:
      rules.translate = false;
      break;
    case page_rule_kind::noimageindex:
      rules.image_index = false;
      break;
    case page_rule_kind::indexifembedded:
      rules.indexifembedded = true;
      break;
    case page_rule_kind::max_snippet:
      keep_lower_limit(rules.max_snippet, *rule.number);
      if (*rule.number == 0) {
        rules.snippet = false;
      }
      break;
    case page_rule_kind::max_video_preview:
      keep_lower_limit(rules.max_video_preview, *rule.number);
      break;
    case page_rule_kind::max_image_preview:
      rules.max_image_preview =
          (std::min)(*rule.preview, rules.max_image_preview.value_or(image_preview::large));
      break;
    case page_rule_kind::unavailable_after: {
      const std::chrono::system_clock::time_point time = on_system_clock(*rule.time);
      rules.unavailable_after = (std::min)(time, rules.unavailable_after.value_or(time));
      break;
    }
    case page_rule_kind::permissive:
    case page_rule_kind::unknown:
      break;
  }
}

}  // namespace usage_detail

ROBOTS_INLINE page_rules read_page_rules(std::span<const http_header> headers,
                                         std::span<const meta_element> meta,
                                         std::span<const std::string_view> tokens) {
  page_rules rules;
  const auto apply_all = [&](const std::vector<page_rule>& stated) {
    for (const page_rule& rule : stated) {
      if (usage_detail::is_addressed_to(rule.addressee, tokens)) {
        usage_detail::apply(rules, rule);
      }
    }
  };
  for (const http_header& header : headers) {
    if (base::equal_ignoring_case(header.name, "X-Robots-Tag")) {
      apply_all(parse_x_robots_tag(header.value));
    }
  }
  const std::string robots_tag = usage_detail::joined_values(headers, "Robots-Tag");
  apply_all(parse_robots_tag(robots_tag));
  for (const meta_element& element : meta) {
    if (usage_detail::is_robots_meta_for(element.name, tokens)) {
      apply_all(parse_robots_meta(element.content));
    }
  }
  if (rules.index) {
    rules.indexifembedded = false;  // it only qualifies noindex
  }
  return rules;
}

ROBOTS_INLINE page_rules read_page_rules(std::span<const http_header> headers,
                                         std::span<const meta_element> meta,
                                         std::string_view user_agent) {
  const std::string_view token = product_token(user_agent);
  const bool is_named = !token.empty() && token != "*";
  return read_page_rules(headers, meta, std::span{&token, is_named ? std::size_t{1} : 0});
}

}  // namespace robots
