// Rules that no compiler checks: what each folder and header may include, and that the build lists
// every file.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

// A folder includes only itself and folders before it. An adapter that is not in this list comes
// after all of them, and no other adapter includes it.
constexpr std::array<std::string_view, 25> layers{"base",           "time",
                                                  "rep/text",       "rep/read",
                                                  "rep/rules",      "rep/document",
                                                  "rep/extensions", "rep/lint",
                                                  "rep/diff",       "http",
                                                  "usage",          "fetch",
                                                  "policy",         "store",
                                                  "observe",        "rulings",
                                                  "polite",         "cache",
                                                  "client",         "testing",
                                                  "adapters",       "adapters/coding",
                                                  "adapters/curl",  "adapters/cpr",
                                                  "adapters/asio"};
constexpr std::string_view umbrella = "robots/robots.hpp";
/// The parts of robots.hpp.
constexpr std::array<std::string_view, 8> narrow_umbrellas{
    "robots/cache.hpp",  "robots/client.hpp", "robots/observe.hpp", "robots/parse.hpp",
    "robots/polite.hpp", "robots/rep.hpp",    "robots/rulings.hpp", "robots/usage.hpp"};
constexpr std::string_view test_doubles = "robots/testing.hpp";
constexpr std::string_view all_bodies = "robots/src.hpp";
/// Headers that only include the header that a type has moved to, which can be in a later layer.
/// They are for users, so no other header includes them.
constexpr std::array<std::string_view, 1> moved_headers{"robots/store/tiered_storage.hpp"};

struct include_line {
  std::size_t number;
  std::string name;
  bool angled;
};

struct source_file {
  std::string path;  // relative to the project, with forward slashes
  std::vector<std::string> lines;

  std::vector<include_line> includes() const {
    std::vector<include_line> found;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view line = lines[i];
      if (!line.starts_with("#include ")) {
        continue;
      }
      const std::string_view rest = line.substr(line.find_first_of("<\""));
      const std::size_t end = rest.find_first_of(">\"", 1);
      found.push_back({i + 1, std::string{rest.substr(1, end - 1)}, rest.front() == '<'});
    }
    return found;
  }
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream stream{path, std::ios::binary};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The .hpp and .cpp files under a top-level folder, sorted by path.
std::vector<source_file> files_under(std::string_view folder) {
  const fs::path root{ROBOTS_SOURCE_DIR};
  std::vector<source_file> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{root / folder}) {
    const fs::path& path = entry.path();
    if (path.extension() != ".hpp" && path.extension() != ".cpp") {
      continue;
    }
    files.push_back({path.lexically_relative(root).generic_string(), lines_of(path)});
  }
  std::ranges::sort(files, {}, &source_file::path);
  return files;
}

const std::vector<source_file>& headers() {
  static const std::vector<source_file> all = files_under("include");
  return all;
}

/// "include/robots/rep/x.hpp" -> "robots/rep/x.hpp", as it stands in an include line.
std::string included_as(const source_file& header) {
  return header.path.substr(std::string_view{"include/"}.size());
}

/// "robots/rep/text/detail/x.hpp" -> "rep/text"; "robots/version.hpp" -> "".
std::string_view folder_of(std::string_view name) {
  name.remove_prefix(std::string_view{"robots/"}.size());
  const std::size_t slash = name.rfind('/');
  name = slash == std::string_view::npos ? std::string_view{} : name.substr(0, slash);
  constexpr std::string_view detail = "/detail";
  if (name.ends_with(detail)) {
    name.remove_suffix(detail.size());
  }
  return name;
}

/// Returns the place of a folder in the list. It is one past the end for an adapter that is not in
/// the list, and two past the end for a folder that is no layer.
constexpr std::ptrdiff_t position(std::string_view folder) {
  const std::ptrdiff_t place = std::ranges::find(layers, folder) - layers.begin();
  return place == std::ssize(layers) && !folder.starts_with("adapters/") ? place + 1 : place;
}

/// Returns the position of a header among the layers, as `position` does. version.hpp and the
/// forward headers of folders come before all layers. fwd.hpp comes before the first folder whose
/// types it declares. Headers without a folder are with the client.
std::ptrdiff_t rank_of(std::string_view name) {
  if (name == "robots/fwd.hpp") {
    return position("polite");
  }
  if (name == "robots/version.hpp" || name.ends_with("/fwd.hpp")) {
    return -1;
  }
  if (name == test_doubles) {
    return position("testing");
  }
  const std::string_view folder = folder_of(name);
  return position(folder.empty() ? "client" : folder);
}

