#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/adapters/html/read_html.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/usage/page_statements.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::page_statement;
using robots::page_statements;

page_statements page_of_html(std::string_view html, bool is_truncated = false,
                             const robots::html_options& options = {}) {
  page_statements page{robots::parse(""), "/a", "FooBot"};
  robots::read_html(page, html, {}, is_truncated, options);
  return page;
}

bool are_same_statements(const std::vector<page_statement>& first,
                         const std::vector<page_statement>& second) {
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const page_statement& one, const page_statement& other) {
                      return one.kind == other.kind && one.name == other.name &&
                             one.text == other.text && one.addressee == other.addressee &&
                             one.applies == other.applies && one.terms == other.terms;
                    });
}

/// Returns an ASCII text in UTF-16, little endian, with its byte order mark.
std::string in_utf16(std::string_view text) {
  std::string wide = "\xFF\xFE";
  for (const char c : text) {
    wide += c;
    wide += '\0';
  }
  return wide;
}

}  // namespace

void fuzz::fuzz_html(octets input) {
  reader in{input};
  const std::size_t size = in.octet();
  const std::string html = in.rest();
  const page_statements page = page_of_html(html);
  require(page.is_read(robots::statement_place::meta), "a whole page is read");
  for (const page_statement& statement : page.all()) {
    require(statement.place != robots::statement_place::headers &&
                statement.place != robots::statement_place::tdmrep,
            "a page has no headers");
    require(
        statement.kind != robots::statement_kind::license || html.find('<') != std::string::npos,
        "no element is invented");
  }

  const std::string before = R"(<meta name="robots" content="noindex">)";
  require(!page_of_html(before + html).rules().index, "no page hides the element before it");
  const page_statements cut =
      page_of_html(before + html, false, {.max_bytes = before.size() + size});
  require(!cut.rules().index, "the part of a page that was read counts");

  const bool is_ascii =
      std::all_of(html.begin(), html.end(), [](char c) { return c > '\0' && c <= '~'; });
  if (is_ascii) {
    require(are_same_statements(page_of_html(in_utf16(html)).all(), page.all()),
            "a page in another charset says the same");
  }
}
