#include "inputs/inputs.hpp"

#include "inputs/shapes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t octets_used = 512'000;

std::string read(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  text.resize(std::min(text.size(), octets_used));
  return text;
}

/// Returns the FNV-1a hash of a name.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  }
  return hash;
}

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder, error}) {
    if (entry.is_regular_file() && entry.path().extension() == ".txt") {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths, {}, [](const fs::path& path) {
    const std::string name = path.filename().string();
    return std::pair{hash_of(name), name};
  });
  return paths;
}

/// Reads the questions, and returns them by the name of their file.
std::map<std::string, std::vector<question>, std::less<>> read_questions(const fs::path& path) {
  std::map<std::string, std::vector<question>, std::less<>> questions;
  std::ifstream in{path, std::ios::binary};
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields{line};
    std::string file;
    question asked;
    if (std::getline(fields, file, '\t') && std::getline(fields, asked.agent, '\t') &&
        std::getline(fields, asked.path, '\t')) {
      questions[file].push_back(std::move(asked));
    }
  }
  return questions;
}

}  // namespace

std::vector<input> generated_inputs(bool trial) {
  std::vector<input> inputs{tiny(), groups(60), comments(), crlf(), long_lines()};
  for (const std::size_t count : {2U, 20U, 200U, 2000U, 20'000U}) {
    if (trial && count > 200) {
      break;
    }
    inputs.push_back(rules(count, stars_at::inner));
    inputs.push_back(rules(count, stars_at::leading));
  }
  for (const std::size_t count : {1U, 3U, 10U, 30U, 100U}) {
    if (trial && count > 1) {
      break;  // some rivals would take too long
    }
    inputs.push_back(stars(count, 2048, "stars/" + std::to_string(count)));
  }
  for (const std::size_t octets : {256U, 1024U, 2048U, 8192U}) {
    if (trial) {
      break;
    }
    inputs.push_back(stars(100, octets, "star-targets/" + std::to_string(octets)));
  }
  for (const std::size_t octets : {256U, 1024U, 4096U, 16'384U, 65'536U, 262'144U, 512'000U}) {
    if (trial && octets > 1024) {
      break;
    }
    inputs.push_back(sized(octets));
  }
  return inputs;
}

std::string corpus_folder(std::string configured) {
  const char* const given = std::getenv("ROBOTS_CORPUS_DIR");
  return given != nullptr ? std::string{given} : configured;
}

real_files read_real_files(const std::string& folder) {
  if (folder.empty()) {
    return {.found = {}, .folder = {}, .note = "no folder is given: set ROBOTS_CORPUS_DIR"};
  }
  const fs::path root{folder};
  const auto paths = paths_in(fs::exists(root / "files") ? root / "files" : root);
  if (paths.empty()) {
    return {.found = {}, .folder = folder, .note = "no .txt files in " + folder};
  }
  const auto questions = read_questions(root / "verdicts.tsv");
  input in{.name = "real", .files = {}, .questions = {}};
  for (const fs::path& path : paths) {
    const std::size_t file = in.files.size();
    const std::string name = path.filename().string();
    in.files.push_back(read(path));
    in.file_names.push_back(name);
    const auto asked = questions.find(name);
    if (asked == questions.end()) {
      in.questions.push_back({file, "FooBot", "/"});
      in.questions.push_back({file, "FooBot", "/search?q=1"});
      continue;
    }
    for (const question& q : asked->second) {
      in.questions.push_back({file, q.agent, q.path});
    }
  }
  const std::string note = std::to_string(in.files.size()) + " files, " +
                           std::to_string(in.questions.size()) + " questions";
  return {.found = std::move(in), .folder = folder, .note = note};
}

input shuffled(const input& all) {
  input in = all;
  in.name = all.name + "-shuffled";
  in.operations = {operation::match};
  dice random{7};
  for (std::size_t i = in.questions.size(); i > 1; --i) {
    std::swap(in.questions[i - 1], in.questions[random.below(i)]);
  }
  return in;
}

input sample_of(const input& all, std::size_t step) {
  input in{.name = all.name + "-sample", .files = {}, .questions = {}};
  for (const question& q : all.questions) {
    if (q.file % step != 0) {
      continue;
    }
    if (in.files.size() <= q.file / step) {
      in.files.resize(q.file / step + 1);
      in.file_names.resize(in.files.size());
      in.files.back() = all.files[q.file];
      in.file_names.back() = all.file_names.empty() ? all.name : all.file_names[q.file];
    }
    in.questions.push_back({q.file / step, q.agent, q.path});
  }
  return in;
}

input mixture_of(const std::vector<input>& inputs) {
  constexpr std::size_t questions_each = 256;
  input in{.name = "generated", .files = {}, .questions = {}};
  for (const input& from : inputs) {
    if (std::ranges::find(from.operations, operation::parse) == from.operations.end()) {
      continue;
    }
    std::size_t taken = 0;
    for (const question& q : from.questions) {
      if (q.file == 0 && taken++ < questions_each) {
        in.questions.push_back({in.files.size(), q.agent, q.path});
      }
    }
    in.files.push_back(from.files.front());
    in.file_names.push_back(from.name);
  }
  return in;
}

}  // namespace bench
