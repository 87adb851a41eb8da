#include <robots/rep/extensions/content_signal.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string_view>
#include <utility>

namespace {

using robots::content_signals;
using robots::document;
using robots::parse;
using robots::parse_content_signal;

constexpr std::optional<bool> absent{};

static_assert(parse_content_signal("search=yes, ai-train=no").search == true);
static_assert(parse_content_signal("search=yes, ai-train=no").ai_train == false);
static_assert(parse_content_signal("search=yes, ai-train=no").ai_input == absent);
static_assert(parse_content_signal("search=yes,ai-train=no,ai-input=no").ai_input == false);
static_assert(parse_content_signal("AI-Train = NO").ai_train == false);
static_assert(parse_content_signal("ai-train=yes").path.empty());
static_assert(parse_content_signal("/blog/ ai-train=no").path == "/blog/");
static_assert(parse_content_signal("/blog/ ai-train=no").ai_train == false);
static_assert(parse_content_signal("/blog/ ai-train=no").matches("/blog/post"));
static_assert(!parse_content_signal("/blog/ ai-train=no").matches("/about"));
static_assert(parse_content_signal("ai-train=no").matches("/about"));

// Unknown values are ignored.
static_assert(parse_content_signal("use=reference, , ai-train=no,").ai_train == false);
static_assert(parse_content_signal("search=yes;ai-train=no").search == absent);
static_assert(parse_content_signal("search").search == absent);
static_assert(parse_content_signal("search=").search == absent);
static_assert(parse_content_signal("search=y").search == absent);
static_assert(parse_content_signal("=yes").search == absent);
static_assert(parse_content_signal("").search == absent);

// The most restrictive one counts.
static_assert(parse_content_signal("search=yes, search=no").search == false);
static_assert(parse_content_signal("search=no, search=yes").search == false);
static_assert(parse_content_signal("ai-train=no, ai-train=yes").ai_train == false);
static_assert(parse_content_signal("ai-input=no, search=yes, ai-input=yes").ai_input == false);
static_assert(parse_content_signal("search=yes, search=yes").search == true);
static_assert(parse_content_signal("search=no, search=maybe").search == false);

constexpr std::string_view text =
    "User-agent: a\nContent-Signal: ai-input=yes\nAllow: /\n"
    "User-agent: *\nContent-signal: search=yes,ai-train=no\nAllow: /\n";

template <class File>
concept readable = requires(File&& file) { content_signals(std::forward<File>(file)); };
static_assert(readable<const document&> && !readable<document>, "the views lie in the document");

template <class Test>
constexpr bool in_file(Test test) {
  const document file = parse(text);
  return test(file);
}

static_assert(in_file([](const document& file) { return content_signals(file).size() == 1; }));
static_assert(in_file([](const document& file) { return content_signals(file)[0].line == 5; }));
static_assert(in_file([](const document& file) {
  return content_signals(file)[0].search == true;
}));

TEST_CASE("Signals apply to the crawlers of their groups") {
  const robots::document file = parse(text);
  REQUIRE(content_signals(file, "a").size() == 1);
  CHECK(content_signals(file, "a")[0].ai_input == true);
  const document without = parse("Content-Signal: ai-train=no\n");
  CHECK(content_signals(without).empty());
}

}  // namespace
