// robots-crawler: makes a web of twenty hosts on this machine and crawls it politely over real
// sockets, with several threads. Ends with a table of what was fetched, refused and delayed, and
// why.
#include "crawl.hpp"
#include "generated_web.hpp"
#include "polite_options.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace robots::example {
namespace {

/// A line that tells how far the crawl is, until it is told to stop.
void show_progress(const crawler& of, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds often{100};
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    const crawler::progress now = of.so_far();
    std::cerr << '\r' << now.done << " of " << now.known << " known pages done" << std::flush;
    never.wait_for(lock, stop, often, [] { return false; });
  }
  std::cerr << '\r' << of.so_far().done << " pages done                    \n";
}

void run() {
  const generated_web web;
  crawler crawl(polite_options(web));
  const auto begin = std::chrono::steady_clock::now();
  {
    const std::jthread progress([&](const std::stop_token& stop) { show_progress(crawl, stop); });
    crawl.run(web.seeds());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << table_of(crawl.results()) << '\n'
            << web.log().size() << " requests in " << took.count() << " s\n";
}

}  // namespace
}  // namespace robots::example

int main() {
  try {
    robots::example::run();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "robots-crawler: " << error.what() << '\n';
    return 1;
  }
}
