// A word of the glossary in CONTRIBUTING.md has one meaning, so only the folders that deal with
// this meaning may use the word in their names.
#include "support/text_of.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

namespace fs = std::filesystem;

namespace {

/// A word of the glossary, and the rooms whose names may have it.
struct glossary_word {
  std::string_view word;
  std::string_view rooms;  ///< paths below include/robots, with a space before and after each
};

constexpr std::array<glossary_word, 10> glossary{{
    {"admission", " polite observe client adapters "},
    {"flight", " cache policy "},
    {"guard", " http fetch adapters/curl "},
    {"halt", " rulings cache policy observe adapters "},
    {"leader", " cache "},
    {"lease", " store cache testing adapters/redis adapters/sqlite "},
    {"quarantine", " rulings cache policy observe adapters "},
    {"reservation", " polite client "},
    {"turn", " polite adapters/redis "},
    {"verdict", " rep usage policy cache observe polite adapters "},
}};

/// Names that have a word of the glossary and mean something else: names of other libraries, and
/// "in flight", the usual term for requests that have no response yet.
constexpr std::array<std::string_view, 7> other_meanings{
    "lock_guard",    "executor_work_guard", "sigpipe_guard",        "in_flight",
    "max_in_flight", "tdm_reservation",     "parse_tdm_reservation"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns the code of a line, without literals and comments.
std::string without_literals(std::string_view line) {
  std::string code;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      i += c == '\\' ? 1U : 0U;
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(line[i - 1])))) {
      quote = c;
    } else if (line.substr(i).starts_with("//")) {
      break;
    } else {
      code += c;
    }
  }
  return code;
}

/// Returns true if one of the words in a name such as `lease_key` is `word`.
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t i = name.find(word); i != std::string_view::npos; i = name.find(word, i + 1)) {
    const std::size_t end = i + word.size();
    if ((i == 0 || name[i - 1] == '_') && (end == name.size() || name[end] == '_')) {
      return true;
    }
  }
  return false;
}

/// Returns true if a path such as `adapters/redis/detail/client.hpp` is in one of the rooms. A file
/// outside all rooms, such as fwd.hpp, may name everything.
bool is_in_rooms(std::string_view path, std::string_view rooms) {
  if (path.find('/') == std::string_view::npos) {
    return true;
  }
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const std::string folder = " " + std::string{path.substr(0, end)} + " ";
    if (rooms.find(folder) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Returns the number of names in a line that have a word of the glossary outside the rooms of that
/// word. `path` is relative to include/robots.
std::size_t misnamed_in(std::string_view code, std::string_view path) {
  std::size_t count = 0;
  for (std::size_t start = 0; start < code.size();) {
    std::size_t end = start;
    while (end < code.size() && is_word(code[end])) {
      ++end;
    }
    const std::string_view name = code.substr(start, end - start);
    start = (std::max)(end, start + 1);
    if (std::ranges::find(other_meanings, name) != other_meanings.end()) {
      continue;
    }
    for (const glossary_word& own : glossary) {
      count += has_word(name, own.word) && !is_in_rooms(path, own.rooms) ? 1U : 0U;
    }
  }
  return count;
}

}  // namespace

TEST_CASE(
    "A name has a word of the glossary only in the folders that the glossary gives for the word") {
  const fs::path root = fs::path{ROBOTS_SOURCE_DIR} / "include/robots";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{root}) {
    if (!entry.is_regular_file()) {
      continue;
    }
    std::istringstream lines{robots::test::text_of(entry.path())};
    const std::string path = fs::relative(entry.path(), root).generic_string();
    for (std::string line; std::getline(lines, line);) {
      const bool is_include = line.starts_with("#include");
      INFO(path << ": " << line);
      CHECK((is_include || misnamed_in(without_literals(line), path) == 0));
    }
  }
}

TEST_CASE("The check of the glossary finds each word in a folder that must not use it") {
  for (const glossary_word& own : glossary) {
    CAPTURE(own.word);
    const std::string line = "  int last_" + std::string{own.word} + " = 0;";
    CHECK(misnamed_in(line, "base/text.hpp") == 1);
    const std::size_t end = own.rooms.find(' ', 1);
    CHECK(misnamed_in(line, std::string{own.rooms.substr(1, end - 1)} + "/a.hpp") == 0);
    CHECK(misnamed_in(without_literals("  f(\"a_" + std::string{own.word} + "\");"),
                      "base/text.hpp") == 0);
  }
}
