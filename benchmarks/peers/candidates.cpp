// The list of all candidates. A candidate that the build did not find has a reason instead.
#include "limits/limits.hpp"
#include "peers/process.hpp"
#include "peers/rivals.hpp"
#include "peers/robots_cpp.hpp"

#include <string>
#include <utility>
#include <vector>

// The build sets these to the paths of the rivals, or to empty texts.
#ifndef BENCH_FAST_ROBOTS
#define BENCH_FAST_ROBOTS ""
#endif
#ifndef BENCH_NODE
#define BENCH_NODE ""
#endif
#ifndef BENCH_PYTHON
#define BENCH_PYTHON ""
#endif

namespace bench {
namespace {

/// Returns a program that speaks the protocol, or its interpreter with arguments.
candidate process(std::string name, const std::string& program, std::vector<std::string> arguments,
                  std::string absent) {
  if (program.empty()) {
    return {std::move(name), {}, std::move(absent)};
  }
  arguments.insert(arguments.begin(), program);
  const auto start = [name, arguments] { return start_process(name, arguments); };
  return {name, start, {}};
}

}  // namespace

std::vector<candidate> candidates() {
  const std::string here = BENCH_PEERS_DIR;
  std::vector<candidate> all{{"robots-cpp", make_robots_cpp, {}}};
  for (candidate& limit : line_walks()) {
    all.push_back(std::move(limit));
  }
  all.push_back(process("fast-robots", BENCH_FAST_ROBOTS, {},
                        "its program is missing: set ROBOTS_PEER_FAST_ROBOTS"));
#ifdef BENCH_HAS_GOOGLE_ROBOTSTXT
  all.push_back({"google", make_google_robotstxt, {}});
#else
  all.push_back({"google", {}, "its header and library are missing"});
#endif
#ifdef BENCH_HAS_REP_CPP
  all.push_back({"rep-cpp", make_rep_cpp, {}});
#else
  all.push_back({"rep-cpp", {}, "its header and library are missing"});
#endif
  all.push_back(process("robots-parser", BENCH_NODE, {here + "/robots_parser.mjs", BENCH_NPM_DIR},
                        "node is missing"));
  all.push_back(
      process("protego", BENCH_PYTHON, {"-B", here + "/protego_peer.py"}, "python3 is missing"));
  all.push_back(
      process("urllib", BENCH_PYTHON, {"-B", here + "/urllib_peer.py"}, "python3 is missing"));
  return all;
}

}  // namespace bench
