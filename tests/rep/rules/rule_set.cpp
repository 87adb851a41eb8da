#include <robots/rep/rules/rule_set.hpp>

#include "rep/rules/plug_in.hpp"
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using robots::parse_options;
using robots::rule_set;
using robots::verdict;

/// Makes files and targets from a few words, so that many rules overlap and match.
class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }

  [[nodiscard]] std::string pick(const std::vector<std::string>& from) {
    return from[below(from.size())];
  }

  [[nodiscard]] std::string pattern() {
    static const std::vector<std::string> pieces{"/",
                                                 "/shop",
                                                 "/a",
                                                 "item-",
                                                 "x",
                                                 "*",
                                                 "*.",
                                                 "?q=",
                                                 "&",
                                                 "%7e",
                                                 "%2F",
                                                 "page",
                                                 "/long/common/prefix/of/many/rules/",
                                                 "\xC3\xA9",
                                                 "$",
                                                 "**"};
    std::string text = below(8) == 0 ? "*" : "/";
    const std::size_t parts = below(5);
    for (std::size_t i = 0; i < parts; ++i) {
      text += below(3) == 0 ? std::to_string(below(40)) : pick(pieces);
    }
    return text + (below(6) == 0 ? "$" : "");
  }

  [[nodiscard]] std::string target() {
    static const std::vector<std::string> pieces{"/",
                                                 "/shop",
                                                 "/a",
                                                 "item-",
                                                 "x",
                                                 ".html",
                                                 "?q=1",
                                                 "&b",
                                                 "~",
                                                 "%2f",
                                                 "page",
                                                 "%C3%A9",
                                                 "/long/common/prefix/of/many/rules/"};
    std::string text = "/";
    const std::size_t parts = below(6);
    for (std::size_t i = 0; i < parts; ++i) {
      text += below(3) == 0 ? std::to_string(below(40)) : pick(pieces);
    }
    return text;
  }

  [[nodiscard]] std::string file(std::size_t rules) {
    std::string text = "User-agent: *\n";
    for (std::size_t i = 0; i < rules; ++i) {
      text += (below(3) == 0 ? "Allow: " : "Disallow: ") + pattern() + "\n";
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

/// Checks that a verdict, which skips rules, agrees with an explanation, which tries every rule.
void check_against_trial(const std::string& text, const std::vector<std::string>& targets,
                         const parse_options& options = {}) {
  const rule_set rules = robots::compile(text, "ExampleBot", options);
  for (const std::string& target : targets) {
    CAPTURE(target);
    const verdict found = rules.match(target);
    const auto tried = rules.explain(target).matches;
    CHECK(found.line == (tried.empty() ? 0 : tried.front().line));
    CHECK(found.directive.has_value() == !tried.empty());
    if (!tried.empty() && found.directive) {
      CHECK(found.directive == tried.front().kind);
      CHECK(found.pattern == tried.front().pattern);
    }
    CHECK(found.allowed == (found.directive != robots::rule_kind::disallow));
    CHECK(rules.allows(target) == found.allowed);
  }
}

}  // namespace

TEST_CASE("A rule set that can change is copied by parentheses and braces, too") {
  static_assert(std::is_constructible_v<rule_set, rule_set&>);
  static_assert(!std::is_constructible_v<rule_set, std::string&>);
  rule_set rules = robots::compile("User-agent: *\nDisallow: /a\n", "FooBot");
  const rule_set in_parentheses(rules);
  const std::optional<rule_set> in_optional(rules);
  std::vector<rule_set> in_place;
  in_place.emplace_back(rules);
  CHECK(in_parentheses == rules);
  CHECK(in_optional == rules);
  CHECK(in_place.front() == rules);
  CHECK_FALSE(rule_set{rules}.allows("/a"));
}

TEST_CASE("The index finds the same deciding rule as a search through all rules") {
  generator make{20'261'120};
  for (const std::size_t rules : {1U, 2U, 3U, 7U, 12U, 20U, 64U, 200U, 1'000U, 5'000U}) {
    for (int round = 0; round < (rules < 100 ? 40 : 4); ++round) {
      const std::string text = make.file(rules);
      std::vector<std::string> targets;
      for (int i = 0; i < 60; ++i) {
        targets.push_back(make.target());
      }
      CAPTURE(rules);
      check_against_trial(text, targets);
      check_against_trial(text, targets, {.dialect = robots::dialect::google});
      check_against_trial(text, targets,
                          {.prepend_slash = true, .tie = robots::tie_break::disallow});
    }
  }
}

TEST_CASE("Rules that differ only after a long common prefix are distinguished") {
  std::string text = "User-agent: *\n";
  std::vector<std::string> targets;
  const std::string prefix = '/' + std::string(300, 'p');
  for (int i = 0; i < 300; ++i) {
    text += "Disallow: " + prefix + std::to_string(i) + "/x\n";
    text += "Allow: " + prefix + std::to_string(i) + "/*x$\n";
    targets.push_back(prefix + std::to_string(i) + "/x");
    targets.push_back(prefix + std::to_string(i) + "/yx");
    targets.push_back(prefix + std::to_string(i));
  }
  check_against_trial(text, targets);
}

TEST_CASE("Prefixes of every length up to 200 octets are found") {
  std::string text = "User-agent: *\n";
  std::vector<std::string> targets;
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string path = '/' + std::string(size, 'a');
    text += (size % 2 == 0 ? "Disallow: " : "Allow: ") + path + "\n";
    targets.push_back(path);
    targets.push_back(path + "b");
  }
  check_against_trial(text, targets);
}

