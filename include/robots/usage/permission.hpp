#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/usage/page_rule.hpp>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// A place in which a site can say how a page may be used.
enum class statement_place : std::uint8_t { robots_txt, headers, meta, tdmrep };

/// Returns the name of the place for people.
[[nodiscard]] constexpr std::string_view to_string(statement_place place) noexcept {
  return base::enum_text<statement_place::tdmrep>(
      place, {"robots.txt", "headers", "meta elements", "tdmrep.json"});
}

/// The kinds of statements. Which purposes each kind answers is the table in the guide "What may I
/// do with the page?".
enum class statement_kind : std::uint8_t {
  robots_rule,     ///< the verdict of the robots.txt
  policy_token,    ///< the verdict of a group that names a policy token, such as Google-Extended
  page_rule,       ///< `X-Robots-Tag`, `Robots-Tag` and robots meta elements
  content_signal,  ///< Content-Signal lines and headers
  content_usage,   ///< Content-Usage lines and headers
  tdm,             ///< TDMRep: tdmrep.json, headers and meta elements
  license,         ///< License lines and `Link` headers
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(statement_kind kind) noexcept {
  return base::enum_text<statement_kind::license>(
      kind, {"robots_rule", "policy_token", "page_rule", "content_signal", "content_usage", "tdm",
             "license"});
}

/// One thing that a site says about a page.
struct page_statement {
  statement_kind kind = statement_kind::robots_rule;    ///< the vocabulary of the statement
  statement_place place = statement_place::robots_txt;  ///< where it stands
  std::string name{};       ///< the key, header or element, such as `Content-Signal`
  std::string text{};       ///< the statement as written, such as `ai-train=no`
  std::string addressee{};  ///< a product token, or `*`
  /// In a robots.txt, the line; else the number of the header, element or entry. 1-based; 0 if the
  /// statement has no number.
  std::uint32_t position = 0;
  std::string label{};            ///< what the statement speaks of, such as `noindex` or `ai-train`
  std::optional<bool> permits{};  ///< yes or no, for statements that have such a value
  page_rule_kind rule = page_rule_kind::unknown;   ///< of a `page_rule`
  std::optional<std::chrono::sys_seconds> time{};  ///< of `unavailable_after`
  std::optional<std::string> terms{};              ///< the URL of a licence or of a TDM policy
  /// True if the statement speaks to this crawler about this page, and no other one replaces it.
  bool applies = false;
  std::string_view problem{};  ///< why the statement says nothing; empty if it says something
};

/// The meaning of all statements together for one purpose.
enum class permission_answer : std::uint8_t {
  yes,       ///< a statement permits it, and none forbids it
  no,        ///< a statement forbids it
  on_terms,  ///< a licence or a policy says on which terms it is permitted
  unstated,  ///< nobody said anything about it
  unread,    ///< nobody forbade it, but a place that could forbid it was not read
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(permission_answer answer) noexcept {
  return base::enum_text<permission_answer::unread>(
      answer, {"yes", "no", "on_terms", "unstated", "unread"});
}

/// The answer for one page and one purpose. There is no conversion to `bool`: say what `on_terms`,
/// `unstated` and `unread` mean for your crawler.
struct permission {
  permission_answer answer = permission_answer::unread;  ///< the meaning of all statements
  std::string purpose{};                   ///< the purpose, or the label that was asked for
  std::optional<page_statement> reason{};  ///< the statement that decided
  std::vector<std::string> licenses{};     ///< the licences that can be had, even after a `no`
  std::vector<statement_place> unread{};   ///< the places that could forbid it and were not read

  /// Returns true if the answer is `yes`, or is in `also`: `train.is_permitted({unstated})`.
  [[nodiscard]] bool is_permitted(std::initializer_list<permission_answer> also) const noexcept {
    bool permitted = answer == permission_answer::yes;
    for (const permission_answer other : also) {
      permitted = permitted || answer == other;
    }
    return permitted;
  }
};

/// Returns the statement in one line: `Content-Signal "ai-train=no", line 4, for *`.
[[nodiscard]] std::string explain(const page_statement& statement);

/// Returns the answer and its reason in one line: `no: Content-Signal "ai-train=no", line 4, for
/// *`.
[[nodiscard]] std::string explain(const permission& answer);

/// Writes a statement as JSON, in one line of printable ASCII:
///
///     {"kind":"content_signal","place":"robots.txt","name":"Content-Signal",
///      "text":"ai-train=no","addressee":"*","position":4,"terms":null,"applies":true,"problem":""}
///
/// Texts are escaped as in the JSON of a document.
[[nodiscard]] std::string to_json(const page_statement& statement);

/// Writes an answer as JSON: `purpose`, `answer`, `reason` (a statement or null), `licenses` and
/// `unread`.
[[nodiscard]] std::string to_json(const permission& answer);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/permission.bodies.hpp>
#endif
