#include <robots/rep/rules/detail/rule_collector.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace {

using robots::rep_detail::rule_table;

rule_table lay_out(const std::string& text) {
  const robots::parse_options options{.max_bytes = 10'000'000};
  const std::string_view user_agent = "*";
  robots::rep_detail::rule_collector collector{std::span{&user_agent, 1}, options};
  robots::scan(text, collector, options);
  return collector.table();
}

/// Returns the number of rules in the fullest bucket.
std::size_t fullest(const rule_table& table) {
  std::size_t most = 0;
  std::size_t end = table.facts.rules;
  for (std::size_t place = table.facts.rules_at() - sizeof(std::uint32_t);
       place > sizeof(robots::rep_detail::prefix_lengths);) {
    place -= sizeof(std::uint32_t);
    const auto first =
        static_cast<std::size_t>(robots::rep_detail::part_of_word<4>(table.block(), place));
    most = std::max(most, end - first);
    end = first;
  }
  return most;
}

template <class Pattern>
std::string rules(int count, Pattern pattern) {
  std::string text = "User-agent: *\n";
  for (int i = 0; i < count; ++i) {
    text += "Disallow: " + pattern(std::to_string(10'000 + i)) + "\n";
  }
  return text;
}

TEST_CASE("Only a few of 20,000 different rules share a bucket, and every rule has one") {
  const std::string text = rules(20'000, [](const std::string& number) {
    return number.back() == '7' ? "/shop/" + number + "/*.html$" : "/section-" + number + "/page";
  });
  const rule_table table = lay_out(text);
  CHECK(table.facts.rules == 20'000);
  CHECK(table.facts.tried == 0);
  CHECK(fullest(table) <= 24);
}

TEST_CASE("Rules that begin with a wildcard are found by their rarest octets") {
  const rule_table table = lay_out(
      rules(20'000, [](const std::string& number) { return "/*/x" + number + "y/*.html$"; }));
  CHECK(table.facts.tried == 0);
  CHECK(table.facts.prefix_buckets == 0);
  CHECK(table.facts.gram_buckets > 0);
  CHECK(fullest(table) <= 64);
}

TEST_CASE("Many wildcard rules after one short prefix do not fill one bucket") {
  const rule_table table =
      lay_out(rules(20'000, [](const std::string& number) { return "/a*" + number + "z"; }));
  CHECK(table.facts.tried == 0);
  CHECK(fullest(table) <= 64);
}

TEST_CASE(
    "A target whose hashes share a bucket with a rule, but not its tag, is decided correctly") {
  const std::uint64_t wanted = robots::rep_detail::hash_of("aaaa");
  std::string beside;
  for (std::uint32_t i = 0; beside.empty() && i < (1U << 24U); ++i) {
    std::string octets(4, '!');
    for (std::size_t offset = 0; offset < 4; ++offset) {
      octets[offset] = static_cast<char>('A' + (i >> (6 * offset) & 0x3FU) % 58);
    }
    robots::rep_detail::for_each_gram(octets, [&](std::uint64_t hash) {
      if (hash >> 46U == wanted >> 46U &&
          robots::rep_detail::tag_of(hash) != robots::rep_detail::tag_of(wanted)) {
        beside = octets;
      }
    });
  }
  REQUIRE_FALSE(beside.empty());
  const std::string text = rules(2'000, [](const std::string& number) {
    return "*aaaa*" + number.substr(0, 2) + "*" + number.substr(2, 1) + "*" + number.substr(3);
  });
  const auto file = robots::parse(text);
  const auto compiled = file.rules_for("x");
  std::string target = "/";
  for (int i = 0; i < 2'000; ++i) {
    target += beside;
  }
  for (const std::string_view end : {"", "aaaa", "aaaa11x2", "aaaa11x2x34", "aaa"}) {
    CAPTURE(end);
    const auto expected = file.match(target + std::string{end}, "x");
    CHECK(compiled.match(target + std::string{end}).line == expected.line);
    CHECK(compiled.allows(target + std::string{end}) == expected.allowed);
  }
}

}  // namespace
