// Checks that the items of observability.md and the tests of rfc9309.md and requirements.md exist.
#include "support/text_of.hpp"

#include <doctest/doctest.h>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;
using robots::test::text_of;

namespace {

/// Returns the text of all headers and of the sources of robots-check.
std::string sources() {
  std::string all;
  for (const char* folder : {"include", "tests/tools"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{fs::path{ROBOTS_SOURCE_DIR} / folder}) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".hpp") || name.starts_with("check_")) {
        all += text_of(entry.path());
      }
    }
  }
  return all;
}

/// Returns true if a text has a name as a whole word.
bool has_name(const std::string& text, const std::string& name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t position = text.find(name); position != std::string::npos;
       position = text.find(name, position + 1)) {
    if ((position == 0 || !is_part(text[position - 1])) && !is_part(text[position + name.size()])) {
      return true;
    }
  }
  return false;
}

/// Returns a text on one line. Joins adjacent literals, resolves escapes, and removes the slashes
/// of comments.
std::string flattened(const std::string& text) {
  std::string flat;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      flat += text[++i];
    } else if (c == '\n' || c == ' ') {
      flat += flat.ends_with(' ') ? "" : " ";
    } else if (c == '/' && text.substr(i, 3) == "// ") {
      i += 2;
    } else if (c == '"' && flat.ends_with("\" ")) {
      flat.resize(flat.size() - 2);
    } else {
      flat += c;
    }
  }
  return flat;
}

/// Checks that the tests that a page names exist. Returns their number.
std::size_t check_named_tests(const std::string& page_name) {
  const fs::path tests = fs::path{ROBOTS_SOURCE_DIR} / "tests";
  std::istringstream page{text_of(tests / page_name)};
  std::map<std::string, std::string> files;
  std::size_t names = 0;
  const std::regex path_and_names{
      "([a-z_/0-9]+\\.(?:cpp|json|hpp)): ((?:(?:table )?`[^`]+`(?:, )?)+)"};
  const std::regex quoted{"`([^`]+)`"};
  for (std::string line; std::getline(page, line);) {
    for (std::sregex_iterator found{line.begin(), line.end(), path_and_names}, end; found != end;
         ++found) {
      const std::string path = (*found)[1];
      if (!files.contains(path)) {
        files[path] = flattened(text_of(tests / path));
      }
      const std::string list = (*found)[2];
      for (std::sregex_iterator name{list.begin(), list.end(), quoted}; name != end; ++name) {
        CAPTURE(path);
        CAPTURE((*name)[1]);
        CHECK(files[path].find(flattened((*name)[1])) != std::string::npos);
        ++names;
      }
    }
  }
  return names;
}

}  // namespace

TEST_CASE("Every name in observability.md is in the library") {
  const std::string all = sources();
  std::istringstream page{text_of(fs::path{ROBOTS_SOURCE_DIR} / "tests/observability.md")};
  std::size_t names = 0;
  for (std::string line; std::getline(page, line);) {
    std::string_view rest = line;
    if (!rest.starts_with("| ")) {
      continue;
    }
    rest.remove_prefix(rest.find(" | ") + 1);
    for (std::size_t begin = rest.find('`'); begin != std::string_view::npos;
         begin = rest.find('`')) {
      rest.remove_prefix(begin + 1);
      const std::size_t end = rest.find('`');
      REQUIRE(end != std::string_view::npos);
      const std::string name{rest.substr(0, end)};
      rest.remove_prefix(end + 1);
      CAPTURE(line);
      CAPTURE(name);
      CHECK(has_name(all, name));
      ++names;
    }
  }
  CHECK(names > 80);
}

TEST_CASE("Every test in rfc9309.md exists") { CHECK(check_named_tests("rfc9309.md") > 300); }

TEST_CASE("Every test in requirements.md exists") {
  CHECK(check_named_tests("requirements.md") > 150);
}
