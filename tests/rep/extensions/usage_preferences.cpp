#include <robots/rep/extensions/usage_preferences.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::directive_kind;
using robots::effective_preferences;
using robots::parse;
using usage_preference = robots::effective_preferences::preference;
using robots::usage_preferences;

constexpr usage_preference unstated{};

constexpr usage_preference usage(bool allowed, std::uint32_t line) {
  return {allowed, directive_kind::content_usage, line};
}
constexpr usage_preference signal(bool allowed, std::uint32_t line) {
  return {allowed, directive_kind::content_signal, line};
}

// draft-ietf-aipref-attach-05, section 3.4.
constexpr std::string_view draft =
    "User-Agent: *\n"
    "Allow: /\n"
    "Disallow: /never/\n"
    "Content-Usage: train-ai=n\n"
    "Content-Usage: /ai-ok/ train-ai=y\n"
    "\n"
    "User-Agent: ExampleBot\n"
    "Allow: /\n"
    "Content-Usage: train-ai=y\n";
static_assert(usage_preferences(parse(draft), "/test").train_ai == usage(false, 4));
static_assert(usage_preferences(parse(draft), "/never/test") == effective_preferences{});
static_assert(usage_preferences(parse(draft), "/ai-ok/test").train_ai == usage(true, 5));
static_assert(usage_preferences(parse(draft), "/test", "ExampleBot").train_ai == usage(true, 9));
static_assert(usage_preferences(parse(draft), "/never/test", "ExampleBot").train_ai ==
              usage(true, 9));
static_assert(usage_preferences(parse(draft), "/test").search == unstated);
static_assert(usage_preferences(parse(draft), "/test").ai_input == unstated);

constexpr effective_preferences preferences_at(std::string_view lines, std::string_view target) {
  // The User-agent line is line 1, so `lines` begins at line 2.
  std::vector<char> text;
  for (const std::string_view part : {std::string_view{"User-agent: *\n"}, lines}) {
    text.insert(text.end(), part.begin(), part.end());
  }
  return usage_preferences(parse({text.data(), text.size()}), target);
}

// The Content-Usage line with the longest matching path decides about all categories.
constexpr std::string_view nested =
    "Content-Usage: /a/b search=n\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=y\n";
static_assert(preferences_at(nested, "/").train_ai == usage(false, 3));
static_assert(preferences_at(nested, "/a").train_ai == usage(true, 4));
static_assert(preferences_at(nested, "/a/b") == effective_preferences{.search = usage(false, 2)});
static_assert(preferences_at("Content-Usage: train-ai=n\nContent-Usage: /a train-ai=No\n", "/a")
                  .train_ai == unstated);
static_assert(preferences_at("Content-Usage: train-ai=n\nContent-Usage: /a\n", "/a").train_ai ==
              unstated);

// The length is that of the path's normal form in octets, and paths match like those of rules.
static_assert(preferences_at("Content-Usage: /~me train-ai=n\nContent-Usage: /%7Em* train-ai=y\n",
                             "/%7eme")
                  .train_ai == usage(false, 2));
static_assert(preferences_at("Content-Usage: /a%2a train-ai=n\n", "/a*").train_ai ==
              usage(false, 2));
static_assert(preferences_at("Content-Usage: /*.gif$ train-ai=n\n", "https://example.com/x.gif")
                  .train_ai == usage(false, 2));

// If several lines have the same path, the most restrictive one applies, whatever their order.
static_assert(preferences_at("Content-Usage: train-ai=y\nContent-Usage: train-ai=n\n", "/")
                  .train_ai == usage(false, 3));
static_assert(preferences_at("Content-Usage: train-ai=n\nContent-Usage: train-ai=y\n", "/")
                  .train_ai == usage(false, 2));
static_assert(preferences_at("Content-Usage: /a search=y\nContent-Usage: /a train-ai=y\n", "/a") ==
              effective_preferences{.train_ai = usage(true, 3), .search = usage(true, 2)});

