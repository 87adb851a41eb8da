// robots-demo: starts a few sites on this machine, and runs robots-check, which asks all of them
// twice over real sockets. Fails if an answer is wrong.
#include "demo_questions.hpp"
#include "demo_sites.hpp"
#include "support/run_program.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace robots::demo {
namespace {

using json = nlohmann::ordered_json;

/// Returns the path of robots-check: the argument or, without one, ../tools/robots-check.
std::string path_of_check(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc > 1) {
    return argv[1];
  }
  std::error_code no_such_link;
  fs::path self = fs::read_symlink("/proc/self/exe", no_such_link);
  if (no_such_link) {
    self = argv[0];
  }
  return (self.parent_path().parent_path() / "tools" / "robots-check").string();
}

std::vector<std::string> arguments_for(const demo_sites& sites) {
  std::vector<std::string> arguments{
      "--user-agent",    "DemoBot/1.0", "--fallback", "rfc9309", "--timeout", "1",
      "--exclude",       "gov",         "--proxy",    "",        "--ca-file", sites.ca_file(),
      "--allow-address", "127.0.0.0/8"};
  for (const std::string& entry : sites.connect_to()) {
    arguments.push_back("--connect-to");
    arguments.push_back(entry);
  }
  return arguments;
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : ""; }

bool is_right(const question& asked, const json& answer) {
  const json& source = answer.at("source");
  return answer.at("url") == asked.url && answer.at("allowed") == asked.allowed &&
         answer.at("reason") == asked.reason && source.at("outcome") == asked.outcome &&
         text_of(source.at("error")) == asked.error &&
         text_of(answer.at("pattern")) == asked.pattern &&
         source.at("redirects") == asked.redirects &&
         (asked.answered_by.empty() || text_of(source.at("finalUrl")) == asked.answered_by);
}

/// Returns the rule, or the outcome.
std::string why(const json& answer) {
  const json& source = answer.at("source");
  const std::string reason = text_of(answer.at("reason"));
  std::string text = reason;
  if (reason == "rule") {
    text = text_of(answer.at("directive")) + ' ' + text_of(answer.at("pattern")) + ", line " +
           answer.at("line").dump();
  } else if (reason != "excluded") {
    text += ": " + text_of(source.at("outcome"));
    if (source.at("status").is_number()) {
      text += ' ' + source.at("status").dump();
    }
    if (source.at("error").is_string()) {
      text += " (" + text_of(source.at("error")) + ')';
    }
  }
  if (source.at("redirects") != 0) {
    text += ", redirects " + source.at("redirects").dump();
  }
  if (answer.at("crawlDelay").is_number()) {
    text += ", delay " + answer.at("crawlDelay").dump() + " s";
  }
  return text;
}

double milliseconds(const json& answer) {
  constexpr double per_second = 1000;
  return answer.at("elapsed").get<double>() * per_second;
}

/// Counts and prints wrong answers.
class judge {
 public:
  void expect(bool right, std::string_view claim) {
    if (!right) {
      ++wrong_;
      std::cout << "NOT AS EXPECTED: " << claim << '\n';
    }
  }
  [[nodiscard]] bool content() const noexcept { return wrong_ == 0; }

 private:
  unsigned wrong_ = 0;
};

void print_row(const question& asked, const json& cold, const json& warm, bool right) {
  std::cout << std::left << std::setw(34) << asked.url << std::setw(13)
            << (cold.at("allowed") == true ? "allowed" : "not allowed") << std::setw(52)
            << why(cold) << std::right << std::fixed << std::setprecision(1) << std::setw(9)
            << milliseconds(cold) << std::setprecision(3) << std::setw(9) << milliseconds(warm)
            << (right ? "  as expected\n" : "  NOT AS EXPECTED\n");
}

