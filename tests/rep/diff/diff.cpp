#include <robots/rep/diff/diff.hpp>

#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using change_kind = robots::change_report::change_kind;
using robots::change_report;
using robots::compile;
using robots::dialect;
using robots::diff;
using robots::directive_kind;
using robots::listed_rule;
using robots::parse_options;
using rule_change = robots::change_report::rule_change;
using robots::rule_kind;
using robots::rule_set;

/// Compares two lists of rules as groups of `*`.
change_report diff_rules(std::string_view before, std::string_view after,
                         const parse_options& options = {}) {
  const std::string head = "User-agent: *\n";
  return diff(head + std::string{before}, head + std::string{after}, "FooBot", options);
}

bool is_same(std::string_view before, std::string_view after, const parse_options& options = {}) {
  const change_report found = diff_rules(before, after, options);
  CHECK(found.complete);
  CHECK((found.same() == (found.share() == 0.0)));
  return found.same();
}

TEST_CASE("A line that is spelled differently and means the same is not a change") {
  CHECK(is_same("", ""));
  CHECK(is_same("Disallow: /a\nAllow: /b\n", "# moved\nallow:/b\nDISALLOW : /a # x\n"));
  CHECK(is_same("Disallow: /a\n", "Disallow: /a\nDisallow: /a\n"));
  CHECK(is_same("Disallow: /a\n", "Disallow: /a*\n"));
  CHECK(is_same("Disallow: /a$\n", "Disallow: /%61$\n"));
  CHECK(is_same("Disallow: /%e4\n", "Disallow: /\xE4\n"));
  CHECK(is_same("Disallow: /a\n", "Disallow: /a\nUser-agent: BarBot\nDisallow: /\n"));
  CHECK(is_same("Disallow: /a\n", "Disallow: /b\nUser-agent: FooBot\nDisallow: /a\n"));
  CHECK(is_same("Disallow: /a\n", "Disallow:\nDisallow: /a\nDisallow: b\n"));
  CHECK(is_same("",
                "Disallow: /robots.txt\nAllow: /robots.txtx\n"
                "Disallow: /robots.txt$\nAllow: /robots.txt*\n"));
  CHECK(is_same("", "Allow: /\nAllow: /x*y\n"));
}

TEST_CASE("A rule that never decides is not a change") {
  CHECK(is_same("Disallow: /a\n", "Disallow: /a\nDisallow: /a/b\nDisallow: /a*c$\n"));
  CHECK(is_same("Disallow: /a\nAllow: /a/b\n", "Disallow: /a\nAllow: /a/b\nDisallow: /a/\n"));
  CHECK(is_same("Disallow: /*x\n", "Disallow: /*x\nDisallow: /a*x\nDisallow: *xx\n"));
  CHECK(is_same("Disallow: /\n", "Disallow: /\nDisallow: /a\nDisallow: /b\n"));
  // Several rules together can match the same targets as one rule.
  CHECK(is_same("Disallow: /a$\nDisallow: /a*\n", "Disallow: /a\n"));
  CHECK(!is_same("Disallow: /a\nAllow: /ab\n", "Disallow: /a**\nAllow: /ab\n"));
  CHECK(is_same("Disallow: /a\nAllow: /abcd\n", "Disallow: /a**\nAllow: /abcd\n"));
}

const rule_change& only(const change_report& found) {
  REQUIRE(found.rules.size() == 1);
  REQUIRE(found.lines.empty());
  return found.rules.front();
}

TEST_CASE("A change has the rule, its line, and a target whose verdict depends on it") {
  const auto added = diff_rules("Allow: /a\n", "Allow: /a\nDisallow: /b\n");
  CHECK(only(added).change == change_kind::added);
  CHECK(only(added).kind == rule_kind::disallow);
  CHECK(!only(added).before);
  REQUIRE(only(added).after);
  CHECK(only(added).after->pattern == "/b");
  CHECK(only(added).after->line == 3);
  CHECK(only(added).example == "/b");
  CHECK(!only(added).example_allowed);
  CHECK(added.unchanged == 1);
  CHECK(added.share() == doctest::Approx(0.5));

  const auto removed = diff_rules("Allow: /a/b\nDisallow: /a\n", "Disallow: /a\n");
  CHECK(only(removed).change == change_kind::removed);
  REQUIRE(only(removed).before);
  CHECK(only(removed).before->line == 2);
  CHECK(!only(removed).after);
  CHECK(only(removed).example == "/a/b");
  CHECK(!only(removed).example_allowed);
}

