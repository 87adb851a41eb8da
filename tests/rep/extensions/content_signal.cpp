#include <robots/rep/extensions/content_signal.hpp>

#include "rep/extensions/read_lines.hpp"
#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string_view>

namespace {

using robots::content_signal;
using robots::content_use;
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

// The signal `use` has three values; of several, the least applies.
static_assert(content_signal::parse("use=reference").use == content_use::reference);
static_assert(content_signal::parse("USE = Full, use=immediate").use == content_use::immediate);
static_assert(content_signal::parse("use=immediate, use=full").use == content_use::immediate);
static_assert(!content_signal::parse("use=yes").use);
static_assert(!content_signal::parse("search=yes").use);

// `complete` says whether everything could be read.
static_assert(content_signal::parse("search=yes, use=full, ,").complete);
static_assert(!content_signal::parse("search=yes, use=all").complete);
static_assert(!content_signal::parse("search=yes;ai-train=no").complete);
static_assert(!content_signal::parse("future=no").complete);

// Signals that this library does not know can be asked for by name.
static_assert(content_signal::parse("future=no, search=yes").preference("future") == false);
static_assert(content_signal::parse("future=no, FUTURE=yes").preference("Future") == false);
static_assert(content_signal::parse("search=yes").preference("search") == true);
static_assert(content_signal::parse("/a future=yes").preference("future") == true);
static_assert(content_signal::parse("future").preference("future") == absent);
static_assert(content_signal::parse("future=1").preference("future") == absent);

// The labels of Content-Usage are a mistake here, and state nothing.
static_assert(content_signal::parse("train-ai=no").preference("train-ai") == absent);
static_assert(content_signal::parse("ai-use=no").preference("ai-use") == absent);

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
