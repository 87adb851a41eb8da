#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#ifdef BENCH_HAS_AUDIT
#include <robots/adapters/audit/audit_trail.hpp>
#endif
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/store/lru_storage.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t watched_hosts = 64;
constexpr std::size_t watched_rounds = 8;

/// Calls `check` for hits, whose decisions the observer writes, and `end()` at the end.
template <class Observer, class End>
void watched(meter& to, const std::string& name, Observer observer, End end) {
  const std::vector<std::string> urls = fixed_urls(watched_hosts);
  const robots::ManualClock clock;
  robots::basic_robots_cache<texts_fetcher, robots::ManualClock, robots::LruStorage<4096>, Observer>
      cache{fixed_options(), fixed_web(), clock, {}, std::move(observer)};
  for (const std::string& url : urls) {
    keep(cache.check(url));
  }
  end();
  to.row(
      name, watched_rounds * watched_hosts,
      [&](std::size_t i) { keep(cache.check(urls[i % watched_hosts])); }, end);
}

}  // namespace

void measure_events(meter& to) {
  std::size_t octets = 0;
  watched(to, "event/log",
          robots::JsonLog{[&octets](std::string_view line) { octets += line.size(); }}, [] {});
  keep(octets);
#ifdef BENCH_HAS_AUDIT
  const auto folder = std::filesystem::temp_directory_path() / "robots-instructions-audit";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const robots::AuditTrail trail{{.path = (folder / "trail").string(), .flush_every = std::nullopt},
                                 fixed_options()};
  watched(to, "event/audit", trail, [&trail] { keep(trail.flush()); });
  std::filesystem::remove_all(folder);
#endif
}

}  // namespace bench