TEST_CASE("The paths that both rules match show if a replaced rule is loosened or tightened") {
  struct row {
    std::string_view before;
    std::string_view after;
    change_kind change;
    std::string_view example;
  };
  using enum change_kind;
  const std::vector<row> rows{
      {"Disallow: /a\n", "Disallow: /a/\n", loosened, "/a"},
      {"Disallow: /a/\n", "Disallow: /a\n", tightened, "/a"},
      {"Disallow: /\nAllow: /a\n", "Disallow: /\nAllow: /a$\n", tightened, "/ay"},
      {"Disallow: /\nAllow: /a$\n", "Disallow: /\nAllow: /a\n", loosened, "/ay"},
      {"Disallow: /*.php$\n", "Disallow: /*.php\n", tightened, "/.phpy"},
      {"Disallow: /a*b\n", "Disallow: /a*b*c\n", loosened, "/ab"},
      {"Disallow: /a\nAllow: /ab\n", "Disallow: /a**\nAllow: /ab\n", tightened, "/ab"},
  };
  for (const row& sample : rows) {
    CAPTURE(sample.after);
    const auto found = diff_rules(sample.before, sample.after);
    CHECK(only(found).change == sample.change);
    CHECK(only(found).example == sample.example);
    CHECK(only(found).example_allowed == (sample.change == loosened));
    CHECK(only(found).before);
    CHECK(only(found).after);
  }
  // Each rule matches targets that the other one does not match.
  const auto both = diff_rules("Disallow: /a*b\n", "Disallow: /a*c\n");
  REQUIRE(both.rules.size() == 2);
  CHECK(both.rules[0].change != both.rules[1].change);
}

TEST_CASE("A rule that becomes its opposite is a removed rule and an added rule") {
  const auto found = diff_rules("Disallow: /\nAllow: /a\n", "Disallow: /\nDisallow: /a\n");
  REQUIRE(found.rules.size() == 2);
  CHECK(found.rules[0].change == change_kind::added);
  CHECK(found.rules[0].kind == rule_kind::disallow);
  CHECK(found.rules[1].change == change_kind::removed);
  CHECK(found.rules[1].kind == rule_kind::allow);
}

TEST_CASE("The share of changed directives is 1 if nothing remains") {
  std::string before;
  for (int i = 0; i < 10; ++i) {
    before += "Disallow: /" + std::to_string(i) + "\n";
  }
  CHECK(diff_rules(before, "Disallow: /\n").share() == 1.0);
  CHECK(diff_rules(before, before + "Disallow: /a\n").share() == doctest::Approx(1.0 / 11));
  CHECK(diff_rules(before, before.substr(39)).share() == doctest::Approx(0.3));
  CHECK(diff_rules(before, before + "Crawl-delay: 1\n").share() == doctest::Approx(1.0 / 11));
}

