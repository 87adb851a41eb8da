#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/scheme.hpp>
#include <robots/usage/license_link.hpp>

#include <algorithm>
#include <cstddef>

namespace robots {

namespace usage_detail {

/// Returns the length of `text` before the first `end` that stands outside quotes and outside
/// `<...>`.
[[nodiscard]] ROBOTS_INLINE std::size_t length_before(std::string_view text, char end) noexcept {
  bool is_quoted = false;
  bool is_url = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '\\') {
      ++i;
    } else if (c == '"' && !is_url) {
      is_quoted = !is_quoted;
    } else if (c == '<' && !is_quoted) {
      is_url = true;
    } else if (c == '>' && !is_quoted) {
      is_url = false;
    } else if (c == end && !is_quoted && !is_url) {
      return i;
    }
  }
  return text.size();
}

/// Takes the part of `rest` before `end`, and `end`.
[[nodiscard]] ROBOTS_INLINE std::string_view take_part(std::string_view& rest, char end) noexcept {
  const std::string_view part = rest.substr(0, length_before(rest, end));
  rest.remove_prefix((std::min)(part.size() + 1, rest.size()));
  return base::trim(part, base::is_space);
}

/// Returns true if `value`, without quotes, has the word `wanted` among its words.
[[nodiscard]] ROBOTS_INLINE bool has_word(std::string_view value,
                                          std::string_view wanted) noexcept {
  const auto is_end = [](char c) { return base::is_space(c) || c == '"'; };
  while (!value.empty()) {
    const auto end = std::find_if(value.begin(), value.end(), is_end);
    const std::string_view word{value.begin(), end};
    if (base::equal_ignoring_case(word, wanted)) {
      return true;
    }
    value.remove_prefix((std::min)(word.size() + 1, value.size()));
  }
  return false;
}

/// Returns true if the parameters of a link say that it names a licence in RSL, of this page. Only
/// the first `rel` and the first `type` count (RFC 8288, section 3.3).
[[nodiscard]] ROBOTS_INLINE bool is_license_link(std::string_view parameters) noexcept {
  bool has_rel = false;
  bool has_type = false;
  bool is_license = false;
  bool is_rsl = false;
  while (!parameters.empty()) {
    const std::string_view parameter = take_part(parameters, ';');
    const std::size_t equals = (std::min)(parameter.find('='), parameter.size());
    const std::string_view name = base::trim(parameter.substr(0, equals), base::is_space);
    const std::string_view value = parameter.substr((std::min)(equals + 1, parameter.size()));
    if (base::equal_ignoring_case(name, "anchor")) {
      return false;
    }
    if (base::equal_ignoring_case(name, "rel") && !has_rel) {
      has_rel = true;
      is_license = has_word(value, "license");
    } else if (base::equal_ignoring_case(name, "type") && !has_type) {
      has_type = true;
      is_rsl = has_word(value, "application/rsl+xml");
    }
  }
  return is_license && is_rsl;
}

}  // namespace usage_detail

ROBOTS_INLINE bool is_license_link(std::string_view rel, std::string_view type) noexcept {
  const std::string_view name = type.substr(0, type.find(';'));
  return usage_detail::has_word(rel, "license") &&
         base::equal_ignoring_case(base::trim(name, base::is_space), "application/rsl+xml");
}

ROBOTS_INLINE std::vector<std::string_view> parse_license_links(std::string_view value) {
  std::vector<std::string_view> urls;
  while (!value.empty()) {
    std::string_view link = usage_detail::take_part(value, ',');
    const std::size_t end = link.find('>');
    if (!link.starts_with('<') || end == std::string_view::npos) {
      continue;
    }
    const std::string_view url = base::trim(link.substr(1, end - 1), base::is_space);
    link.remove_prefix(end + 1);
    static_cast<void>(
        usage_detail::take_part(link, ';'));  // only blanks stand before the first `;`
    if (base::scheme_prefix(url) != 0 && usage_detail::is_license_link(link)) {
      urls.push_back(url);
    }
  }
  return urls;
}

ROBOTS_INLINE licence_demand_result licence_demand(int status,
                                                   std::span<const http_header> headers) {
  licence_demand_result result;
  if (status != 401 && status != 402) {
    return result;
  }
  for (const http_header& header : headers) {
    const std::string_view value = base::trim(header.value, base::is_space);
    const auto scheme_end = std::find_if(value.begin(), value.end(), base::is_space);
    if (base::equal_ignoring_case(header.name, "WWW-Authenticate") &&
        base::equal_ignoring_case({value.begin(), scheme_end}, "License")) {
      result.need = status == 401 ? licence_need::token : licence_need::payment;
      result.challenge = value;
    }
  }
  if (!result) {
    return result;
  }
  for (const http_header& header : headers) {
    if (base::equal_ignoring_case(header.name, "Link")) {
      for (const std::string_view url : parse_license_links(header.value)) {
        result.licenses.emplace_back(url);
      }
    }
  }
  return result;
}

}  // namespace robots
