// Records of real files have the same meaning after they were encoded and decoded.
#include "policy/record_samples.hpp"
#include "support/text_of.hpp"
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#ifndef ROBOTS_CORPUS_DIR
#define ROBOTS_CORPUS_DIR ""
#endif

namespace {

using robots::outcome;
using robots::policy;
using robots::record;

/// Returns true if two policies have the same contents and give the same verdicts.
bool agree(const policy& a, const policy& b, const std::vector<std::string>& targets) {
  bool same = a.last_retrieval() == b.last_retrieval() && a.basis() == b.basis() &&
              a.fingerprint() == b.fingerprint() && a.sitemaps() == b.sitemaps() &&
              a.lines().malformed == b.lines().malformed && a.lines().guessed == b.lines().guessed;
  for (const std::string& target : targets) {
    const robots::verdict one = a.match(target);
    const robots::verdict two = b.match(target);
    same = same && one.allowed == two.allowed && one.line == two.line && one.exempt == two.exempt;
  }
  return same;
}

TEST_CASE("Records of real files have the same meaning after they were encoded, for any crawler") {
  const std::filesystem::path folder{ROBOTS_CORPUS_DIR};
  if (folder.empty() || !std::filesystem::exists(folder / "verdicts.tsv")) {
    std::cout << "corpus: not there; set ROBOTS_CORPUS_DIR to a folder with verdicts.tsv\n";
    return;
  }
  std::ifstream in{folder / "verdicts.tsv"};
  std::string file;
  record retrieved;
  record decoded;
  std::vector<std::string> targets;
  int files = 0;
  int wrong = 0;
  const auto ask = [&] {
    for (const char* const name : {"FooBot/1.0", "Googlebot", "GPTBot", "*"}) {
      for (const auto preset :
           {robots::fallback_policy::rfc9309(), robots::fallback_policy::strict()}) {
        const robots::detail::judge_options options{.fallback = preset};
        wrong +=
            agree(*robots::detail::judge(retrieved, name, options, {}, robots::test::record_anchor),
                  *robots::detail::judge(decoded, name, options, {}, robots::test::record_anchor),
                  targets)
                ? 0
                : 1;
      }
    }
    targets.clear();
  };
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    const std::string name = line.substr(0, first);
    if (name != file) {
      ask();
      file = name;
      ++files;
      retrieved = robots::test::record_of_outcome(outcome::success,
                                                  robots::test::text_of(folder / "files" / file));
      const robots::detail::decoded<robots::record> back =
          robots::detail::decode(robots::detail::encode(retrieved));
      REQUIRE(back.value == retrieved);
      decoded = *back.value;
    }
    targets.push_back(line.substr(second + 1, line.find('\t', second + 1) - second - 1));
  }
  ask();
  CHECK(wrong == 0);
  CHECK(files > 0);
  std::cout << "corpus: records of " << files << " files judged alike for four crawlers\n";
}

}  // namespace