void judge_answers(const std::vector<json>& lines, judge& verdicts) {
  std::cout << std::left << std::setw(34) << "URL" << std::setw(13) << "verdict" << std::setw(52)
            << "why" << "  cold ms  warm ms\n";
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const question& asked = questions[i];
    const json& cold = lines.at(i);
    const json& warm = lines.at(questions.size() + i);
    const bool cached = warm.at("source").at("fromCache") == (asked.reason != "excluded");
    const bool right = is_right(asked, cold) && is_right(asked, warm) && cached;
    print_row(asked, cold, warm, right);
    verdicts.expect(right, asked.url);
  }
}

void judge_statistics(const json& stats, judge& verdicts) {
  std::cout << "\nthe cache's statistics\n";
  for (const auto& [name, value] : stats.items()) {
    std::cout << "  " << std::left << std::setw(18) << name;
    if (value.is_number_float()) {
      std::cout << std::fixed << std::setprecision(3) << value.get<double>() << '\n';
    } else {
      std::cout << value << '\n';
    }
  }
  std::cout << '\n';
  verdicts.expect(stats.at("misses") == sites_asked, "each site is fetched once");
  verdicts.expect(stats.at("hits") == 2 * (questions.size() - 1) - sites_asked,
                  "all other answers come from the cache");
}

void judge_requests(const demo_sites& sites, judge& verdicts) {
  verdicts.expect(sites.requests("missing.test") == 1, "missing.test is asked once");
  verdicts.expect(sites.requests("redirecting.test") == 2, "redirects are not followed twice");
  verdicts.expect(sites.requests("agency.gov") == 0, "agency.gov is never asked");
  verdicts.expect(sites.requests("impostor.test") == 0, "nothing is sent to impostor.test");
}

void show_plain(const std::string& program, std::vector<std::string> arguments, judge& verdicts) {
  const std::vector<std::string> urls{"https://redirecting.test/private", "http-only.test"};
  std::cout << "$ robots-check ... " << urls[0] << ' ' << urls[1] << '\n';
  arguments.insert(arguments.end(), urls.begin(), urls.end());
  const auto result = test::run_program(program, arguments);
  std::cout << result.output << result.errors << "exit status " << result.status << "\n\n";
  verdicts.expect(result.status == 1, "the exit status is 1 if a URL is not allowed");
}

bool run(const std::string& program) {
  const demo_sites sites;
  judge verdicts;
  std::vector<std::string> arguments = arguments_for(sites);

  std::cout << "$ robots-check ... --repeat 2 --stats --timing --json <" << questions.size()
            << " URLs>\n"
            << std::flush;
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {"--repeat", "2", "--stats", "--timing", "--json"});
  for (const question& asked : questions) {
    all.emplace_back(asked.url);
  }
  const auto result = test::run_program(program, all);
  std::cout << result.errors;
  verdicts.expect(result.status == 1, "the exit status is 1 if some URLs are not allowed");
  std::vector<json> lines;
  for (const std::string& line : result.lines()) {
    lines.push_back(json::parse(line));
  }
  if (lines.size() != 2 * questions.size() + 1) {
    throw std::runtime_error("robots-check printed " + std::to_string(lines.size()) +
                             " lines, not " + std::to_string(2 * questions.size() + 1));
  }
  judge_answers(lines, verdicts);
  judge_statistics(lines.back().at("stats"), verdicts);
  judge_requests(sites, verdicts);
  show_plain(program, std::move(arguments), verdicts);
  return verdicts.content();
}

}  // namespace
}  // namespace robots::demo

int main(int argc, char** argv) {
  try {
    if (!robots::demo::run(robots::demo::path_of_check(argc, argv))) {
      std::cout << "Some answers or requests were not as expected: see the lines above.\n";
      return 1;
    }
    std::cout
        << "robots-check asked real servers on this machine over HTTPS and HTTP. Each site was "
           "asked\nonce: the second round came from the cache. Sites that were broken, "
           "slow, hostile or excluded\ngot the verdict that RFC 9309 asks for, each with its "
           "reason. All answers were as expected.\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "robots-demo: " << error.what() << '\n';
    return 1;
  }
}
