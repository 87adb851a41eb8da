#include "demo_sites.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace robots::demo {
namespace {

using test::loopback_reply;
using test::redirect_to;

constexpr int https_port = 443;
constexpr int http_port = 80;

/// The hosts that the certificate names. It does not name `impostor.test`.
const std::vector<std::string> certified{
    "normal.test", "missing.test", "broken.test",  "busy.test", "redirecting.test", "loop.test",
    "evil.test",   "slow.test",    "stalled.test", "huge.test", "https-only.test",  "agency.gov"};

const std::string normal_text =
    "User-agent: *\n"
    "Disallow: /\n"
    "\n"
    "User-agent: DemoBot\n"
    "Disallow: /private\n"
    "Allow: /private/open\n"
    "Crawl-delay: 2\n";

/// Returns a rule, a long comment, and a rule after the 512,000 octets that are read.
std::string huge_text() {
  std::string text = "User-agent: *\nDisallow: /early\n";
  const std::string comment = '#' + std::string(99, '.') + '\n';
  constexpr std::size_t enough = 600'000;
  while (text.size() < enough) {
    text += comment;
  }
  return text + "Disallow: /late\n";
}

}  // namespace

demo_sites::demo_sites() : https_(authority_.issue(certified)), never_(https_.make_gate()) {
  const auto handler = [this](const test::loopback_request& request) { return answer(request); };
  https_.otherwise(handler);
  http_.otherwise(handler);
}

std::vector<std::string> demo_sites::connect_to() const {
  std::vector<std::string> entries{https_.connect_to("impostor.test", https_port),
                                   http_.connect_to("http-only.test", http_port)};
  const std::string nowhere = ":127.0.0.1:" + std::to_string(closed_.number());
  entries.push_back("http-only.test:" + std::to_string(https_port) + nowhere);
  for (const std::string& host : certified) {
    entries.push_back(https_.connect_to(host, https_port));
    entries.push_back(host + ':' + std::to_string(http_port) + nowhere);
  }
  return entries;
}

std::size_t demo_sites::requests(const std::string& host) const {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(host);
  return found == requests_.end() ? 0 : found->second;
}

loopback_reply demo_sites::answer(const test::loopback_request& request) {
  const std::string host = request.host();
  {
    const std::lock_guard lock(mutex_);
    ++requests_[host];
  }
  const bool first = request.path == "/robots.txt";
  if (host == "missing.test") {
    return {.status = 404, .body = "no such page\n"};
  }
  if (host == "broken.test") {
    return {.status = 500, .body = "out of order\n"};
  }
  if (host == "busy.test") {
    return {.status = 429, .headers = {{"Retry-After", "600"}}};
  }
  if (host == "redirecting.test") {
    return redirect_to(first ? "/moved.txt" : "https://normal.test/robots.txt", 301);
  }
  if (host == "loop.test") {
    return redirect_to(first ? "/round.txt" : "/robots.txt");
  }
  if (host == "evil.test") {
    return redirect_to("file:///etc/passwd");
  }
  if (host == "slow.test") {
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    return {.body = "User-agent: *\nDisallow:\n"};
  }
  if (host == "stalled.test") {
    never_.pass();
    return {};
  }
  if (host == "huge.test") {
    return {.body = huge_text()};
  }
  return {.body = normal_text};
}

}  // namespace robots::demo
