#include "rep/extensions/read_lines.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/usage_preferences.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string_view>

namespace {

using robots::content_signal;
using robots::document;
using robots::parse;
using robots::test::in_file;

constexpr std::optional<bool> absent{};

static_assert(content_signal::parse("search=yes, ai-train=no").search == true);
static_assert(content_signal::parse("search=yes, ai-train=no").ai_train == false);
static_assert(content_signal::parse("search=yes, ai-train=no").ai_input == absent);
static_assert(content_signal::parse("search=yes,ai-train=no,ai-input=no").ai_input == false);
static_assert(content_signal::parse("AI-Train = NO").ai_train == false);
static_assert(content_signal::parse("ai-train=yes").path.empty());
static_assert(content_signal::parse("/blog/ ai-train=no").path == "/blog/");
static_assert(content_signal::parse("/blog/ ai-train=no").ai_train == false);

// Unknown values are ignored.
static_assert(content_signal::parse("use=reference, , ai-train=no,").ai_train == false);
static_assert(content_signal::parse("search=yes;ai-train=no").search == absent);
static_assert(content_signal::parse("search").search == absent);
static_assert(content_signal::parse("search=").search == absent);
static_assert(content_signal::parse("search=y").search == absent);
static_assert(content_signal::parse("=yes").search == absent);
static_assert(content_signal::parse("").search == absent);

// If a signal has several values, the most restrictive value applies.
static_assert(content_signal::parse("search=yes, search=no").search == false);
static_assert(content_signal::parse("search=no, search=yes").search == false);
static_assert(content_signal::parse("ai-train=no, ai-train=yes").ai_train == false);
static_assert(content_signal::parse("ai-input=no, search=yes, ai-input=yes").ai_input == false);
static_assert(content_signal::parse("search=yes, search=yes").search == true);
static_assert(content_signal::parse("search=no, search=maybe").search == false);

constexpr std::string_view signal_lines =
    "User-agent: a\nContent-Signal: ai-input=yes\nAllow: /\n"
    "User-agent: *\nContent-signal: search=yes,ai-train=no\nAllow: /\n";

static_assert(robots::test::is_view_of_document<content_signal>);

static_assert(in_file(signal_lines, [](const document& file) {
  return file.read<content_signal>().size() == 1;
}));
static_assert(in_file(signal_lines, [](const document& file) {
  return file.read<content_signal>()[0].line == 5;
}));
static_assert(in_file(signal_lines, [](const document& file) {
  return file.read<content_signal>()[0].search == true;
}));

TEST_CASE("Signals apply to the crawlers of their groups") {
  const robots::document file = parse(signal_lines);
  REQUIRE(file.read<content_signal>("a").size() == 1);
  CHECK(file.read<content_signal>("a")[0].ai_input == true);
  const document without = parse("Content-Signal: ai-train=no\n");
  CHECK(without.read<content_signal>().empty());
}

}  // namespace