constexpr std::string_view bodies_suffix = ".bodies.hpp";

/// Returns true if a file has the function bodies of the header beside it.
bool has_bodies(std::string_view name) { return name.ends_with(bodies_suffix); }

/// "robots/http/site.bodies.hpp" -> "robots/http/site.hpp".
std::string header_of_bodies(std::string_view name) {
  return std::string{name.substr(0, name.size() - bodies_suffix.size())} + ".hpp";
}

bool is_detail(std::string_view name) { return name.find("/detail/") != std::string_view::npos; }

/// "rep/text" -> "rep"; "cache" -> "cache".
std::string_view room_of(std::string_view name) {
  const std::string_view folder = folder_of(name);
  return folder.substr(0, folder.find('/'));
}

bool is_adapter(const source_file& header) { return room_of(included_as(header)) == "adapters"; }

bool is_standard(std::string_view name) {
  return name.find('/') == std::string_view::npos && !name.ends_with(".h");
}

/// Returns the names of the files that a header includes directly.
std::set<std::string> included_by(std::string_view name) {
  std::set<std::string> included;
  for (const source_file& header : headers()) {
    if (included_as(header) != name) {
      continue;
    }
    for (include_line& include : header.includes()) {
      included.insert(std::move(include.name));
    }
  }
  return included;
}

bool has_moved(std::string_view name) {
  return std::ranges::find(moved_headers, name) != moved_headers.end();
}

bool is_umbrella(std::string_view name) {
  return name == umbrella || std::ranges::find(narrow_umbrellas, name) != narrow_umbrellas.end();
}

/// Returns the names of all files that a header includes, directly or not, without bodies.
std::set<std::string> reached_from(std::string_view name) {
  const std::vector<source_file>& all = headers();
  std::set<std::string> reached;
  std::vector<std::string> open{std::string{name}};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    for (const source_file& header : all) {
      if (included_as(header) != next) {
        continue;
      }
      for (include_line& include : header.includes()) {
        if (!has_bodies(include.name) && reached.insert(include.name).second) {
          open.push_back(std::move(include.name));
        }
      }
    }
  }
  return reached;
}

/// Returns true if a line declares a type without a definition, which can be "{};".
bool only_declares(std::string_view line) { return line.ends_with(';') && !line.ends_with("};"); }

/// The types that a header declares in a line of their own, such as "class policy;".
std::vector<std::string> declared_in(const source_file& header) {
  std::vector<std::string> declared;
  for (const std::string& line : header.lines) {
    if ((line.starts_with("class ") || line.starts_with("struct ")) && only_declares(line)) {
      declared.push_back(line.substr(0, line.size() - 1));
    }
  }
  return declared;
}

/// Headers of the standard library, each with the names for which a file must include it.
struct standard_header {
  std::string_view name;
  std::vector<std::string_view> gives;
};

const std::vector<standard_header>& standard_headers() {
  static const std::vector<standard_header> all{
      {"algorithm",
       {"all_of", "any_of", "clamp", "copy", "count", "equal", "fill", "find", "find_if",
        "lower_bound", "max", "min", "none_of", "partition_point", "remove_if", "sort",
        "upper_bound"}},
      {"array", {"array"}},
      {"atomic", {"atomic", "atomic_flag", "memory_order_relaxed"}},
      {"bit", {"bit_cast", "countl_zero", "countr_zero", "endian", "popcount"}},
      {"chrono", {"chrono"}},
      {"condition_variable", {"condition_variable", "condition_variable_any"}},
      {"cstddef", {"byte", "ptrdiff_t", "size_t"}},
      {"cstdint", {"int64_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t"}},
      {"functional", {"function", "hash", "invoke", "less"}},
      {"map", {"map", "multimap"}},
      {"memory", {"make_shared", "make_unique", "shared_ptr", "unique_ptr", "weak_ptr"}},
      {"mutex", {"lock_guard", "mutex", "scoped_lock", "unique_lock"}},
      {"optional", {"nullopt", "optional"}},
      {"set", {"set"}},
      {"span", {"span"}},
      {"stdexcept", {"invalid_argument", "length_error", "logic_error", "runtime_error"}},
      {"string", {"string", "to_string"}},
      {"string_view", {"string_view"}},
      {"thread", {"jthread", "this_thread", "thread"}},
      {"type_traits", {"decay_t", "is_same_v", "remove_cvref_t"}},
      {"utility", {"exchange", "forward", "move", "pair", "swap"}},
      {"variant", {"get_if", "holds_alternative", "monostate", "variant", "visit"}},
      {"vector", {"vector"}}};
  return all;
}

