// RFC 9309, section 2.2.4: "Parsing of other records MUST NOT interfere with the parsing of
// explicitly defined records." Extension lines anywhere in a file change no verdict.
#include "support/text_of.hpp"
#include <robots/rep.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef ROBOTS_CORPUS_DIR
#define ROBOTS_CORPUS_DIR ""
#endif

namespace {

using robots::dialect;
using robots::parse_options;
using robots::verdict;

constexpr std::array<std::string_view, 27> extensions{
    "Crawl-delay: 10",
    "Crawl-delay: nonsense",
    "Sitemap: https://example.com/sitemap.xml",
    "sitemap:",
    "Host: example.com",
    "Request-rate: 1/10s 0800-1300",
    "Visit-time: 0600-0845",
    "Clean-param: s&ref /a",
    "Noindex: /",
    "noindex: /a",
    "Content-Signal: search=no, ai-train=no, ai-input=no",
    "Content-Signal: /a ai-train=no",
    "Content-Usage: train-ai=n",
    "Content-Usage: /a train-ai=y, search=n",
    "Content-Signal: use=full, future=no",
    "License: https://example.com/license.xml",
    "License: /license.xml",
    "Cache-delay: 3",
    "Comment: Disallow: /",
    "X-Disallow: /",
    "X-User-agent: *",
    "Robot-version: 2.0.0",
    "Unknown:",
    "  Indented : value # comment",
    "# User-agent: *",
    "",
    "a: *",
};

// Each directive that changes no verdict has a line in the list.
constexpr bool has_a_line(robots::directive_kind kind) {
  using enum robots::directive_kind;
  const std::string_view key = to_string(kind);
  return kind == user_agent || kind == allow || kind == disallow ||
         std::any_of(extensions.begin(), extensions.end(), [key](std::string_view line) {
           return line.starts_with(key) && line.substr(key.size()).starts_with(':');
         });
}
constexpr robots::directive_kind kind_without_line() {
  auto kind = robots::directive_kind{};
  while (kind != robots::directive_kind::unknown && has_a_line(kind)) {
    kind = static_cast<robots::directive_kind>(static_cast<int>(kind) + 1);
  }
  return kind;
}
static_assert(kind_without_line() == robots::directive_kind::unknown, "add it to `extensions`");

// A line that views the text of its file cannot be read from a temporary document.
template <class Line>
constexpr bool reads_temporary =
    requires(robots::document&& file) { std::move(file).template read<Line>(); };
static_assert(!reads_temporary<robots::clean_param>);
static_assert(!reads_temporary<robots::content_signal>);
static_assert(!reads_temporary<robots::content_usage>);
static_assert(!reads_temporary<robots::license_line>);
static_assert(reads_temporary<robots::request_rate>);
static_assert(reads_temporary<robots::visit_time>);

// Without a word about it, a type counts as one that views the text.
struct new_line {
  [[maybe_unused]] static constexpr robots::directive_kind kind = robots::directive_kind::noindex;
  std::string_view target{};
  [[nodiscard]] static constexpr new_line parse(std::string_view value) noexcept { return {value}; }
};
static_assert(!reads_temporary<new_line>);

constexpr std::array<std::string_view, 7> files{
    "User-agent: a\nDisallow: /\n",
    "User-agent: a\nUser-agent: b\nDisallow: /x\nAllow: /x/y\n\nUser-agent: *\nDisallow: /z\n",
    "Disallow: /before\nUser-agent: *\nDisallow: /a*b$\nAllow: /ab\n",
    "User-agent: a\nUser-agent: *\nDisallow:\nUser-agent: b\nDisallow: /\n",
    "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: a\nDisallow: /x/y\n",
    "User-agent: a\n\nUser-agent: b\n\nDisallow: /x\n",
    "User-agent: *\nDisallow: /x\nAllow: /x\nDisallow: /a\nAllow: /index.html\nDisallow: /i\n",
};

constexpr std::array<std::string_view, 4> agents{"a", "b", "c", "*"};
constexpr std::array<std::string_view, 10> targets{"/",  "/1",  "/2",     "/x",  "/x/y/z",
                                                   "/z", "/ab", "/a/b/c", "/ib", "/before"};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool same(const verdict& a, const verdict& b) {
  return a.allowed == b.allowed && a.directive == b.directive && a.pattern == b.pattern &&
         a.user_agent == b.user_agent;
}

// Returns true if both texts give equal verdicts, apart from line numbers.
bool all_same(std::string_view before, std::string_view after) {
  for (const dialect reading : {dialect::rfc9309, dialect::google}) {
    const parse_options options{.dialect = reading};
    const robots::document old_file = robots::parse(before, options);
    const robots::document new_file = robots::parse(after, options);
    for (const std::string_view agent : agents) {
      const robots::rule_set old_rules = robots::compile(before, agent, options);
      const robots::rule_set new_rules = robots::compile(after, agent, options);
      for (const std::string_view target : targets) {
        if (!same(old_file.match(target, agent), new_file.match(target, agent)) ||
            !same(old_rules.match(target), new_rules.match(target))) {
          return false;
        }
      }
    }
  }
  return true;
}

TEST_CASE("One extension line anywhere changes no verdict") {
  for (const std::string_view file : files) {
    const std::vector<std::string_view> lines = lines_of(file);
    for (const std::string_view extension : extensions) {
      for (std::size_t place = 0; place <= lines.size(); ++place) {
        std::string changed;
        for (std::size_t i = 0; i <= lines.size(); ++i) {
          if (i == place) {
            changed.append(extension).append("\n");
          }
          if (i < lines.size()) {
            changed.append(lines[i]).append("\n");
          }
        }
        CAPTURE(changed);
        CHECK(all_same(file, changed));
      }
    }
  }
}

TEST_CASE("Any number of extension lines anywhere change no verdict") {
  std::mt19937 random{9309};
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 300; ++round) {
    const std::string_view file = files[below(files.size())];
    std::string changed;
    const auto extend = [&] {
      for (std::size_t count = below(4); count > 0; --count) {
        changed.append(extensions[below(extensions.size())]).append("\n");
      }
    };
    for (const std::string_view line : lines_of(file)) {
      extend();
      changed.append(line).append("\n");
    }
    extend();
    CAPTURE(changed);
    CHECK(all_same(file, changed));
  }
}

