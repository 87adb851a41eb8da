// The questions of the demo, and the expected answers.
#pragma once

#include <array>
#include <string_view>

namespace robots::demo {

/// A URL and its right answer, in the words of `robots-check --json`.
struct question {
  std::string_view url;
  bool allowed = false;
  std::string_view reason;
  std::string_view outcome;
  std::string_view error{};    ///< the error of the last exchange; empty if it had a response
  std::string_view pattern{};  ///< the pattern of the deciding rule; empty if no rule decided
  int redirects = 0;
  std::string_view answered_by{};  ///< the URL of the robots.txt; empty if it does not matter
};

/// For `--user-agent DemoBot/1.0 --fallback rfc9309 --timeout 1 --exclude gov`.
inline constexpr std::array questions{
    question{"https://normal.test/", true, "no_rule", "success"},
    question{"https://normal.test/private/x", false, "rule", "success", "", "/private"},
    question{"https://normal.test/private/open", true, "rule", "success", "", "/private/open"},
    question{"https://missing.test/", true, "no_file", "not_found"},
    question{"https://broken.test/", false, "fallback", "server_error"},
    question{"https://busy.test/", false, "fallback", "too_many_requests"},
    question{"https://redirecting.test/private", false, "rule", "success", "", "/private", 2,
             "https://normal.test/robots.txt"},
    question{"https://loop.test/", true, "fallback", "too_many_redirects", "", "", 1},
    question{"https://evil.test/", false, "fallback", "refused"},
    question{"https://slow.test/", true, "no_rule", "success"},
    question{"https://stalled.test/", false, "fallback", "unreachable", "timeout"},
    question{"https://huge.test/early", false, "rule", "success", "", "/early"},
    question{"https://huge.test/late", true, "no_rule", "success"},
    question{"https-only.test", true, "no_rule", "success", "", "", 0,
             "https://https-only.test/robots.txt"},
    question{"http-only.test", true, "no_rule", "success", "", "", 0,
             "http://http-only.test/robots.txt"},
    question{"https://impostor.test/", false, "fallback", "unreachable", "tls"},
    question{"https://agency.gov/", false, "excluded", "refused"},
};

/// The number of different sites in these questions, without `agency.gov`, which is never asked.
inline constexpr unsigned sites_asked = 13;

}  // namespace robots::demo
