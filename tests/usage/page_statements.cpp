#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::crawler_names;
using robots::page_statement;
using robots::page_statements;
using robots::permission;
using robots::permission_answer;
using robots::purpose;
using robots::statement_place;

constexpr std::string_view foo_bot{"FooBot"};
constexpr std::chrono::sys_days today{std::chrono::year{2026} / 11 / 28};

constexpr std::array every_purpose{purpose::fetch,       purpose::follow,  purpose::index,
                                   purpose::snippet,     purpose::archive, purpose::translate,
                                   purpose::image_index, purpose::search,  purpose::ai_input,
                                   purpose::ai_train,    purpose::tdm};

/// The statements of a page whose places were all read.
page_statements read_page(std::string_view robots, std::string_view url = "/a",
                          const crawler_names& names = foo_bot) {
  page_statements page{robots::parse(robots), url, names};
  page.mark_read(statement_place::headers);
  page.mark_read(statement_place::meta);
  page.mark_read(statement_place::tdmrep);
  return page;
}

permission_answer answer_of(const page_statements& page, purpose wanted) {
  return page.may(wanted, today).answer;
}

/// Lists the purposes with an answer, such as `index search`.
std::string purposes_with(const page_statements& page, permission_answer answer) {
  std::string names;
  for (const purpose wanted : every_purpose) {
    if (answer_of(page, wanted) == answer) {
      names.append(names.empty() ? "" : " ").append(to_string(wanted));
    }
  }
  return names;
}

std::string denied(const page_statements& page) {
  return purposes_with(page, permission_answer::no);
}

TEST_CASE("A page about which nobody says anything may be fetched, and the rest is unstated") {
  const page_statements page = read_page("");
  CHECK(purposes_with(page, permission_answer::yes) == "fetch");
  CHECK(purposes_with(page, permission_answer::unstated) ==
        "follow index snippet archive translate image_index search ai_input ai_train tdm");
}

TEST_CASE("Each statement answers the purposes of its row, and no others") {
  const auto denied_by_rule = [](std::string_view rule) {
    page_statements page = read_page("");
    page.header("X-Robots-Tag", rule);
    return denied(page);
  };
  CHECK(denied_by_rule("noindex") == "index search");
  CHECK(denied_by_rule("nofollow") == "follow");
  CHECK(denied_by_rule("none") == "follow index search");
  CHECK(denied_by_rule("nosnippet") == "snippet");
  CHECK(denied_by_rule("max-snippet:0") == "snippet");
  CHECK(denied_by_rule("max-snippet:1").empty());
  CHECK(denied_by_rule("noarchive") == "archive");
  CHECK(denied_by_rule("nocache") == "archive");
  CHECK(denied_by_rule("noimageindex") == "image_index");
  CHECK(denied_by_rule("notranslate") == "translate");
  CHECK(denied_by_rule("unavailable_after: 2026-11-28") == "index search");
  CHECK(denied_by_rule("unavailable_after: 2026-11-29").empty());
  CHECK(denied_by_rule("noai, indexifembedded").empty());
  CHECK(denied_by_rule("BarBot: noindex").empty());

  const auto denied_by_line = [](std::string_view line) {
    return denied(read_page(std::string{"User-agent: *\n"}.append(line)));
  };
  CHECK(denied_by_line("Content-Signal: search=no") == "search");
  CHECK(denied_by_line("Content-Signal: ai-input=no") == "ai_input");
  CHECK(denied_by_line("Content-Signal: ai-train=no") == "ai_train");
  CHECK(denied_by_line("Content-Signal: use=immediate").empty());
  CHECK(denied_by_line("Content-Usage: search=n") == "search");
  CHECK(denied_by_line("Content-Usage: ai-use=n") == "ai_input");
  CHECK(denied_by_line("Content-Usage: train-ai=n") == "ai_train");
  CHECK(denied_by_line("Content-Signal: train-ai=no").empty());
  CHECK(denied_by_line("Content-Usage: ai-train=n").empty());
}

TEST_CASE("A TDM reservation answers mining and training: no, or on terms with a policy") {
  page_statements reserved = read_page("");
  reserved.header("tdm-reservation", "1");
  CHECK(denied(reserved) == "ai_train tdm");
  reserved.header("tdm-policy", "https://p.example/");
  CHECK(purposes_with(reserved, permission_answer::on_terms) == "ai_train tdm");
  CHECK(reserved.may(purpose::tdm, today).reason->terms == "https://p.example/");
  page_statements open = read_page("");
  open.tdmrep(R"([{"location":"/","tdm-reservation":1}])");
  CHECK(denied(open) == "ai_train tdm");
  open.meta("tdm-reservation", "0");
  CHECK(denied(open).empty());
}

