// Checks that the items of observability.md exist.
#include <doctest/doctest.h>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

/// All headers, and the program's sources.
std::string sources() {
  std::string all;
  for (const char* folder : {"include", "tests/tools"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{fs::path{ROBOTS_SOURCE_DIR} / folder}) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".hpp") || name.ends_with(".ipp") || name.starts_with("check_")) {
        all += text_of(entry.path());
      }
    }
  }
  return all;
}

/// Returns true if a text has a name that is no part of a longer one.
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
