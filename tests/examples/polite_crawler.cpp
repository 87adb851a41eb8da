// robots-polite-crawler [OPTION]... STATE URL...: crawls the hosts of the URLs politely. It keeps
// its state in the SQLite file STATE, so it can be stopped (Ctrl-C) and started again. It shows its
// progress in one line, and prints a report at the end. Everything that a site can ask of a crawler
// is in the library: the rules, the pace, redirects, 429 and 503, and the use of the pages.
#include "frontier.hpp"
#include "polite_crawl.hpp"
#include "polite_settings.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/sqlite/sqlite_store.hpp>
#include <robots/robots.hpp>

#include <exception>
#include <iostream>

int main(int count, char** arguments) {
  using namespace robots;
  try {
    const example::polite_settings wanted =
        example::read_settings({arguments + 1, arguments + count});
    example::frontier urls{wanted.state};
    CurlFetcher fetcher{wanted.client};
    using storage = TieredStorage<LruStorage<4096>, SqliteStore>;
    basic_robots_cache<CurlFetcher, SteadyClock, storage> cache{
        example::polite_cache(),
        fetcher,
        {},
        storage{SqliteStore{{.path = wanted.state + ".robots"}}}};
    host_gate gate{example::polite_pace(wanted)};
    example::polite_crawl crawl{wanted, urls, fetcher, cache, gate};
    crawl.run();
    crawl.report();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "robots-polite-crawler: " << error.what() << '\n';
    return 1;
  }
}