TEST_CASE("A licence moves what is unstated to on terms, and lifts no refusal") {
  const page_statements licensed =
      read_page("License: https://e.example/l.xml\nUser-agent: *\nContent-Signal: ai-train=no\n");
  CHECK(purposes_with(licensed, permission_answer::on_terms) == "ai_input tdm");
  const permission train = licensed.may(purpose::ai_train, today);
  CHECK(train.answer == permission_answer::no);
  CHECK(train.licenses == std::vector<std::string>{"https://e.example/l.xml"});
  CHECK(licensed.may(purpose::search, today).licenses.empty());
  const page_statements permitted =
      read_page("License: https://e.example/l.xml\nUser-agent: *\nContent-Signal: ai-train=yes\n");
  CHECK(answer_of(permitted, purpose::ai_train) == permission_answer::yes);
}

TEST_CASE("Across vocabularies the most restrictive statement wins") {
  page_statements page = read_page(
      "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nContent-Usage: search=n\n");
  CHECK(answer_of(page, purpose::search) == permission_answer::no);
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::yes);
  page.header("Content-Usage", "train-ai=n");
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::no);
  page.header("tdm-reservation", "1");
  page.header("tdm-policy", "https://p.example/");
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::no);
}

TEST_CASE("On a URL that may not be fetched, all that needs the content is forbidden by the rule") {
  const page_statements page = read_page(
      "User-agent: *\nDisallow: /a\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\n");
  CHECK(denied(page) == "fetch snippet archive translate ai_input ai_train tdm");
  CHECK(purposes_with(page, permission_answer::unstated) == "follow index image_index search");
  const permission train = page.may(purpose::ai_train, today);
  CHECK(explain(train) == "no: robots.txt: disallow \"/a\", line 2, for *");
}

TEST_CASE("On a URL that may not be fetched, unread places do not matter") {
  const page_statements page{robots::parse("User-agent: *\nDisallow: /\n"), "/a", foo_bot};
  CHECK(answer_of(page, purpose::index) == permission_answer::unstated);
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::no);
}

TEST_CASE("A place that could forbid a purpose and was not read makes the answer unread") {
  page_statements page{robots::parse("User-agent: *\nContent-Signal: ai-train=yes\n"), "/a",
                       foo_bot};
  CHECK(purposes_with(page, permission_answer::yes) == "fetch");
  CHECK(answer_of(page, purpose::index) == permission_answer::unread);
  const permission train = page.may(purpose::ai_train, today);
  CHECK(train.answer == permission_answer::unread);
  CHECK(train.unread ==
        std::vector{statement_place::headers, statement_place::meta, statement_place::tdmrep});
  CHECK(explain(train) == "unread: not read: headers, meta elements, tdmrep.json");

  page.header("Content-Type", "text/html");
  page.mark_read(statement_place::meta);
  CHECK(answer_of(page, purpose::index) == permission_answer::unstated);
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::unread);
  page.mark_read(statement_place::tdmrep);
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::yes);
  page.mark_unread(statement_place::meta);
  CHECK(answer_of(page, purpose::index) == permission_answer::unread);
}

TEST_CASE("A refusal stays a refusal, whatever was not read") {
  const page_statements page{robots::parse("User-agent: *\nContent-Signal: ai-train=no\n"), "/a",
                             foo_bot};
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::no);
}

TEST_CASE("A group that names a policy token answers its purpose, and the group of * does not") {
  const crawler_names bound{"FooBot", {"Google-Extended", purpose::ai_train}};
  constexpr std::string_view named =
      "User-agent: *\nAllow: /\n\nUser-agent: Google-Extended\nDisallow: /private\n";
  CHECK(denied(read_page(named, "/private/a", bound)) == "ai_train");
  CHECK(answer_of(read_page(named, "/a", bound), purpose::ai_train) == permission_answer::yes);
  const page_statements unnamed = read_page("User-agent: *\nDisallow: /b\n", "/a", bound);
  CHECK(answer_of(unnamed, purpose::ai_train) == permission_answer::unstated);
  CHECK(explain(read_page(named, "/private/a", bound).may(purpose::ai_train, today)) ==
        "no: robots.txt: disallow \"/private\", line 5, for Google-Extended");
}

TEST_CASE("The meanings that vendors add to a rule count only if the caller asks for them") {
  page_statements page = read_page("");
  page.header("X-Robots-Tag", "nosnippet, noarchive");
  CHECK(denied(page) == "snippet archive");
  page.honour_vendor_meanings();
  CHECK(denied(page) == "snippet archive ai_input ai_train");
}

