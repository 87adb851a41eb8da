// Compares the tables of fields in tests/guides/ with the headers, and checks the shape of the
// guides: each question has a page, and each link leads somewhere.
#include "support/text_of.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::string project_text(const std::string& path) {
  return robots::test::text_of(fs::path{ROBOTS_SOURCE_DIR} / path);
}

/// Returns a text without its comments.
std::string code_of(const std::string& text) {
  std::istringstream lines{text};
  std::string code;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comment = line.find("//");
    const bool is_comment =
        comment != std::string::npos && (comment == 0 || line[comment - 1] != ':');
    code += (is_comment ? line.substr(0, comment) : line) + '\n';
  }
  return code;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \n");
  const auto last = text.find_last_not_of(" \n");
  return first == text.npos ? std::string{} : std::string{text.substr(first, last + 1 - first)};
}

/// Returns the words of a text, joined by single spaces.
std::string on_one_line(std::string_view text) {
  std::istringstream words{std::string{text}};
  std::string joined;
  for (std::string word; words >> word;) {
    joined += (joined.empty() ? "" : " ") + word;
  }
  return joined;
}

void check_same(const std::set<std::string>& in_headers, const std::set<std::string>& in_page) {
  for (const std::string& row : in_headers) {
    CAPTURE(row);
    CHECK_MESSAGE(in_page.contains(trimmed(row)), "the page lacks this row");
  }
  for (const std::string& row : in_page) {
    CAPTURE(row);
    CHECK_MESSAGE(std::any_of(in_headers.begin(), in_headers.end(),
                              [&row](const std::string& own) { return trimmed(own) == row; }),
                  "no header has this");
  }
}

/// Returns the part of a text that begins with `from` and ends before the next `to`.
std::string part_of(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

/// Returns the names in backticks after each `mark`, such as `| ` at the start of a row.
std::set<std::string> names_after(const std::string& text, const std::string& mark) {
  std::set<std::string> names;
  for (std::size_t begin = text.find(mark + '`'); begin != std::string::npos;
       begin = text.find(mark + '`', begin + 1)) {
    const std::size_t name = begin + mark.size() + 1;
    names.insert(text.substr(name, text.find('`', name) - name));
  }
  return names;
}

/// Returns the names of the members of a struct that has no functions before its members.
std::set<std::string> members_of(const std::string& header, const std::string& owner) {
  std::set<std::string> members;
  std::istringstream lines{
      code_of(part_of(project_text(header), "struct " + owner + " {\n", "\n};"))};
  std::string first_line;
  std::getline(lines, first_line);
  for (std::string line; std::getline(lines, line) && line.find('(') == std::string::npos;) {
    const std::size_t end = line.find_first_of("={;");
    if (end != std::string::npos) {
      const std::string declared = trimmed(std::string_view{line}.substr(0, end));
      members.insert(declared.substr(declared.find_last_of(' ') + 1));
    }
  }
  return members;
}

/// Returns the names of the pages in tests/guides/, such as `fleet.md`.
std::set<std::string> guides() {
  std::set<std::string> pages;
  for (const fs::directory_entry& entry :
       fs::directory_iterator{fs::path{ROBOTS_SOURCE_DIR} / "tests/guides"}) {
    pages.insert(entry.path().filename().string());
  }
  return pages;
}

/// Returns a page without its blocks of code.
std::string prose_of(const std::string& page) {
  std::istringstream lines{page};
  std::string prose;
  bool is_code = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.starts_with("```");
    is_code = is_code != is_fence;
    prose += is_code || is_fence ? "\n" : line + '\n';
  }
  return prose;
}

/// Returns the targets of the links in a page, such as `fleet.md#take-turns-at-a-host`.
std::vector<std::string> links_in(const std::string& page) {
  const std::string prose = prose_of(page);
  std::vector<std::string> links;
  for (std::size_t begin = prose.find("]("); begin != std::string::npos;
       begin = prose.find("](", begin + 1)) {
    links.push_back(prose.substr(begin + 2, prose.find(')', begin) - begin - 2));
  }
  return links;
}

/// Returns the names by which links reach the headings of a page, as GitHub makes them.
std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> anchors;
  std::istringstream lines{prose_of(page)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) {
      continue;
    }
    std::string anchor;
    for (const char c : line.substr(line.find(' ') + 1)) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (c == ' ') {
        anchor += '-';
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

/// Returns the words of a list such as `./run demo | test | check`, after `mark`, up to `end`.
std::set<std::string> listed_commands(const std::string& text, std::string_view mark,
                                      std::string_view end) {
  std::istringstream words{part_of(text, mark, end).substr(mark.size())};
  std::set<std::string> commands;
  for (std::string word; words >> word;) {
    if (word != "|") {
      commands.insert(word);
    }
  }
  return commands;
}

/// Returns the commands that a page names, as in `./run test`.
std::set<std::string> commands_in(const std::string& page) {
  constexpr std::string_view mark = "./run ";
  std::set<std::string> commands;
  for (std::size_t begin = page.find(mark); begin != std::string::npos;
       begin = page.find(mark, begin + 1)) {
    const std::size_t word = begin + mark.size();
    commands.insert(
        page.substr(word, page.find_first_not_of("abcdefghijklmnopqrstuvwxyz", word) - word));
  }
  return commands;
}

}  // namespace

