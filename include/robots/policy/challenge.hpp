#pragma once

#include <robots/base/ascii.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/foreign_content.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A bot wall answers every request of a crawler with a puzzle for browsers, often with a status of
/// 2xx. Such a response says nothing about the rules of the site, and must not replace them:
///
///     2xx response --> challenge_in --> no sign: the response has the file
///                                   --> a sign:  outcome::challenged, a failure; the last good
///                                                copy stays in force, else the fallback decides
namespace robots::policy_detail {

/// Headers by which walls mark their responses: AWS WAF and Cloudflare, in this order.
inline constexpr std::array<std::string_view, 2> challenge_headers{"x-amzn-waf-action",
                                                                   "cf-mitigated"};

/// Returns true for a status of 2xx without the content that was asked for. 202 says that the
/// content will come later (RFC 9110, section 15.3.3). 205 has no content.
[[nodiscard]] constexpr bool lacks_content(int status) noexcept {
  return status == 202 || status == 205;
}

/// Returns true if a header says that the response is the challenge of a wall.
[[nodiscard]] inline bool has_challenge_header(const std::vector<http_header>& headers) {
  return std::any_of(
      challenge_headers.begin(), challenge_headers.end(),
      [&](std::string_view name) { return detail::find_header(headers, name).has_value(); });
}

/// Returns true if the status or a header of a response is a sign of a wall.
[[nodiscard]] inline bool has_sign_of_wall(int status, const std::vector<http_header>& headers) {
  return lacks_content(status) || has_challenge_header(headers);
}

/// The kinds of lines in a text that a robots.txt has and other content has not.
struct robots_lines {
  void on_directive(const directive& line) {
    names_crawler = names_crawler || line.kind == directive_kind::user_agent;
    any = any || line.kind != directive_kind::unknown;
  }

  bool names_crawler = false;
  bool any = false;
};

[[nodiscard]] inline robots_lines lines_in(std::string_view text, const parse_options& options) {
  robots_lines lines;
  static_cast<void>(scan(text, lines, options));
  return lines;
}

/// If the response in `answer` is a challenge and not a robots.txt, returns what was seen, such as
/// `a bot wall: x-amzn-waf-action: challenge`. Otherwise, returns an empty text. `last` is the
/// policy before this answer, or null. `options` are those with which the cache parses files. A
/// response with rules is never a challenge.
///
/// A shared record has no headers. So a challenge that only a header shows is found only where the
/// response arrives.
[[nodiscard]] inline std::string challenge_in(const record& answer,
                                              const std::shared_ptr<const policy>& last,
                                              const parse_options& options) {
  if (answer.outcome != outcome::success || answer.not_modified) {
    return {};
  }
  const std::optional<std::string> converted = to_utf8(
      answer.body,
      answer.charset == detail::charset::utf_8 ? detail::charset_of(answer.body) : answer.charset);
  const std::string_view text = converted ? std::string_view{*converted} : answer.body;
  for (const std::string_view name : challenge_headers) {
    const auto value = detail::find_header(answer.headers, name);
    if (value && !lines_in(text, options).any) {
      constexpr std::size_t most_shown = 80;
      return "a bot wall: " + std::string{name} + ": " + std::string{value->substr(0, most_shown)};
    }
  }
  if (lacks_content(answer.status) && !lines_in(text, options).any) {
    return "a bot wall: no line of a robots.txt in a response with this status";
  }
  const rep_detail::foreign_content kind = rep_detail::find_foreign_content(text);
  if (kind == rep_detail::foreign_content::none) {
    return {};
  }
  const auto good = policy::good_copy(last);
  const bool had_file = good != nullptr && good->outcome() == outcome::success;
  if (!had_file || lines_in(text, options).names_crawler) {
    return {};
  }
  return kind == rep_detail::foreign_content::markup
             ? "a bot wall: HTML or XML where there was a robots.txt"
             : "a bot wall: JSON or octets that are no text where there was a robots.txt";
}

}  // namespace robots::policy_detail