/// Returns the names that follow "std::" in the code of a line.
std::vector<std::string_view> standard_names_in(std::string_view line) {
  constexpr std::string_view scope = "std::";
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  line = line.substr(0, line.find("//"));
  std::vector<std::string_view> names;
  std::size_t begin = 0;
  while ((begin = line.find(scope, begin)) != std::string_view::npos) {
    begin += scope.size();
    names.push_back(line.substr(begin, line.find_first_not_of(letters, begin) - begin));
  }
  return names;
}

std::set<std::string> known_files() {
  std::set<std::string> known;
  for (std::string& line : lines_of(ROBOTS_KNOWN_FILES)) {
    known.insert(std::move(line));
  }
  return known;
}

}  // namespace

TEST_CASE("Every folder under include/robots is a layer") {
  for (const source_file& header : headers()) {
    INFO(header.path);
    CHECK(rank_of(included_as(header)) <= std::ssize(layers));
  }
}

TEST_CASE("A header includes only headers of its folder and of the layers before it") {
  for (const source_file& header : headers()) {
    const std::string self = included_as(header);
    for (const include_line& include : header.includes()) {
      if (!include.name.starts_with("robots/")) {
        continue;
      }
      INFO(header.path << ":" << include.number << " includes " << include.name);
      CHECK((!is_umbrella(include.name) || self == umbrella));
      CHECK_FALSE(has_moved(include.name));
      CHECK((rank_of(include.name) <= rank_of(self) || has_moved(self)));
      const bool is_own = folder_of(include.name) == folder_of(self);
      CHECK((rank_of(include.name) < std::ssize(layers) || is_own));
    }
  }
}

TEST_CASE("A header whose type has moved only includes the new header") {
  for (const source_file& header : headers()) {
    if (has_moved(included_as(header))) {
      INFO(header.path);
      CHECK(header.includes().size() == 1);
      CHECK(header.lines.size() < 5);
    }
  }
}

TEST_CASE("A header in detail/ is included only by headers of its room") {
  for (const source_file& header : headers()) {
    const std::string self = included_as(header);
    for (const include_line& include : header.includes()) {
      if (!is_detail(include.name) || self == all_bodies) {
        continue;
      }
      INFO(header.path << ":" << include.number << " includes " << include.name);
      CHECK(room_of(self) == room_of(include.name));
    }
  }
}

// All rooms may use the names in `robots::detail`, but users may not.
TEST_CASE(
    "A name that is not public is in robots::detail or in the detail namespace of its folder") {
  for (const source_file& header : headers()) {
    const std::string name = included_as(header);
    const std::string own{room_of(name)};
    for (std::size_t i = 0; i < header.lines.size(); ++i) {
      const std::string_view line = header.lines[i];
      if (!line.starts_with("namespace ") || line == "namespace robots {") {
        continue;
      }
      const bool is_shared = line == "namespace robots::detail {" || line == "namespace detail {";
      if (is_shared && !is_detail(name)) {
        continue;
      }
      INFO(header.path << ":" << i + 1);
      const std::string expected = own == "base" ? own : own + "_detail";
      const bool is_own =
          line == "namespace " + expected + " {" || line == "namespace robots::" + expected + " {";
      CHECK(is_own);
    }
  }
}

TEST_CASE("The first include of a test is the header that it tests") {
  std::set<std::string> names;
  for (const source_file& header : headers()) {
    names.insert(included_as(header));
  }
  for (const source_file& file : files_under("tests")) {
    const fs::path inside = fs::path{file.path}.lexically_relative("tests");
    const std::string own =
        (fs::path{"robots"} / inside).replace_extension(".hpp").generic_string();
    if (!file.path.ends_with(".cpp") || !names.contains(own)) {
      continue;
    }
    INFO(file.path);
    const std::vector<include_line> includes = file.includes();
    REQUIRE(!includes.empty());
    CHECK(includes.front().name == own);
  }
}

TEST_CASE("Only adapters include third-party headers other than Boost.Unordered") {
  for (const source_file& header : headers()) {
    if (is_adapter(header)) {
      continue;
    }
    for (const include_line& include : header.includes()) {
      INFO(header.path << ":" << include.number << " includes " << include.name);
      // A header of the system, for `pthread_atfork`. On Windows, it is not included.
      const bool is_fork_watch =
          include.name == "pthread.h" && header.path.ends_with("robots/base/process.hpp");
      const bool allowed = include.name.starts_with("robots/") || is_standard(include.name) ||
                           include.name.starts_with("boost/unordered/") || is_fork_watch;
      CHECK(allowed);
    }
  }
}