TEST_CASE("./run lists its commands twice, in the same way, and no page names another command") {
  const std::string script = project_text("run");
  std::set<std::string> commands;
  std::istringstream lines{part_of(script, "\ncase $1 in\n", "\nesac")};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && line[2] != ' ' && line.ends_with(')')) {
      commands.insert(line.substr(2, line.size() - 3));
    }
  }
  CHECK(commands.contains("test"));
  CHECK(listed_commands(script, "\n# ./run ", ":\n") == commands);
  CHECK(listed_commands(script, "usage: ./run ", "\"") == commands);
  std::size_t named = 0;
  for (const char* folder : {"", "tests", "tests/guides", "benchmarks"}) {
    for (const fs::directory_entry& entry :
         fs::directory_iterator{fs::path{ROBOTS_SOURCE_DIR} / folder}) {
      if (entry.path().extension() == ".md") {
        for (const std::string& command : commands_in(robots::test::text_of(entry.path()))) {
          INFO(entry.path().filename().string() << " names ./run " << command);
          CHECK(commands.contains(command));
          ++named;
        }
      }
    }
  }
  CHECK(named > 10);
}

TEST_CASE("README.md and threads.md list each member of call_options, and no other") {
  std::set<std::string> members;
  std::istringstream lines{code_of(part_of(project_text("include/robots/fetch/call_options.hpp"),
                                           "struct call_options {\n", "\n};"))};
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t end = line.find("{};"); end != std::string::npos) {
      const std::size_t name = line.rfind(' ', end) + 1;
      members.insert(line.substr(name, end - name));
    }
  }
  CHECK(members.contains("deadline"));

  const std::string list = part_of(project_text("README.md"), "`call_options`: ", ".\n");
  check_same(members, names_after(list.substr(list.find(' ')), " "));
  const std::string page = project_text("tests/guides/threads.md");
  check_same(members, names_after(part_of(page, "take `call_options`:", "\n\nNo call"), "\n| "));
}

TEST_CASE("pages.md lists each member of page_result and page_hop, and no other") {
  const std::string page = project_text("tests/guides/pages.md");
  for (const std::string owner : {"page_result", "page_hop"}) {
    CAPTURE(owner);
    const std::set<std::string> members =
        members_of("include/robots/client/page_result.hpp", owner);
    CHECK(members.contains("url"));
    check_same(members,
               names_after(part_of(page, "| member of `" + owner + "` |", "\n\n"), "\n| "));
  }
}

TEST_CASE("index.md begins with six questions, and the page of each begins with a program") {
  const std::string index = project_text("tests/guides/index.md");
  const std::vector<std::string> pages = links_in(part_of(index, "| question |", "\n\n"));
  CHECK(pages.size() == 6);
  for (const std::string& name : pages) {
    CAPTURE(name);
    const std::string page = project_text("tests/guides/" + name);
    const std::size_t choices = page.find("\n## Choices\n");
    CHECK(page.find("\n```cpp\n") < page.find("\n## "));
    CHECK(choices != std::string::npos);
    CHECK(choices < page.find("\n## What goes wrong\n"));
    CHECK(page.find("\n## What goes wrong\n") != std::string::npos);
  }
  // README.md asks the same questions in the same order.
  const std::string list = part_of(project_text("README.md"), "## Guides\n", "\n## ");
  std::vector<std::string> first = links_in(list);
  REQUIRE(first.size() >= pages.size());
  first.resize(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    CHECK(first[i] == "tests/guides/" + pages[i]);
  }
}

TEST_CASE("Each guide is in index.md and in the menu of the website, and its programs are tested") {
  const std::vector<std::string> first = links_in(project_text("README.md"));
  CHECK(std::find(first.begin(), first.end(), "tests/guides/index.md") != first.end());
  const std::vector<std::string> links = links_in(project_text("tests/guides/index.md"));
  const std::string menu = project_text(".cmake/docs/layout.xml");
  const std::string listed = project_text("tests/readme/CMakeLists.txt");
  const std::string tested = on_one_line(part_of(listed, "  guide IN\n", ")")) + ' ';
  for (const std::string& page : guides()) {
    CAPTURE(page);
    const std::string name = page.substr(0, page.find('.'));
    CHECK(menu.find("\"@ref guide_" + name + '"') != std::string::npos);
    if (page != "index.md") {
      CHECK(std::find(links.begin(), links.end(), page) != links.end());
    }
    if (project_text("tests/guides/" + page).find("\n```cpp\n") != std::string::npos) {
      CHECK(tested.find(' ' + name + ' ') != std::string::npos);
    }
  }
}

TEST_CASE("Each link of a document of the project leads to a file, and to a heading that it has") {
  const fs::path root{ROBOTS_SOURCE_DIR};
  std::vector<fs::path> pages;
  for (const std::string_view folder : {"", "tests", "tests/guides", "benchmarks"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator{root / folder}) {
      if (entry.path().extension() == ".md") {
        pages.push_back(entry.path());
      }
    }
  }
  CHECK(pages.size() > 25);
  for (const fs::path& path : pages) {
    const std::string page = robots::test::text_of(path);
    for (const std::string& link : links_in(page)) {
      INFO(path.string() << ": " << link);
      const std::size_t hash = std::min(link.find('#'), link.size());
      const std::string file = link.substr(0, hash);
      if (link.find("://") != std::string::npos) {
        continue;
      }
      const fs::path target = file.empty() ? path : path.parent_path() / file;
      CHECK(fs::exists(target));
      if (hash < link.size() && target.extension() == ".md" && fs::exists(target)) {
        CHECK(anchors_of(robots::test::text_of(target)).contains(link.substr(hash + 1)));
      }
    }
  }
}
