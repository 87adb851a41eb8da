// robots-polite-fleet [OPTION]... HOST:PORT URL...: robots-polite-crawler as one process of a
// fleet. All processes share their state in the Redis server at HOST:PORT:
//
//     URLs of the crawl       redis_frontier      each URL is fetched by one process
//     rules of the sites      RedisStore          one process fetches each robots.txt
//     turns at the hosts      RedisPaceLedger     all processes together keep the delay
//     rulings of operators    RedisRulingLedger   a halt holds in every process
//
// polite_fleet.sh starts two processes.
#include "polite_crawl.hpp"
#include "polite_settings.hpp"
#include "redis_frontier.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/redis/redis_pace_ledger.hpp>
#include <robots/adapters/redis/redis_ruling_ledger.hpp>
#include <robots/adapters/redis/redis_store.hpp>
#include <robots/robots.hpp>

#include <exception>
#include <iostream>
#include <memory>

int main(int count, char** arguments) {
  using namespace robots;
  try {
    const example::polite_settings wanted =
        example::read_settings({arguments + 1, arguments + count});
    // The client gives up a page after `patience`, so a process that takes longer has ended.
    example::redis_frontier urls{wanted.state, 2 * wanted.patience};
    const redis_options redis{.url = "redis://" + wanted.state};
    CurlFetcher fetcher{wanted.client};
    using storage = TieredStorage<LruStorage<4096>, RedisStore>;
    basic_robots_cache<CurlFetcher, SteadyClock, storage, NullObserver, SiteRulings> cache{
        example::polite_cache(),
        fetcher,
        {},
        storage{RedisStore{redis}},
        {},
        SiteRulings{{.ledger = std::make_shared<RedisRulingLedger>(redis)}}};
    gate_options pace = example::polite_pace(wanted);
    pace.ledger = std::make_shared<RedisPaceLedger>(redis);
    pace.ledger_users = wanted.processes;
    host_gate gate{pace};
    example::polite_crawl crawl{wanted, urls, fetcher, cache, gate};
    crawl.run();
    crawl.report();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "robots-polite-fleet: " << error.what() << '\n';
    return 1;
  }
}
