#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/memory_store.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t record_count = 256;

/// Looks up sites that another process has published.
void measure_far_hits(meter& to) {
  using store = robots::MemoryStore<robots::ManualClock>;
  using storage = robots::TieredStorage<robots::LruStorage<4096>, store>;
  using cache = robots::basic_robots_cache<texts_fetcher, robots::ManualClock, storage>;
  const std::vector<std::string> urls = fixed_urls(record_count);
  const robots::ManualClock clock;
  const pace_of_calls tick{clock};
  const store shared{clock};
  cache publisher{fixed_options(), fixed_web(), clock, storage{shared}};
  for (const std::string& url : urls) {
    keep(publisher.allowed(url));
  }
  cache reader{fixed_options(), texts_fetcher{{""}}, clock, storage{shared}};
  to.row("look-up/far", record_count, [&](std::size_t i) {
    tick(i);
    keep(reader.allowed(urls[i]));
  });
}

/// Encodes and decodes the records of sites.
void measure_codec(meter& to) {
  const robots::ManualClock clock;
  const robots::detail::judge_options judging{.fallback = fixed_options().fallback};
  std::vector<robots::record> records;
  std::vector<std::string> octets;
  for (const std::string& text : sites(record_count).files) {
    robots::detail::retrieval_result fetched;
    fetched.outcome = robots::outcome::success;
    fetched.url = fetched.final_url = "https://site-00017.example.com/robots.txt";
    fetched.status = 200;
    fetched.body = text;
    fetched.exchanges.push_back({fetched.url, fetched.status});
    records.push_back(
        robots::detail::record_of(std::move(fetched), {}, judging, clock.wall_now(), 0));
    octets.push_back(robots::detail::encode(records.back()));
  }
  to.row("record/encode", record_count,
         [&](std::size_t i) { keep(robots::detail::encode(records[i])); });
  to.row("record/decode", record_count,
         [&](std::size_t i) { keep(robots::detail::decode(octets[i])); });
}

}  // namespace

void measure_records(meter& to) {
  measure_far_hits(to);
  measure_codec(to);
}

}  // namespace bench