// The files are real. They are beside the project, if they are there at all.
TEST_CASE("Lines about use between all lines of a real file change no verdict") {
  const std::filesystem::path folder{std::filesystem::path{ROBOTS_CORPUS_DIR} / "files"};
  if (!std::filesystem::is_directory(folder)) {
    MESSAGE("skipped: set ROBOTS_CORPUS_DIR to a folder with real files");
    return;
  }
  constexpr std::array<std::string_view, 4> usage_lines{
      "Content-Signal: search=yes, ai-train=no\n", "Content-Usage: /a train-ai=n\n",
      "License: https://example.com/license.xml\n", "Content-Signal: /x use=full\n"};
  std::size_t files_asked = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    const std::string text = robots::test::text_of(entry.path());
    std::string changed;
    std::size_t number = 0;
    for (const char c : text) {  // a line stays behind the first, which can have a byte order mark
      changed += c;
      if (c == '\n') {
        changed += usage_lines[number++ % usage_lines.size()];
      }
    }
    constexpr std::size_t limit = 512'000;  // beyond it, more lines cut another part of the file
    if (changed.size() > limit) {
      continue;
    }
    ++files_asked;
    const robots::rule_set before = robots::compile(text, "Googlebot");
    const robots::rule_set after = robots::compile(changed, "Googlebot");
    for (const std::string_view target : {"/", "/a", "/search?q=1", "/wp-admin/", "/x/y.pdf"}) {
      CAPTURE(entry.path().string());
      CAPTURE(target);
      CHECK(same(before.match(target), after.match(target)));
    }
  }
  CHECK(files_asked > 0);
}

TEST_CASE("The comparison detects a line that is not an extension") {
  CHECK_FALSE(all_same(files[1], "User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /x\n"));
}

}  // namespace
