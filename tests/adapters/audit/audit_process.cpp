// A process of a test: `robots_audit_process PATH FILE_BYTES [COUNT]` writes a trail until it is
// killed or has made COUNT decisions. The trail is static: its destructor runs when the process
// exits.
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/judge.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

int main(int count, char** words) {
  using namespace robots;
  try {
    const std::string path = count > 1 ? words[1] : "audit";
    const cache_options crawler{.user_agent = "FooBot", .fallback = fallback_policy::rfc9309()};
    const std::size_t most = count > 3 ? std::stoul(words[3]) : SIZE_MAX;
    static const AuditTrail trail{
        {.path = path, .file_bytes = std::stoul(count > 2 ? words[2] : "65536")}, crawler};
    for (std::size_t i = 0; i < most; ++i) {
      record retrieved;
      retrieved.outcome = outcome::success;
      retrieved.url = retrieved.final_url =
          "https://site" + std::to_string(i) + ".example/robots.txt";
      retrieved.body = "User-agent: *\nDisallow: /" + std::to_string(i) + '\n';
      const auto result = robots::detail::judge(retrieved, crawler.user_agent,
                                                cache_detail::judge_options_of(crawler), {}, {});
      const std::string site = "https://site" + std::to_string(i) + ".example";
      trail.on(retrieval_event{{.site = site}, *result, retrieved, std::chrono::milliseconds{1}});
      const std::string url = site + '/' + std::to_string(i);
      trail.on(decision_event{{.site = site}, url, decide(result, url, {})});
      std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