TEST_CASE("Lines other than rules are compared by their meaning") {
  constexpr std::string_view before =
      "Clean-param: b&a /x\n"
      "Sitemap: https://example.com/1\nSitemap: https://example.com/2\n"
      "Host: example.com\n"
      "User-agent: FooBot\n"
      "Crawl-delay: 1.50\nRequest-rate: 1/10s\nRequest-rate: 1/1m 0800-1300\nVisit-time: "
      "0100-0200\n"
      "Content-Signal: /a ai-train=no,search=yes\nContent-Usage: train-ai=n\nNoindex: /n\n"
      "Disallow: /\n";
  constexpr std::string_view same =
      "Sitemap: https://example.com/2\nSitemap: https://example.com/1\n"
      "host: example.com\nHost: other.example\n"
      "User-agent: FooBot\n"
      "Disallow: /\n"
      "crawl-delay: 1.5\nRequest-rate: 1/60 0800 - 1300\nRequest-rate: 1/10\n"
      "visit-time: 0100 - 0200\nRequest-rate: 1/0\n"
      "Content-signal: /a search=YES, ai-train = no\nContent-Usage: train-ai=n\nNoindex: /n\n"
      "Clean-param: a&b /x\nSitemap:\nContent-Signal:\nContent-Usage:\nNoindex:\n";
  CHECK(diff(before, same, "FooBot").same());
  const auto gone = diff(before, "User-agent: *\nDisallow: /\n", "FooBot");
  CHECK(gone.rules.empty());
  CHECK(gone.lines.size() == 11);
  CHECK(gone.unchanged == 1);
  const auto of = [](const change_report& found) {
    REQUIRE(found.lines.size() == 1);
    return found.lines.front();
  };
  const auto delay = of(diff_rules("Crawl-delay: 1\n", "Crawl-delay: 2.25\n"));
  CHECK(delay.kind == directive_kind::crawl_delay);
  CHECK(delay.before == "1");
  CHECK(delay.after == "2.25");
  const auto rate = of(diff_rules("", "Request-rate: 30/1m 0800-1300\n"));
  CHECK(rate.after == "30/60 0800-1300");
  CHECK(!rate.before);
  CHECK(of(diff_rules("Content-Signal: ai-train=yes\n", "Content-Signal: ai-train=no\n")).after ==
        "ai-train=no");
  CHECK(of(diff("Crawl-delay: 3\n", "", "FooBot")).before == "3 for everyone");
  CHECK(diff_rules("Sitemap: https://a/\nSitemap: https://b/\n", "Sitemap: https://c/\n")
            .lines.size() == 3);
}

/// Returns all targets with up to `longest` octets of `alphabet` after the first slash.
std::vector<std::string> all_targets(std::string_view alphabet, std::size_t longest) {
  std::vector<std::string> targets{"/"};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].size() <= longest) {
      for (const char c : alphabet) {
        targets.push_back(targets[i] + c);
      }
    }
  }
  return targets;
}

std::string random_rules(std::mt19937& random, std::string_view alphabet) {
  const auto below = [&](std::size_t end) { return random() % end; };
  std::string text = "User-agent: *\n";
  for (std::size_t rules = below(5); rules > 0; --rules) {
    text += below(2) == 0 ? "Allow: " : "Disallow: ";
    text += below(8) == 0 ? "*" : "/";
    for (std::size_t size = below(5); size > 0; --size) {
      text += alphabet[below(alphabet.size())];
    }
    text += below(4) == 0 ? "$\n" : "\n";
  }
  return text;
}

/// The text that has a rule (0: the old one, 1: the new one), and the line of the rule.
using placed_rule = std::pair<std::size_t, std::uint32_t>;

/// Returns the rules that decide a target on which the two rule sets disagree, without the rules
/// that both sets have.
std::set<placed_rule> rules_that_differ(const rule_set& was, const rule_set& is,
                                        const std::vector<std::string>& targets) {
  std::set<placed_rule> found;
  for (const std::string& target : targets) {
    const std::string url = "https://example.com" + target;
    const auto before = was.match(url);
    const auto after = is.match(url);
    if (before.allowed != after.allowed) {
      found.emplace(0, before.line);
      found.emplace(1, after.line);
    }
  }
  const auto meaning = [](const listed_rule& rule) {
    return std::tie(rule.compared, rule.anchored, rule.kind, rule.rank);
  };
  found.erase({0, 0});
  found.erase({1, 0});
  for (const listed_rule& before : was.list()) {
    for (const listed_rule& after : is.list()) {
      if (meaning(before) == meaning(after)) {
        found.erase({0, before.line});
        found.erase({1, after.line});
      }
    }
  }
  return found;
}

