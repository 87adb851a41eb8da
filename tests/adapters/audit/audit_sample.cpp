#include "adapters/audit/audit_sample.hpp"

#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test {
namespace {

using namespace std::chrono_literals;

cache_options sample_options() {
  cache_options options{.user_agent = "FooBot/1.0 (+https://foo.example/bot)",
                        .fallback = fallback_policy::strict()};
  options.excluded = {"gov"};
  options.retry.attempts = 1;
  options.breaker.failures = 2;
  options.breaker.cooldown = 30h;
  options.failure_jitter = 0;
  options.longest_call = 0ms;
  options.seed = 1;
  return options;
}

void script(ScriptedFetcher& web) {
  const auto ok = [](std::string body, std::vector<http_header> headers = {}) {
    return ScriptedFetcher::ok(std::move(body), std::move(headers));
  };
  const std::string rules =
      "User-agent: foobot\nDisallow: /private\nAllow: /private/open$\nCrawl-delay: 2\n"
      "Request-rate: 1/5s\nVisit-time: 0600-2200\n";
  web.on("https://rules.example/robots.txt", ok(rules, {{"ETag", "\"1\""}}),
         ScriptedFetcher::status(304), ok("User-agent: *\nDisallow: /\n"));
  web.on("https://none.example/robots.txt", ScriptedFetcher::status(404));
  web.on("https://forbidden.example/robots.txt", ScriptedFetcher::status(403));
  web.on("https://failing.example/robots.txt", ok("User-agent: *\nDisallow: /a\n"),
         ScriptedFetcher::status(503));
  web.on("https://down.example/robots.txt", ScriptedFetcher::failure(fetch_error::connect));
  web.on("https://moved.example/robots.txt",
         ScriptedFetcher::redirect(301, "https://rules.example/robots.txt"));
  web.on("https://broken.example/robots.txt", ok("<html><body>\xFF\\no robots</body></html>"));
  web.on("https://octets.example/robots.txt",
         ok("User-agent: *\nDisallow: /\xC3\xA4\nDisallow: /\xFF\"\\x41</script>\n"));
}

template <class Cache>
void crawl(Cache& cache, const ManualClock& clock) {
  const call_options call{.context = std::make_shared<call_context>(
                              "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")};
  const auto ask = [&](std::string_view url) { static_cast<void>(cache.check(url, call)); };
  for (int day = 0; day < 3; ++day) {
    ask("https://rules.example/private/x?q=\"</script>");
    ask("https://rules.example/private/open");
    ask("https://rules.example/public");
    ask("https://rules.example/robots.txt");
    ask("rules.example/private");
    ask("https://moved.example/private");
    ask("https://none.example/");
    ask("https://forbidden.example/");
    ask("https://failing.example/a");
    ask("https://failing.example/b");
    ask("https://down.example/");
    ask("https://broken.example/");
    ask("https://octets.example/\xFF\"\\x41</script>");
    ask("https://octets.example/\xC3\xA4");
    ask("https://agency.gov/");
    ask("https://my.bank/");
    ask("not a url");
    cache.rulings().override_with("none.example", site_override::deny);
    ask("https://none.example/");
    cache.rulings().end_override("none.example");
    clock.advance(25h);
  }
  static_cast<void>(cache.report_response("https://none.example/", 403));
  cache.rulings().resume("rules.example");
  ask("https://rules.example/private");
  cache.rulings().sign_off("my.bank");
  ask("https://my.bank/");
  cache.rulings().override_with("broken.example", site_override::allow);
  ask("https://broken.example/");
  cache.rulings().end_override("broken.example");
  cache.rulings().end_quarantine("broken.example");
  ask("https://broken.example/");
}

}  // namespace

std::vector<std::string> write_sample(const audit_options& options) {
  ScriptedFetcher web;
  script(web);
  const ManualClock clock;
  {
    const AuditTrail trail{options, sample_options()};
    basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<64>, AuditTrail, SiteRulings> cache{
        sample_options(),
        web,
        clock,
        {},
        trail,
        SiteRulings{{.needs_sign_off = {"bank"}, .quarantine_after = 2}}};
    crawl(cache, clock);
    basic_host_gate gate{gate_options{}, clock, trail};
    basic_admission admission{cache, gate};
    static_cast<void>(admission.admit("https://none.example/1"));
    static_cast<void>(admission.admit("https://none.example/2"));
  }
  // Two processes share a store. The second process uses the record of the first while the record
  // is fresh. Later, it uses the last good copy in the record, since the site fails.
  using tiered = TieredStorage<LruStorage<64>, MemoryStore<ManualClock>>;
  const MemoryStore<ManualClock> store{clock};
  cache_options second = sample_options();
  second.user_agent = "OtherBot";
  second.fallback = fallback_policy::rfc9309();
  const auto visit = [&](const cache_options& as) {
    basic_robots_cache<ScriptedFetcher, ManualClock, tiered, AuditTrail> cache{
        as, web, clock, tiered{store}, AuditTrail{options, as}};
    for (const char* const host : {"rules", "moved", "failing", "none", "shared"}) {
      static_cast<void>(cache.check("https://" + std::string{host} + ".example/private"));
    }
  };
  web.on("https://shared.example/robots.txt",
         ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n", {{"ETag", "\"2\""}}),
         ScriptedFetcher::status(304));
  web.on("https://failing.example/robots.txt", ScriptedFetcher::ok("User-agent: *\nDisallow: /p\n"),
         ScriptedFetcher::status(503));
  visit(sample_options());
  visit(second);
  clock.advance(25h);
  visit(second);
  visit(sample_options());
  return files_of(options.path);
}

std::vector<std::string> files_of(const std::string& path) {
  std::vector<std::string> files;
  for (const auto& one :
       std::filesystem::directory_iterator{std::filesystem::path{path}.parent_path()}) {
    const std::string name = one.path().string();
    if (name.starts_with(path + '.') && name.ends_with(".jsonl")) {
      files.push_back(name);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> lines_of(const std::vector<std::string>& files) {
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    std::ifstream stream{file, std::ios::binary};
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(line);
    }
  }
  return lines;
}

void write_lines(const std::string& file, const std::vector<std::string>& lines) {
  std::ofstream stream{file, std::ios::binary | std::ios::trunc};
  for (const std::string& line : lines) {
    stream << line << '\n';
  }
}

void chain_anew(std::vector<std::string>& lines, std::size_t from) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    const std::string before = lines[i];
    const auto entry = adapters_detail::audit_entry::read(before);
    const std::string last =
        i == 0 ? entry->text("prev") : adapters_detail::audit_entry::read(lines[i - 1])->hash();
    std::string& line = lines[i];
    line.resize(line.size() - 75);
    line.replace(line.find("\"prev\":\"") + 8, 64, last);
    line += ",\"hash\":\"" + adapters_detail::sha256(line) + "\"}";
  }
}

void replace(std::string& line, std::string_view old, std::string_view now) {
  const std::size_t position = line.find(old);
  if (position == std::string::npos) {
    throw std::logic_error{"not there: " + std::string{old}};
  }
  line.replace(position, old.size(), now);
}

std::size_t line_with(const std::vector<std::string>& lines, std::string_view wanted,
                      std::size_t from) {
  while (lines.at(from).find(wanted) == std::string::npos) {
    ++from;
  }
  return from;
}

std::size_t count_of(const std::vector<std::string>& lines, std::string_view type) {
  const std::string wanted = "\"type\":\"" + std::string{type} + '"';
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(),
      [&](const std::string& line) { return line.find(wanted) != std::string::npos; }));
}

}  // namespace robots::test