TEST_CASE("Only adapters include headers that cost much compile time") {
  constexpr std::array<std::string_view, 8> costly{"filesystem", "fstream", "future", "iostream",
                                                   "random",     "ranges",  "regex",  "sstream"};
  for (const source_file& header : headers()) {
    if (is_adapter(header)) {
      continue;
    }
    for (const include_line& include : header.includes()) {
      INFO(header.path << ":" << include.number << " includes " << include.name);
      CHECK(std::ranges::find(costly, include.name) == costly.end());
    }
    for (std::size_t i = 0; i < header.lines.size(); ++i) {
      INFO("instead of std::ranges, use the algorithm with iterators: " << header.path << ":"
                                                                        << i + 1);
      CHECK(header.lines[i].find("std::ranges::") == std::string::npos);
    }
  }
}

TEST_CASE("Features that MSVC lacks are used only behind a test for the compiler") {
  constexpr std::array<std::string_view, 6> guarded{"robots/base/compiled_marker.hpp",
                                                    "robots/base/config.hpp",
                                                    "robots/base/enum_text.hpp",
                                                    "robots/base/fetch_ahead.hpp",
                                                    "robots/rep/text/detail/long_text.hpp",
                                                    "robots/rep/text/detail/octet_word.hpp"};
  for (const source_file& header : headers()) {
    if (std::ranges::find(guarded, included_as(header)) != guarded.end()) {
      continue;
    }
    for (std::size_t i = 0; i < header.lines.size(); ++i) {
      INFO(header.path << ":" << i + 1);
      for (const char* extension :
           {"gnu::", "__builtin_", "__attribute__", "__PRETTY_FUNCTION__"}) {
        CHECK(header.lines[i].find(extension) == std::string::npos);
      }
    }
  }
}

TEST_CASE("Headers are included by their full name between angle brackets") {
  for (const source_file& header : headers()) {
    for (const include_line& include : header.includes()) {
      INFO(header.path << ":" << include.number << " includes " << include.name);
      CHECK(include.angled);
    }
  }
}

// The check that each header compiles alone precompiles these headers, so it does not see that one
// is missing.
TEST_CASE("A header includes the standard headers whose names it uses") {
  for (const source_file& header : headers()) {
    const std::string name_of_file = included_as(header);
    std::set<std::string> included = included_by(name_of_file);
    if (has_bodies(name_of_file)) {
      included.merge(included_by(header_of_bodies(name_of_file)));
    }
    std::set<std::string_view> used;
    for (const std::string_view line : header.lines) {
      for (const std::string_view name : standard_names_in(line)) {
        used.insert(name);
      }
    }
    for (const standard_header& standard : standard_headers()) {
      for (const std::string_view name : standard.gives) {
        INFO(header.path << " uses std::" << name << " without <" << standard.name << ">");
        CHECK((!used.contains(name) || included.contains(std::string{standard.name})));
      }
    }
  }
}

TEST_CASE("robots.hpp includes every public header, except adapters and those of testing.hpp") {
  const std::set<std::string> direct = included_by(umbrella);
  for (const std::string_view part : narrow_umbrellas) {
    INFO(part);
    CHECK(direct.contains(std::string{part}));
  }
  const std::set<std::string> included = reached_from(umbrella);
  const std::set<std::string> for_tests = included_by(test_doubles);
  CHECK(for_tests.size() > 0);
  for (const source_file& header : headers()) {
    const std::string name = included_as(header);
    if (name == umbrella || name == test_doubles || is_adapter(header) || name == all_bodies ||
        folder_of(name) == "base" || is_detail(name) || has_bodies(name) || has_moved(name)) {
      continue;
    }
    INFO("include it in robots.hpp or in testing.hpp, or list it in moved_headers: " << name);
    CHECK(included.contains(name) != for_tests.contains(name));
  }
}

