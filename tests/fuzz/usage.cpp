#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>
#include <robots/usage/usage_lines.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace {

using fuzz::require;
using robots::page_statements;
using robots::permission;
using robots::permission_answer;
using robots::purpose;

constexpr std::chrono::sys_days asked_at{std::chrono::year{2026} / 11 / 28};

/// Returns a number that is higher for an answer that restricts more.
int strictness(permission_answer answer) {
  switch (answer) {
    case permission_answer::no:
      return 3;
    case permission_answer::on_terms:
      return 2;
    case permission_answer::yes:
      return 1;
    default:
      return 0;
  }
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void check_answer(const page_statements& page, const permission& answer) {
  require(is_printable(explain(answer)) && is_printable(to_json(answer)),
          "an answer is explained in printable ASCII");
  if (answer.reason) {
    require(answer.reason->problem.empty() ||
                answer.reason->kind == robots::statement_kind::robots_rule,
            "a statement that says nothing decides nothing");
  }
  require(answer.answer != permission_answer::unread || !page.is_read(answer.unread.front()),
          "an unread answer names a place that was not read");
}

}  // namespace

void fuzz::fuzz_usage(octets input) {
  reader in{input};
  const unsigned options = in.octet();
  const std::string header = in.line();
  const std::string value = in.line();
  const std::string meta = in.line();
  const std::string content = in.line();
  const std::string tdmrep = in.line();
  const std::string text = in.rest();
  const robots::crawler_names names{"FooBot", {"Google-Extended", purpose::ai_train}};

  const robots::document file = robots::parse(text);
  const robots::rule_set rules = file.rules_for(names);
  require(robots::usage_lines_of(file, rules, names.policy_tokens()) ==
                  robots::usage_lines_of(text, robots::directives_for(text, names),
                                         names.policy_tokens()) ||
              robots::usage_lines_of(file, rules, names.policy_tokens()).empty(),
          "a document and its text have the same lines about use");

  page_statements page{file, "/a", names};
  require(
      (page.may(purpose::fetch, asked_at).answer == permission_answer::yes) == rules.allows("/a"),
      "a page may be fetched exactly if the rules allow it");
  page.header(header, value);
  page.meta(meta, content);
  page.link(value, content, meta);
  if ((options & 1U) != 0) {
    page.tdmrep(tdmrep);
  } else {
    page.mark_read(robots::statement_place::tdmrep);
  }

  page_statements stricter = page;
  stricter.header("X-Robots-Tag", "none, noarchive, nosnippet");
  stricter.header("Content-Signal", "search=no, ai-input=no, ai-train=no");
  for (int i = 0; i <= static_cast<int>(purpose::tdm); ++i) {
    const auto wanted = static_cast<purpose>(i);
    const permission answer = page.may(wanted, asked_at);
    check_answer(page, answer);
    require(strictness(stricter.may(wanted, asked_at).answer) >= strictness(answer.answer),
            "a further restriction loosens no answer");
  }
  require(stricter.may(purpose::ai_train, asked_at).answer == permission_answer::no &&
              stricter.may(purpose::index, asked_at).answer != permission_answer::yes,
          "a restriction holds, whatever else a page says");
  check_answer(page, page.may(content, asked_at));
  for (const robots::page_statement& statement : page.all()) {
    require(is_printable(explain(statement)), "a statement is explained in printable ASCII");
    require(!statement.applies || statement.problem.empty(),
            "a statement with a problem does not apply");
  }
}
