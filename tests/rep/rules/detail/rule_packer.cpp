#include <robots/rep/rules/detail/rule_packer.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::rep_detail::hash_bucket;
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
  std::size_t end = table.facts().rules;
  for (std::size_t place = table.facts().rules_at() - hash_bucket::stored_size;
       place > table.facts().buckets_at;) {
    place -= hash_bucket::stored_size;
    const std::size_t first = hash_bucket::load(table.block(), place).first;
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

TEST_CASE("Up to 8 rules are listed, without buckets") {
  const auto pattern = [](const std::string& number) { return "/section-" + number; };
  const rule_table few = lay_out(rules(8, pattern));
  CHECK(few.facts().has_list());
  CHECK(few.facts().rules_at() == 0);
  CHECK(few.memory.memory_bytes() <= sizeof(robots::rep_detail::rule_block) + 8 * (12 + 14) + 1);
  CHECK_FALSE(lay_out(rules(9, pattern)).facts().has_list());
}

/// Compares the verdicts of the rules `few`, which are listed, with those of a document, and of the
/// same rules among many.
void check_listed(const std::string& few) {
  CAPTURE(few);
  std::string many = few;
  for (int i = 0; i < 32; ++i) {
    many += "Disallow: /unused/" + std::to_string(i) + "\n";
  }
  REQUIRE(lay_out(few).facts().has_list());
  REQUIRE_FALSE(lay_out(many).facts().has_list());
  const auto listed = robots::compile(few, "x");
  const auto hashed = robots::compile(many, "x");
  const auto file = robots::parse(few);
  const std::string octets = "abcdefx/.%$\xC3\xA9";
  for (std::size_t i = 0; i < 4'000; ++i) {
    std::string target = "/";
    for (std::size_t rest = i * 2'654'435'761U % 371'293; rest != 0; rest /= octets.size()) {
      target += octets[rest % octets.size()];
    }
    target += i % 7 == 0 ? ".php" : "";
    const auto expected = file.match(target, "x");
    if (const auto found = listed.match(target);
        found.line != expected.line || found.line != hashed.match(target).line ||
        found.allowed != expected.allowed || listed.allows(target) != expected.allowed) {
      FAIL(target);
    }
  }
}

TEST_CASE("Listed rules decide as the same rules in buckets") {
  const std::vector<std::string> lines{
      "Disallow: /",      "Allow: /a",         "Allow: /ab",           "Disallow: /abc",
      "Allow: /abcd$",    "Disallow: /b*",     "Allow: /b*c",          "Disallow: /ab*d",
      "Disallow: /%61bx", "Allow: /a\xC3\xA9", "Disallow: /*.php$",    "Allow: /abc/*/e$",
      "Allow: /a**f",     "Disallow: /ab$",    "Disallow: /a/b/c/d/e", "Allow: c"};
  for (std::size_t first = 0; first < lines.size(); ++first) {
    std::string few = "User-agent: *\n";
    for (std::size_t i = 0; i < 8; ++i) {
      few += lines[(first + i) % lines.size()] + "\n";
    }
    check_listed(few);
  }
}

TEST_CASE("Only a few of 20,000 different rules share a bucket, and every rule has one") {
  const std::string text = rules(20'000, [](const std::string& number) {
    return number.back() == '7' ? "/shop/" + number + "/*.html$" : "/section-" + number + "/page";
  });
  const rule_table table = lay_out(text);
  CHECK(table.facts().rules == 20'000);
  CHECK(table.facts().tried == 0);
  CHECK(fullest(table) <= 24);
}

TEST_CASE("Rules that begin with a wildcard are found by their rarest octets") {
  const rule_table table = lay_out(
      rules(20'000, [](const std::string& number) { return "/*/x" + number + "y/*.html$"; }));
  CHECK(table.facts().tried == 0);
  CHECK(table.facts().prefix_buckets == 0);
  CHECK(table.facts().gram_buckets > 0);
  CHECK(fullest(table) <= 64);
}

TEST_CASE("Thousands of rules with inner wildcards are found by their different prefixes") {
  const rule_table table = lay_out(
      rules(20'000, [](const std::string& number) { return "/shop/" + number + "/*.html$"; }));
  CHECK(table.facts().tried == 0);
  CHECK(table.facts().prefix_buckets > 0);
  CHECK(table.facts().gram_buckets == 0);
  CHECK(fullest(table) <= 24);
}

TEST_CASE("Most look-ups of a prefix that no rule has end at the bits of a bucket") {
  const rule_table table =
      lay_out(rules(20'000, [](const std::string& number) { return "/section-" + number; }));
  std::size_t present = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string other = "/section-" + std::to_string(50'000 + i);
    const auto [offset, bit] = table.facts().prefix_finder().of(robots::rep_detail::hash_of(other));
    present += (hash_bucket::load(table.block(), offset).present & bit) != 0 ? 1U : 0U;
  }
  CHECK(present <= 2'000);
}

TEST_CASE("Many wildcard rules after one short prefix do not fill one bucket") {
  const rule_table table =
      lay_out(rules(20'000, [](const std::string& number) { return "/a*" + number + "z"; }));
  CHECK(table.facts().tried == 0);
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