TEST_CASE("rep.hpp needs neither Boost nor other rooms; files and caches need no lint or diff") {
  const std::set<std::string> rep = reached_from("robots/rep.hpp");
  CHECK(rep.contains("robots/rep/rules/rule_set.hpp"));
  for (const std::string& name : rep) {
    INFO(name);
    CHECK_FALSE(name.starts_with("boost/"));
    CHECK((!name.starts_with("robots/") || room_of(name) == "rep" || room_of(name) == "base"));
  }
  for (const char* part : {"robots/parse.hpp", "robots/cache.hpp"}) {
    const std::set<std::string> reached = reached_from(part);
    CHECK(reached.contains("robots/rep/rules/rule_set.hpp"));
    for (const std::string& name : reached) {
      INFO(part << " includes " << name);
      CHECK_FALSE(name.starts_with("robots/rep/lint"));
      CHECK_FALSE(name.starts_with("robots/rep/diff"));
    }
  }
}

TEST_CASE("rep.hpp and usage.hpp need no threads, which WebAssembly does not have") {
  for (const char* part : {"robots/rep.hpp", "robots/usage.hpp"}) {
    const std::set<std::string> reached = reached_from(part);
    CHECK(reached.contains("string_view"));
    for (const char* name : {"condition_variable", "mutex", "stop_token", "thread"}) {
      INFO(part << " includes " << name);
      CHECK_FALSE(reached.contains(name));
    }
  }
}

TEST_CASE(
    "A header includes its bodies last, unless ROBOTS_COMPILED is set; src.hpp includes all "
    "bodies") {
  const std::vector<source_file>& all = headers();
  std::set<std::string> found;
  for (const source_file& header : all) {
    for (const include_line& include : header.includes()) {
      if (!has_bodies(include.name) || included_as(header) == all_bodies) {
        continue;
      }
      INFO(header.path << " includes " << include.name);
      found.insert(include.name);
      CHECK(header_of_bodies(include.name) == included_as(header));
      CHECK(include.number + 1 == header.lines.size());
      CHECK(header.lines[include.number - 2] == "#ifndef ROBOTS_COMPILED");
    }
  }
  for (const source_file& header : all) {
    const std::string name = included_as(header);
    INFO(name);
    CHECK(has_bodies(name) == found.contains(name));
  }
  const std::set<std::string> compiled = included_by(all_bodies);
  for (const std::string& name : found) {
    INFO("add to robots/src.hpp: " << name);
    CHECK(compiled.contains(name));
  }
  CHECK(compiled.size() == found.size());
}

TEST_CASE("observe.hpp includes what its users name: Observer and observers") {
  const std::set<std::string> direct = included_by("robots/observe.hpp");
  CHECK(direct.contains("robots/observe/observer.hpp"));
  CHECK(direct.contains("robots/observe/observers.hpp"));
}

TEST_CASE("Only testing.hpp includes test doubles") {
  const std::set<std::string> for_tests = included_by(test_doubles);
  for (const source_file& header : headers()) {
    if (included_as(header) == test_doubles) {
      continue;
    }
    for (const include_line& include : header.includes()) {
      INFO(header.path << ":" << include.number << " includes " << include.name);
      CHECK(!for_tests.contains(include.name));
    }
  }
}

TEST_CASE("A type that a header declares is defined in a header") {
  std::set<std::string> defined;
  for (const source_file& header : headers()) {
    for (const std::string& line : header.lines) {
      if (line.starts_with("class ") || line.starts_with("struct ")) {
        defined.insert(line.substr(0, line.find_first_of(" {:;", line.find(' ') + 1)) +
                       (only_declares(line) ? ";" : ""));
      }
    }
  }
  for (const source_file& header : headers()) {
    for (const std::string& type : declared_in(header)) {
      INFO(header.path << " declares " << type);
      CHECK(defined.contains(type));
    }
  }
}

TEST_CASE("Source text is plain ASCII without tabs, in lines of at most 100 columns") {
  for (const std::string_view folder : {"include", "tests", "benchmarks"}) {
    for (const source_file& file : files_under(folder)) {
      for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const std::string& line = file.lines[i];
        INFO(file.path << ":" << i + 1);
        CHECK(line.size() <= 100);
        CHECK(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; }));
      }
    }
  }
}

TEST_CASE("The build finds every header") {
  const std::set<std::string> known = known_files();
  for (const source_file& header : headers()) {
    INFO("no pattern of CMakeLists.txt matches: " << header.path);
    CHECK(known.contains(header.path));
  }
}

TEST_CASE("The build lists every source file of the tests") {
  const std::set<std::string> known = known_files();
  for (const source_file& file : files_under("tests")) {
    if (!file.path.ends_with(".cpp")) {
      continue;
    }
    INFO("add to tests/CMakeLists.txt: " << file.path);
    CHECK(known.contains(file.path));
  }
}
