// Lists that are written by hand. Each failure names the list and what it lacks.
#include "support/text_of.hpp"
#include <robots/rep/read/directive.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// A file that has to name certain things.
struct written_list {
  explicit written_list(std::string_view path_in_project)
      : path(path_in_project), text(robots::test::text_of(fs::path{ROBOTS_SOURCE_DIR} / path)) {}

  /// Checks that the file has `entry`. The last letter of `entry` ends a word.
  void must_have(const std::string& entry) const {
    const auto continues = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    bool is_found = false;
    for (std::size_t at = text.find(entry); at != std::string::npos && !is_found;
         at = text.find(entry, at + 1)) {
      const std::size_t end = at + entry.size();
      is_found = end == text.size() || !continues(entry.back()) || !continues(text[end]);
    }
    INFO("add to " << path << ": " << entry);
    CHECK(is_found);
  }

  std::string path;
  std::string text;
};

/// Returns the headers below a folder of the library, without bodies.
std::vector<fs::path> headers_below(std::string_view folder) {
  std::vector<fs::path> found;
  const fs::path root = fs::path{ROBOTS_SOURCE_DIR} / "include/robots";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{root / folder}) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".hpp") && !name.ends_with(".bodies.hpp")) {
      found.push_back(entry.path());
    }
  }
  return found;
}

/// Returns the types, concepts and functions that a header declares in the namespace `robots`.
std::set<std::string> public_names_in(const fs::path& header) {
  static const std::regex declared_type{
      "(?:struct|class|enum class|concept|using) (\\w+)(?: [=:{[].*|;|)"};
  static const std::regex declared_function{
      "(?:\\[\\[nodiscard\\]\\] )?(?:[\\w<>,&*]|::| )*?[ &*](\\w+)\\(.*"};
  const std::vector<std::string> in_robots{"namespace robots {"};
  std::set<std::string> names;
  std::vector<std::string> open;  // the namespaces around the line, by their first lines
  std::istringstream lines{robots::test::text_of(header)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (line.starts_with("namespace ")) {
      open.push_back(line);
    } else if (line.starts_with("}  // namespace")) {
      REQUIRE(!open.empty());
      open.pop_back();
    } else if (open == in_robots && line.find_first_of(" /#}") != 0 &&
               (std::regex_match(line, found, declared_type) ||
                std::regex_match(line, found, declared_function))) {
      names.insert(found[1]);
    }
  }
  return names;
}

/// Returns the types below `rep/` that `document::read` reads: those with a `directive_kind`.
std::vector<std::string> line_types() {
  std::vector<std::string> types;
  for (const fs::path& header : headers_below("rep")) {
    std::string type;
    std::istringstream lines{robots::test::text_of(header)};
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("struct ") && line.ends_with(" {")) {
        type = line.substr(7, line.size() - 9);
      } else if (line.starts_with("  static constexpr directive_kind kind")) {
        types.push_back(type);
      }
    }
  }
  return types;
}

/// Returns the names of the members of `parse_options`.
std::vector<std::string> names_of_parse_options() {
  const written_list header{"include/robots/rep/read/parse_options.hpp"};
  std::istringstream lines{header.text.substr(header.text.find("struct parse_options {"))};
  const std::regex member{"  [\\w:]+ (\\w+) = .*"};
  std::vector<std::string> names;
  std::smatch found;
  for (std::string line; std::getline(lines, line) && line != "};";) {
    if (std::regex_match(line, found, member)) {
      names.push_back(found[1]);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("The module exports each public type, concept and function") {
  const written_list module_file{".cmake/robots.cppm"};
  std::size_t count = 0;
  for (const fs::path& header : headers_below(".")) {
    const std::string path = header.generic_string();
    if (path.find("/detail/") != std::string::npos ||
        path.find("/adapters/") != std::string::npos) {
      continue;
    }
    for (const std::string& name : public_names_in(header)) {
      module_file.must_have("using robots::" + name + ";");
      ++count;
    }
  }
  CHECK(count > 300);
}

TEST_CASE("The fuzzers know each directive by its usual spelling") {
  using robots::directive_kind;
  const written_list words{"tests/fuzz/words.dict"};
  for (int kind = 0; kind < static_cast<int>(directive_kind::unknown); ++kind) {
    words.must_have('"' + std::string{to_string(static_cast<directive_kind>(kind))} + ':');
  }
}

TEST_CASE("Each type of lines is declared, and tests say whether it views the text of its file") {
  const std::vector<std::string> types = line_types();
  for (const std::string& type : types) {
    written_list{"include/robots/rep/fwd.hpp"}.must_have("struct " + type + ';');
    written_list{"tests/rep/extensions.cpp"}.must_have("reads_temporary<robots::" + type + '>');
  }
  CHECK(types.size() >= 6);
}

TEST_CASE("Each parse option is recorded, read from records, fuzzed and tested") {
  const std::vector<std::string> names = names_of_parse_options();
  for (const std::string& name : names) {
    written_list{"include/robots/adapters/audit/detail/writer.hpp"}.must_have("parse." + name);
    written_list{"include/robots/adapters/audit/audit_decisions.hpp"}.must_have("parse." + name);
    // Fuzzers try all dialects, and one of them tries several names. Tests of their own have files
    // that are too long.
    if (name != "dialect" && name != "names" && name != "max_bytes") {
      written_list{"tests/fuzz/input.hpp"}.must_have("options." + name);
    }
    // The cases have all dialects, and their crawlers have one name.
    if (name != "dialect" && name != "names") {
      written_list{"tests/conformance/runner.cpp"}.must_have("options." + name);
      written_list{"tests/conformance/README.md"}.must_have("- `" + name + "`:");
    }
  }
  CHECK(names.size() >= 8);
}

TEST_CASE("clang-tidy reads the headers of each adapter") {
  const written_list tidy{"tests/tidy.cpp"};
  std::set<std::string> folders;
  for (const fs::path& header : headers_below("adapters")) {
    const std::string folder = header.parent_path().filename().string();
    if (folder != "detail" && folder != "coding") {  // the headers of curl include coding
      folders.insert(folder);
    }
  }
  for (const std::string& folder : folders) {
    tidy.must_have("#include <robots/adapters/" + folder + '/');
  }
  CHECK(folders.size() >= 10);
}