TEST_CASE("diff misses at most 1 of 1,000 changes that an enumeration of targets finds") {
  const std::vector<std::string> targets = all_targets("ab/z", 5);
  std::mt19937 random{20261122};
  std::size_t alike = 0;
  std::size_t changes = 0;
  std::size_t missed = 0;
  constexpr std::size_t rounds = 800;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string before = random_rules(random, "aab*/*");
    std::string after = round % 2 == 0 ? random_rules(random, "aab*/*") : before;
    if (round % 2 == 1) {
      after.erase(14 + random() % (after.size() - 13), random() % 6);
      after += random_rules(random, "aab*/*");
    }
    parse_options options;
    options.dialect = round % 8 == 7 ? dialect::google : dialect::rfc9309;
    options.tie = round % 5 == 4 ? robots::tie_break::disallow : robots::tie_break::allow;
    options.prepend_slash = round % 3 == 2;
    const auto was = compile(before, "FooBot", options);
    const auto is = compile(after, "FooBot", options);
    const auto found = diff(before, after, "FooBot", options);
    CAPTURE(before);
    CAPTURE(after);
    CHECK(found.complete);
    std::set<placed_rule> reported;
    for (const rule_change& change : found.rules) {
      CAPTURE(change.example);
      CHECK(was.allows(change.example) != is.allows(change.example));
      CHECK(is.allows(change.example) == change.example_allowed);
      reported.emplace(0, change.before ? change.before->line : 0);
      reported.emplace(1, change.after ? change.after->line : 0);
    }
    const auto expected = rules_that_differ(was, is, targets);
    changes += expected.size();
    missed += static_cast<std::size_t>(
        std::count_if(expected.begin(), expected.end(),
                      [&](const placed_rule& rule) { return !reported.contains(rule); }));
    alike += found.rules.empty() ? 1 : 0;
    CHECK(found.rules.empty() == diff(after, before, "FooBot", options).rules.empty());
  }
  CHECK(changes > 1'000);
  CHECK(missed * 1'000 <= changes);
  CHECK(alike > rounds / 10);
  CHECK(alike < rounds * 9 / 10);
}

TEST_CASE("The example of a change is a valid target, whatever octets the pattern has") {
  const auto was = compile("User-agent: *\nDisallow: /\n", "FooBot");
  for (const std::string_view pattern : {"/%%341$", "/%25x", "/%a$", "/%%61f", "//x", "/%2A%24"}) {
    CAPTURE(pattern);
    for (const dialect reading : {dialect::rfc9309, dialect::google}) {
      parse_options options;
      options.dialect = reading;
      const std::string text = "User-agent: *\nDisallow: " + std::string{pattern} + "\n";
      const auto found = diff("", text, "FooBot", options);
      CHECK(!compile(text, "FooBot", options).allows(only(found).example));
    }
  }
}

TEST_CASE("The example is right if the policy before or after has no rules, and no dialect") {
  parse_options google;
  google.dialect = dialect::google;
  const rule_set rules = compile("User-agent: *\nDisallow: //x\n", "FooBot", google);
  CHECK(!rules.allows(only(robots::detail::diff(rules, {}, rule_set{}, {})).example));
  CHECK(!rules.allows(only(robots::detail::diff(rule_set{}, {}, rules, {})).example));
}

std::string many_rules(std::string_view begin, std::string_view end, std::size_t step) {
  std::string text = "User-agent: *\n";
  for (std::size_t i = 0; text.size() < 511'900; i += step) {
    text.append(i % 3 == 0 ? "Allow: " : "Disallow: ").append(begin);
    text.append(std::to_string(i)).append(end).append("\n");
  }
  return text;
}

TEST_CASE("Hostile files are compared in bounded time and never reported as equal") {
  struct row {
    std::string before;
    std::string after;
    bool complete;
  };
  const std::vector<row> rows{
      {many_rules("/", "", 1), many_rules("/", "", 3), true},
      {many_rules("/p/", "", 1), "User-agent: *\nDisallow: /p/\nAllow: /p/1\n", true},
      {many_rules("/*", "*x", 1), many_rules("/*", "*x", 3), false},
      {many_rules("*a*b*c*", "*a*b*c$", 1), many_rules("*b*a*c*", "*a*b*c$", 1), false},
      {many_rules("/" + std::string(8'000, 'a') + "*", "", 1),
       many_rules("/" + std::string(8'000, 'a') + "*b", "", 1), false},
  };
  for (const row& sample : rows) {
    CAPTURE(sample.before.substr(0, 60));
    const auto found = diff(sample.before, sample.after, "FooBot");
    CHECK(!found.same());
    CHECK(found.complete == sample.complete);
    CHECK(found.share() > 0.1);
    CHECK(found.share() <= 1.0);
  }
}

}  // namespace
