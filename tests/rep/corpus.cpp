#include "support/text_of.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#ifndef ROBOTS_CORPUS_DIR
#define ROBOTS_CORPUS_DIR ""
#endif

namespace {

/// One question that was put to google/robotstxt about a real file, and its answer.
struct question {
  std::string file;
  std::string user_agent;
  std::string target;
  std::string allowed;
  std::string flags;

  friend std::istream& operator>>(std::istream& in, question& out) {
    for (std::string* field : {&out.file, &out.user_agent, &out.target, &out.allowed}) {
      std::getline(in, *field, '\t');
    }
    return std::getline(in, out.flags);
  }
};

struct tally {
  int agree = 0;
  int asked = 0;

  void add(bool same) {
    ++asked;
    agree += same ? 1 : 0;
  }
};

void print(std::string_view dialect, const std::map<std::string, tally>& results) {
  for (const auto& [flags, result] : results) {
    std::cout << "corpus, " << dialect << ", flags " << flags << ": " << result.agree << " of "
              << result.asked << " agree\n";
  }
}

/// A real file, read in one dialect and compiled for the crawler of the latest question.
class reading {
 public:
  explicit reading(robots::dialect dialect) : options_{.dialect = dialect} {}

  void open(std::string text) {
    text_ = std::move(text);
    document_ = robots::parse(text_, options_);
    user_agent_.clear();
  }

  [[nodiscard]] bool allows(const question& q) {
    if (q.user_agent != user_agent_) {
      user_agent_ = q.user_agent;
      rules_ = robots::compile(text_, user_agent_, options_);
    }
    const bool allowed = document_.allows(q.target, q.user_agent);
    consistent_ = consistent_ && rules_.allows(q.target) == allowed;
    return allowed;
  }

  /// Returns true if the document and the compiled rules gave the same answers so far.
  [[nodiscard]] bool consistent() const { return consistent_; }

 private:
  robots::parse_options options_;
  std::string text_;
  robots::document document_;
  std::string user_agent_;
  robots::rule_set rules_;
  bool consistent_ = true;
};

TEST_CASE("Verdicts about real files agree with google/robotstxt's") {
  const std::filesystem::path folder{ROBOTS_CORPUS_DIR};
  if (folder.empty() || !std::filesystem::exists(folder / "verdicts.tsv")) {
    std::cout << "corpus: not there; set ROBOTS_CORPUS_DIR to a folder with verdicts.tsv\n";
    return;
  }
  std::ifstream in{folder / "verdicts.tsv"};
  reading rfc9309{robots::dialect::rfc9309};
  reading google{robots::dialect::google};
  std::map<std::string, tally> ours;
  std::map<std::string, tally> theirs;
  std::string file;
  for (question q; in >> q;) {
    if (q.file != file) {
      file = q.file;
      rfc9309.open(robots::test::text_of(folder / "files" / file));
      google.open(robots::test::text_of(folder / "files" / file));
    }
    const bool expected = q.allowed == "1";
    const bool as_rfc9309 = rfc9309.allows(q) == expected;
    const bool as_google = google.allows(q) == expected;
    ours[q.flags].add(as_rfc9309);
    theirs[q.flags].add(as_google);
    if (q.flags == "-" && !as_rfc9309) {
      MESSAGE("rfc9309: " << file << ' ' << q.target);
    }
    if (q.flags.find("size") == std::string::npos && !as_google) {
      MESSAGE("google: " << file << ' ' << q.target);
    }
  }
  print("rfc9309", ours);
  print("google", theirs);
  CHECK(rfc9309.consistent());
  CHECK(google.consistent());
  REQUIRE(ours["-"].asked > 0);
  CHECK(ours["-"].agree == ours["-"].asked);
  for (const auto& [flags, result] : theirs) {
    if (flags.find("size") == std::string::npos) {
      CHECK(result.agree == result.asked);
    }
  }
}

}  // namespace