// The Content-Signal line with the longest matching path decides about each signal separately.
constexpr std::string_view signals =
    "Content-Signal: search=yes, ai-train=no\nContent-Signal: /blog ai-input=no, ai-train=yes\n"
    "Content-Signal: /blog ai-input=yes\nContent-Signal: /blog/x use=full\n";
static_assert(preferences_at(signals, "/") ==
              effective_preferences{.train_ai = signal(false, 2), .search = signal(true, 2)});
static_assert(preferences_at(signals, "/blog/x") ==
              effective_preferences{.train_ai = signal(true, 3),
                                    .ai_input = signal(false, 3),
                                    .search = signal(true, 2)});

// If a file uses both methods, the most restrictive preference applies.
constexpr std::string_view both =
    "Content-Signal: search=no, ai-input=yes, ai-train=no\nContent-Usage: train-ai=y, search=n\n";
static_assert(preferences_at(both, "/") == effective_preferences{.train_ai = signal(false, 2),
                                                                 .ai_input = signal(true, 2),
                                                                 .search = usage(false, 3)});
static_assert(preferences_at("Content-Signal: ai-train=yes\nContent-Usage: train-ai=n\n", "/")
                  .train_ai == usage(false, 3));
static_assert(preferences_at("Content-Signal: ai-train=yes\nContent-Usage: search=n\n", "/") ==
              effective_preferences{.train_ai = signal(true, 2), .search = usage(false, 3)});

TEST_CASE("The preferences of all groups of a crawler are merged") {
  const robots::document file = parse(
      "User-agent: a\nContent-Usage: train-ai=n\nDisallow:\n"
      "User-agent: *\nContent-Usage: search=n\nContent-Signal: ai-input=no\nDisallow:\n"
      "User-agent: a\nContent-Signal: search=yes\n");
  CHECK(usage_preferences(file, "/", "a/2.0") ==
        effective_preferences{.train_ai = usage(false, 2), .search = signal(true, 9)});
  CHECK(usage_preferences(file, "/", "b") ==
        effective_preferences{.ai_input = signal(false, 6), .search = usage(false, 5)});
}

// RFC 9309, section 2.2.4: a line that is not a rule does not end the list of User-agent lines.
TEST_CASE(
    "A preference between User-agent lines is for the crawlers above, and rules are for all "
    "crawlers") {
  const robots::document file = parse(
      "User-agent: a\nContent-Usage: train-ai=y\n"
      "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /x\n");
  CHECK(usage_preferences(file, "/", "a").train_ai == usage(true, 2));
  CHECK(usage_preferences(file, "/", "b").train_ai == usage(false, 4));
  CHECK_FALSE(file.allows("/x", "a"));
}

TEST_CASE("A target that cannot be compared with all lines gets no permission") {
  std::string many = "User-agent: *\n";
  for (int i = 0; i < 20'000; ++i) {
    many += "Content-Usage: /*a*b train-ai=y\n";
  }
  const auto file = parse(many, {.max_bytes = many.size()});
  constexpr usage_preference denied{.allowed = false};
  CHECK(usage_preferences(file, "/" + std::string(65'000, 'a')) ==
        effective_preferences{.train_ai = denied, .ai_input = denied, .search = denied});
  CHECK(usage_preferences(file, "/" + std::string(300, 'a')) == effective_preferences{});
  CHECK(usage_preferences(file, "/ab").train_ai == usage(true, 2));
}

TEST_CASE("All preferences are unknown for a file without usage lines") {
  CHECK(usage_preferences(parse(""), "/") == effective_preferences{});
  CHECK(usage_preferences(parse("Content-Usage: train-ai=n\n"), "/") == effective_preferences{});
  CHECK(usage_preferences(parse("User-agent: *\nDisallow: /\nContent-Signal: search=yes\n"), "/") ==
        effective_preferences{});
}

}  // namespace