TEST_CASE("Many wildcard rules with one prefix are all tried if they can match") {
  std::string text = "User-agent: *\n";
  std::vector<std::string> targets;
  for (int i = 0; i < 500; ++i) {
    const std::string number = std::to_string(i);
    text += "Disallow: /shop/*/item-" + number + "$\nAllow: /*ab" + number + "\nDisallow: /*" +
            std::string(1, static_cast<char>('!' + i % 90)) + "\n";
    targets.push_back("/shop/x/item-" + number);
    targets.push_back("/q/ab" + number + "z");
    targets.push_back("/" + number);
  }
  check_against_trial(text, targets);
}

TEST_CASE("If a target repeats the text of rules, each of these rules is found") {
  std::string text = "User-agent: *\n";
  for (int i = 0; i < 200; ++i) {
    text += "Disallow: /*aaaa" + std::string(static_cast<std::size_t>(i % 50), 'a') + "*" +
            std::to_string(i) + "\n";
  }
  check_against_trial(text, {"/" + std::string(2'000, 'a'), "/" + std::string(90, 'a') + "199",
                             "/" + std::string(40, 'a') + "7/" + std::string(500, 'a')});
}

TEST_CASE("A rule has its line number, however large it is") {
  const std::string text = "User-agent: *\n" + std::string(300'000, '\n') + "Disallow: /x\n";
  const rule_set rules = robots::compile(text, "ExampleBot");
  CHECK(rules.match("/x").line == 300'002);
}

TEST_CASE("Patterns are reported as they were written") {
  const std::string text =
      "User-agent: *\nDisallow: /a*\nDisallow: /b*$\nDisallow: /c$\nDisallow: /d**e\n"
      "Disallow: /%7Ef\nDisallow: /g**\nDisallow: /h$i\n";
  const rule_set rules = robots::compile(text, "ExampleBot");
  CHECK(rules.match("/ax").pattern == "/a*");
  CHECK(rules.match("/bx").pattern == "/b*$");
  CHECK(rules.match("/c").pattern == "/c$");
  CHECK(rules.match("/dxe").pattern == "/d**e");
  CHECK(rules.match("/~f").pattern == "/%7Ef");
  CHECK(rules.match("/gx").pattern == "/g**");
  CHECK(rules.match("/h$i").pattern == "/h$i");
}

TEST_CASE("A rule set of many rules needs little more memory than their lines") {
  std::string text = "User-agent: *\n";
  std::size_t lines = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string line = "Disallow: /section-" + std::to_string(i) + "/page\n";
    lines += line.size();
    text += line;
  }
  const rule_set rules = robots::compile(text, "ExampleBot", {.max_bytes = 1'000'000});
  CHECK(rules.size() == 20'000);
  CHECK(rules.memory_bytes() <= lines * 6 / 5 + 200);
}

TEST_CASE(
    "A rule set of short lines needs little more memory than the lines, and finds each rule") {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "Allow: /" + std::to_string(100 + i) + "\n";
  }
  const rule_set rules = robots::compile("User-agent: *\n" + text, "ExampleBot");
  CHECK(rules.memory_bytes() <= text.size() * 4 / 3 + 200);
  for (int i = 0; i < 30; ++i) {
    const std::string target = "/" + std::to_string(100 + i);
    CHECK(rules.match(target).pattern == target);
  }
}

TEST_CASE(
    "The fingerprint depends on each rule with its kind and end, but not on the order of the "
    "rules") {
  const auto fingerprint = [](const std::string& text) {
    return robots::compile("User-agent: *\n" + text, "ExampleBot").fingerprint();
  };
  CHECK(fingerprint("Disallow: /a\n") != fingerprint("Disallow: /b\n"));
  CHECK(fingerprint("Disallow: /a\n") != fingerprint("Allow: /a\n"));
  CHECK(fingerprint("Disallow: /a\n") != fingerprint("Disallow: /a$\n"));
  CHECK(fingerprint("Disallow: /a\nAllow: /b\n") == fingerprint("Allow: /b\nDisallow: /a\n"));
}

TEST_CASE("Rule sets of a library that hides its symbols can be copied, moved and destroyed") {
  for (const std::string text : {"", "User-agent: *\nDisallow: /a\n"}) {
    CAPTURE(text);
    rule_set rules = rules_of_plug_in(text);
    const rule_set copy = rules;
    const rule_set moved = std::move(rules);
    rules = copy;
    CHECK(rules.allows("/a") == text.empty());
    CHECK(moved.allows("/a") == text.empty());
    CHECK((rules.memory_bytes() == sizeof rules) == text.empty());
    CHECK(rules == (text.empty() ? rule_set{} : robots::compile(text, "*")));
    CHECK(rules != robots::compile("User-agent: *\nDisallow: /b\n", "*"));
  }
}

TEST_CASE("A moved-from rule set is empty, and can still be used") {
  std::string text = "User-agent: ExampleBot\nDisallow: /x\n";
  for (int i = 0; i < 100; ++i) {
    text += "Disallow: /*/part-" + std::to_string(i) + "/*.html\n";
  }
  rule_set from = robots::compile(text, "ExampleBot");
  rule_set to = std::move(from);
  const auto is_empty = [](const rule_set& rules) {
    return rules.empty() && rules.allows("/x") && rules.match("/x").allowed &&
           rules.match("/x").user_agent == "*" && rules.explain("/a/part-1/b.html").matches.empty();
  };
  CHECK(is_empty(from));  // NOLINT(bugprone-use-after-move): this is what is tested
  from = std::move(to);
  CHECK(is_empty(to));  // NOLINT(bugprone-use-after-move): this is what is tested
  CHECK_FALSE(from.allows("/x"));
  CHECK(from.match("/a/part-1/b.html").user_agent == "ExampleBot");

  rule_set& self = from;
  from = std::move(self);
  CHECK_FALSE(from.allows("/x"));
  CHECK_FALSE(from.allows("/a/part-1/b.html"));
}
