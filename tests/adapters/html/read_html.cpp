#include <robots/adapters/html/read_html.hpp>

#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::page_statements;
using robots::permission_answer;
using robots::purpose;
using robots::statement_place;

constexpr std::chrono::sys_days today{std::chrono::year{2026} / 11 / 28};
const std::vector<robots::http_header> no_headers;

/// Returns a page about which only its HTML can say anything.
page_statements silent_page() {
  page_statements page{robots::parse(""), "https://e.example/a", "FooBot"};
  page.mark_read(statement_place::headers);
  page.mark_read(statement_place::tdmrep);
  return page;
}

page_statements page_with(std::string_view html,
                          const std::vector<robots::http_header>& headers = no_headers,
                          bool is_truncated = false, const robots::html_options& options = {}) {
  page_statements page = silent_page();
  robots::read_html(page, html, headers, is_truncated, options);
  return page;
}

permission_answer may_index(const page_statements& page) {
  return page.may(purpose::index, today).answer;
}

std::string utf16(std::string_view ascii) {
  std::string text;
  for (const char c : ascii) {
    text += {c, '\0'};
  }
  return text;
}

constexpr std::string_view noindex = "<meta name=robots content=noindex>";

}  // namespace

TEST_CASE("Every meta element of a page is found, however it is written") {
  for (const char* const html : {
           "<meta name=robots content=noindex>",
           "<!DOCTYPE html><html><head><META NAME='Robots' CONTENT=\"NoIndex\"></head></html>",
           "<html><head><meta content='noindex' name='robots' /></head><body>x</body></html>",
           "<title>a<b</title><meta name=robots content='index, no&#105;ndex'>",
           "<body><p>text<meta name=robots content=noindex>",
           "<meta name=description content=x><meta name=foobot content=noindex>",
           "<meta name=robots content=nofollow><meta name=robots content=noindex>",
           "\xEF\xBB\xBF<meta name=robots content=noindex>",
       }) {
    CAPTURE(html);
    CHECK(may_index(page_with(html)) == permission_answer::no);
  }
}

TEST_CASE("A text that only looks like a meta element of the page says nothing") {
  for (const char* const html : {
           "",
           "text",
           "<!-- <meta name=robots content=noindex> -->",
           "<script>'<meta name=robots content=noindex>'</script>",
           "<title><meta name=robots content=noindex></title>",
           "<template><meta name=robots content=noindex></template>",
           "<textarea><meta name=robots content=noindex></textarea>",
           "<meta name=barbot content=noindex>",
           "<meta content=noindex>",
           "<meta name=robots>",
           "<p data-x='<meta name=robots content=noindex>'>x",
       }) {
    CAPTURE(html);
    CHECK(may_index(page_with(html)) == permission_answer::unstated);
  }
}

TEST_CASE("A licence that a link element names counts with its type and an absolute URL") {
  const auto train = [](std::string_view html) {
    return page_with(html).may(purpose::ai_train, today);
  };
  CHECK(explain(train("<link rel='license' type='application/rsl+xml' "
                      "href='https://e.example/l.xml'>")) ==
        "on_terms: link \"https://e.example/l.xml\", for *, terms: https://e.example/l.xml");
  for (const std::string_view html :
       {"<link rel=license href='https://e.example/l.xml'>",
        "<link rel=license type=application/rsl+xml href='/l.xml'>",
        "<link rel=stylesheet type=application/rsl+xml href='https://e.example/l.xml'>",
        "<a rel=license type=application/rsl+xml href='https://e.example/l.xml'>x</a>"}) {
    CAPTURE(html);
    CHECK(train(html).answer == permission_answer::unstated);
  }
}

TEST_CASE("A page in UTF-16 or in a Western charset is read by its mark or its Content-Type") {
  const std::string wide = utf16("<!DOCTYPE html><html><head><title>page</title>" +
                                 std::string{noindex} + "</head><body>text</body></html>");
  CHECK(may_index(page_with("\xFF\xFE" + wide)) == permission_answer::no);
  const std::vector<robots::http_header> labelled{{"content-type", "text/html; charset=utf-16"}};
  CHECK(may_index(page_with(wide, labelled)) == permission_answer::no);
  const std::vector<robots::http_header> western{{"Content-Type", "text/html; charset=latin1"}};
  CHECK(may_index(page_with("<title>caf\xE9</title>" + std::string{noindex}, western)) ==
        permission_answer::no);
  CHECK(may_index(page_with("<title>\xFF\xC3(</title>" + std::string{noindex})) ==
        permission_answer::no);
}

TEST_CASE("A head that does not end within the octets that are read makes the page unread") {
  const std::string filler(1'000, 'x');
  const robots::html_options short_read{.max_bytes = 500};
  const auto cut = [&](const std::string& start) {
    return may_index(page_with(start + filler, no_headers, false, short_read));
  };
  CHECK(cut("<head><title>a</title><script>") == permission_answer::unread);
  CHECK(cut("<head><style>") == permission_answer::unread);
  CHECK(cut("<head><meta name=a content='") == permission_answer::unread);
  CHECK(cut("<head><title>a</title></head><body>") == permission_answer::unstated);
  CHECK(cut("<head><title>a</title></head>") == permission_answer::unstated);
  CHECK(cut("<p>") == permission_answer::unstated);
  CHECK(cut(std::string{noindex} + "<script>") == permission_answer::no);

  // The whole page is within the limit, but the caller has only its start.
  for (const std::string_view start :
       {"<head><title>a</title>", "<head><title>a</title><", "<head><title>a</title></",
        "<head><title>a</title></hea", "<head><title>a</title><meta name=robots content=noind"}) {
    CAPTURE(start);
    CHECK(may_index(page_with(start, no_headers, true)) == permission_answer::unread);
    CHECK(may_index(page_with(start, no_headers, false)) == permission_answer::unstated);
  }
}

TEST_CASE("By default, the first 64 KiB of a page are read") {
  const std::string head = "<head><!--";
  const auto padded = [&](std::size_t size) {
    return head + std::string(size - head.size() - 3 - noindex.size(), 'x') + "-->" +
           std::string{noindex};
  };
  CHECK(may_index(page_with(padded(65'536) + "<p>")) == permission_answer::no);
  CHECK(may_index(page_with(padded(65'537) + "<p>")) == permission_answer::unread);
}

TEST_CASE("A page of nested elements and random octets is read without harm") {
  std::string deep;
  for (int i = 0; i < 13'000; ++i) {
    deep += "<div>";
  }
  CHECK(may_index(page_with(deep + std::string{noindex})) == permission_answer::no);
  std::string octets;
  std::uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1'664'525 + 1'013'904'223;
    octets += static_cast<char>(state >> 24U);
    octets += i % 7 == 0 ? "<meta name=" : "";
  }
  static_cast<void>(page_with(octets));
}