TEST_CASE("A label without a purpose can be asked for by name") {
  page_statements page = read_page("User-agent: *\nContent-Signal: future=no, ai-train=yes\n");
  page.header("Content-Usage", "train-genai=n, bots=y");
  CHECK(page.may("future", today).answer == permission_answer::no);
  CHECK(page.may("train-genai", today).answer == permission_answer::no);
  CHECK(page.may("bots", today).answer == permission_answer::yes);
  CHECK(page.may("other", today).answer == permission_answer::unstated);
  const page_statements unread{robots::parse(""), "/a", foo_bot};
  CHECK(unread.may("future", today).answer == permission_answer::unread);
}

TEST_CASE("Every statement is listed, with its place and its problem, also for other crawlers") {
  page_statements page = read_page(
      "User-agent: *\nContent-Signal: ai-train=maybe\nContent-Signal: /other ai-train=no\n"
      "Content-Usage: x=1\nContent-Usage: /a search=y\n");
  page.header("Content-Type", "text/html");
  page.header("X-Robots-Tag", "BarBot: noindex, noai");
  page.meta("description", "a page");
  page.meta("robots", "noarchive");
  page.meta("tdm-reservation", "2");
  std::string text;
  for (const page_statement& statement : page.all()) {
    text.append(statement.applies ? "+ " : "- ").append(explain(statement)).append("\n");
  }
  CHECK(text ==
        "+ robots.txt: no rule matches\n"
        "- Content-Signal \"ai-train=maybe\", line 2, for * (the value is not yes or no)\n"
        "- Content-Usage \"x=1\", line 4, for * (the value is not y or n)\n"
        "+ Content-Usage \"search=y\", line 5, for *\n"
        "- X-Robots-Tag \"noindex\", header 2, for BarBot\n"
        "- X-Robots-Tag \"noai\", header 2, for BarBot (unknown rule)\n"
        "+ robots \"noarchive\", meta element 2, for *\n"
        "- tdm-reservation \"2\", meta element 3, for * (the value is not 1 or 0)\n");
}

TEST_CASE("The page rules of headers and meta elements are read together") {
  page_statements page = read_page("");
  page.header("X-Robots-Tag", "FooBot: max-snippet:20");
  page.meta("robots", "noindex, max-snippet:200");
  CHECK(page.rules().max_snippet == 20);
  CHECK_FALSE(page.rules().index);
}

TEST_CASE("A page that cannot be compared with all lines is permitted nothing that lines answer") {
  std::string many = "User-agent: *\n";
  for (int i = 0; i < 16'000; ++i) {
    many += "Content-Usage: /*a*b train-ai=y\n";
  }
  CHECK(denied(read_page(many, "/" + std::string(60'000, 'a'))) == "search ai_input ai_train");
}

TEST_CASE("Many signals take no more than linear time, and the longest path still decides") {
  std::string many = "User-agent: *\n";
  for (int i = 0; i < 10'000; ++i) {
    many += "Content-Signal: /a ai-train=no,ai-input=no\n";
  }
  many += "Content-Signal: /a/b ai-train=yes\n";
  const page_statements page = read_page(many, "/a/b");
  CHECK(answer_of(page, purpose::ai_train) == permission_answer::yes);
  CHECK(answer_of(page, purpose::ai_input) == permission_answer::no);
}

TEST_CASE("A page that gets the fields of another page gives the same answers") {
  page_statements page = read_page("");
  page.header("Server", "x");
  page.header("x-robots-tag", "FooBot: noindex");
  page.header("TDM-Reservation", "1");
  page.meta("viewport", "noindex");
  page.meta("foobot", "nofollow");
  page.meta("barbot", "nosnippet");
  page.link("license", "application/rsl+xml", "https://e.example/l.xml");
  const std::vector<robots::page_field> fields = page.fields();
  CHECK(fields == std::vector<robots::page_field>{
                      {statement_place::headers, 2, "x-robots-tag", "FooBot: noindex"},
                      {statement_place::headers, 3, "TDM-Reservation", "1"},
                      {statement_place::meta, 2, "foobot", "nofollow"},
                      {statement_place::meta, 0, "license", "https://e.example/l.xml"}});
  page_statements copy = read_page("");
  for (const robots::page_field& field : fields) {
    copy.add(field);
  }
  CHECK(copy.fields() == fields);
  for (const purpose wanted : every_purpose) {
    CAPTURE(to_string(wanted));
    CHECK(to_json(copy.may(wanted, today)) == to_json(page.may(wanted, today)));
  }
  CHECK_THROWS_WITH_AS(copy.add(fields[0]),
                       "page_field: number is 2: it must rise within a place, up to 100000",
                       std::invalid_argument);
}

}  // namespace
