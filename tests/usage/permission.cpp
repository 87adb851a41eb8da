#include <robots/usage/permission.hpp>

#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using robots::page_statement;
using robots::permission;
using robots::permission_answer;
using robots::statement_kind;
using robots::statement_place;

static_assert(!std::is_convertible_v<permission, bool>);
static_assert(!std::is_constructible_v<bool, permission>, "the caller decides about the rest");

TEST_CASE("A caller names which answers permit, besides yes") {
  permission answer{.answer = permission_answer::yes};
  CHECK(answer.is_permitted({}));
  answer.answer = permission_answer::unstated;
  CHECK_FALSE(answer.is_permitted({}));
  CHECK(answer.is_permitted({permission_answer::unstated}));
  answer.answer = permission_answer::no;
  CHECK_FALSE(answer.is_permitted({permission_answer::unstated, permission_answer::on_terms}));
}

TEST_CASE("A statement is explained by its name, text, place and addressee") {
  page_statement statement{.kind = statement_kind::content_signal,
                           .name = "Content-Signal",
                           .text = "ai-train=no",
                           .addressee = "*",
                           .position = 4};
  CHECK(explain(statement) == "Content-Signal \"ai-train=no\", line 4, for *");
  statement.place = statement_place::headers;
  statement.problem = "unknown rule";
  CHECK(explain(statement) == "Content-Signal \"ai-train=no\", header 4, for * (unknown rule)");
}

TEST_CASE("An answer is explained by its reason") {
  permission answer{.answer = permission_answer::no,
                    .purpose = "ai_train",
                    .reason = page_statement{.kind = statement_kind::content_signal,
                                             .name = "Content-Signal",
                                             .text = "ai-train=no",
                                             .addressee = "*",
                                             .position = 4}};
  CHECK(explain(answer) == "no: Content-Signal \"ai-train=no\", line 4, for *");
  answer.licenses = {"https://e/l.xml"};
  CHECK(explain(answer) ==
        "no: Content-Signal \"ai-train=no\", line 4, for *; licences: https://e/l.xml");
}

TEST_CASE("An answer without a reason says what is missing") {
  CHECK(explain(permission{.answer = permission_answer::unstated, .purpose = "follow"}) ==
        "unstated: no statement about follow");
  CHECK(explain(permission{.answer = permission_answer::unread,
                           .unread = {statement_place::headers, statement_place::meta}}) ==
        "unread: not read: headers, meta elements");
}

TEST_CASE("Octets of the web cannot break the line of an explanation") {
  CHECK(
      explain(page_statement{.kind = statement_kind::page_rule, .name = "a\nb", .text = "\x1B["}) ==
      "a\\x0Ab \"\\x1B[\"");
}

TEST_CASE("A permission is written as JSON, with the statement that decided") {
  robots::page_statements page{
      robots::parse("License: https://e.example/l.xml\nUser-agent: *\nContent-Signal: a=no\n"),
      "/a", "FooBot"};
  const std::chrono::sys_days day{std::chrono::year{2026} / 11 / 28};
  CHECK(to_json(page.may("a", day)) ==
        R"({"purpose":"a","answer":"no","reason":{"kind":"content_signal","place":"robots.txt",)"
        R"("name":"Content-Signal","text":"a=no","addressee":"*","position":3,"terms":null,)"
        R"("applies":true,"problem":""},"licenses":[],"unread":["headers"]})");
  CHECK(to_json(page.may(robots::purpose::index, day)) ==
        R"({"purpose":"index","answer":"unread","reason":null,"licenses":[],)"
        R"("unread":["headers","meta elements"]})");
  page.link("nofollow License", "application/RSL+xml; charset=utf-8", " https://e.example/m.xml ");
  page.link("license", "text/html", "https://e.example/n.xml");
  page.link("license", "application/rsl+xml", "/o.xml");
  CHECK(page.may(robots::purpose::tdm, day).licenses ==
        std::vector<std::string>{"https://e.example/l.xml", "https://e.example/m.xml"});
}

}  // namespace
