// robots-polite-crawler [OPTION]... STATE URL...: crawls the hosts of the URLs politely. It keeps
// its state in the SQLite file STATE, so it can be stopped (Ctrl-C) and started again. It shows its
// progress in one line, and prints a report at the end. Everything that a site can ask of a crawler
// is in the library: the rules, the pace, redirects, 429 and 503, and the use of the pages.
#include "frontier.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/sqlite/sqlite_store.hpp>
#include <robots/robots.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace robots::example {
namespace {

volatile std::sig_atomic_t is_interrupted = 0;

/// The command line.
struct settings {
  std::string state;
  std::vector<std::string> seeds;
  curl_options client{.keep_connections = true};
  robots::purpose purpose = robots::purpose::index;
  std::int64_t depth = 3;                      ///< links from a seed
  std::int64_t pages = 1'000;                  ///< pages of one run
  std::chrono::milliseconds delay{1'000};      ///< between two requests to a host
  std::chrono::milliseconds patience{60'000};  ///< the longest wait for a page
};

settings read(const std::vector<std::string>& given) {
  settings wanted;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].starts_with("--")) {
      rest.push_back(given[i]);
      continue;
    }
    if (i + 1 == given.size()) {
      throw std::invalid_argument(given[i] + " needs a value");
    }
    const std::string& value = given[i + 1];
    if (given[i] == "--connect-to") {
      wanted.client.connect_to.push_back(value);
    } else if (given[i] == "--allow-address") {
      wanted.client.allowed_addresses.push_back(value);
    } else if (given[i] == "--depth") {
      wanted.depth = std::stoll(value);
    } else if (given[i] == "--pages") {
      wanted.pages = std::stoll(value);
    } else if (given[i] == "--delay") {
      wanted.delay = std::chrono::milliseconds{std::stoll(value)};
    } else if (given[i] == "--patience") {
      wanted.patience = std::chrono::milliseconds{std::stoll(value)};
    } else if (given[i] == "--purpose" && value == "ai_train") {
      wanted.purpose = robots::purpose::ai_train;
    } else if (given[i] == "--purpose" && value == "index") {
      wanted.purpose = robots::purpose::index;
    } else {
      throw std::invalid_argument("there is no option " + given[i] + " with the value " + value);
    }
    ++i;
  }
  if (rest.size() < 2) {
    throw std::invalid_argument("usage: robots-polite-crawler [OPTION]... STATE URL...");
  }
  wanted.state = rest.front();
  wanted.seeds.assign(rest.begin() + 1, rest.end());
  return wanted;
}

class polite_crawler {
 public:
  explicit polite_crawler(settings wanted)
      : wanted_{std::move(wanted)}, urls_{wanted_.state}, left_{wanted_.pages} {
    for (const std::string& seed : wanted_.seeds) {
      hosts_.insert(std::string{host_of(seed)});
      add(seed, 0);
    }
  }

  void run() {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([this] { work(); });
    }
    while (active_ > 0) {
      std::unique_lock lock{mutex_};
      ended_.wait_for(lock, std::chrono::milliseconds{100}, [this] { return active_ == 0; });
      if (is_interrupted != 0) {
        stop_.request_stop();
      }
      lock.unlock();
      auto states = urls_.states();
      std::cerr << '\r' << states["done"] << " done, " << states["new"] << " to do   "
                << std::flush;
    }
    std::cerr << '\n';
  }

  void report() {
    const auto print = [](const char* title, const auto& counts) {
      std::cout << title << '\n';
      for (const auto& [name, count] : counts) {
        std::cout << "  " << name << ": " << count << '\n';
      }
    };
    print("URLs", urls_.states());
    print("Results", urls_.results());
    print((std::string{to_string(wanted_.purpose)} + " is permitted").c_str(), urls_.uses());
  }

 private:
  using cache_type =
      basic_robots_cache<CurlFetcher, SteadyClock, TieredStorage<LruStorage<4096>, SqliteStore>>;

  void work() {
    while (!stop_.stop_requested() && left_.fetch_sub(1) > 0) {
      const auto next = urls_.take();
      if (!next) {
        break;
      }
      fetch(*next);
    }
    const std::scoped_lock lock{mutex_};
    --active_;
    ended_.notify_all();
  }

  void fetch(const crawl_url& next) {
    page_options call;
    call.deadline = cache_.clock().now() + wanted_.patience;
    call.stop = stop_.get_token();
    call.purpose = wanted_.purpose;
    const page_result page = client_.fetch(next.url, call);
    if (page.end == page_end::stopped) {
      return;  // the next run fetches it
    }
    if (page && next.depth < wanted_.depth && may_follow(page)) {
      add_links(page, next.depth + 1);
    }
    const std::string status =
        page.end == page_end::answered ? ' ' + std::to_string(page.response->status) : "";
    urls_.end(next.url, std::string{to_string(page.end)} + status,
              page.permission ? std::string{to_string(page.permission->answer)} : "");
  }

  [[nodiscard]] bool may_follow(const page_result& page) {
    const auto now = std::chrono::system_clock::now();
    return page.page->may(robots::purpose::follow, now).answer != permission_answer::no;
  }

  void add_links(const page_result& page, std::int64_t depth) {
    constexpr std::string_view begin = "href=\"";
    std::string_view text = page.response->body;
    for (auto link = text.find(begin); link != std::string_view::npos; link = text.find(begin)) {
      text.remove_prefix(link + begin.size());
      if (const auto url = resolve_reference(page.url, text.substr(0, text.find('"')))) {
        add(*url, depth);
      }
    }
  }

  void add(const std::string& url, std::int64_t depth) {
    const std::string host{host_of(url)};
    if (hosts_.contains(host)) {
      urls_.add(url, host, depth);
    }
  }

  [[nodiscard]] gate_options pace() const {
    return {.delay = {.fixed_delay = wanted_.delay,
                      .cap = std::chrono::minutes{2},
                      .skip_above_cap = true},
            .delay_from_response = true};
  }

  settings wanted_;
  frontier urls_;
  std::set<std::string> hosts_{};
  stop_source stop_{};
  CurlFetcher fetcher_{wanted_.client};
  cache_type cache_{{.user_agent = "ExampleBot/1.0 (+https://bot.example/)",
                     .fallback = fallback_policy::rfc9309()},
                    fetcher_,
                    {},
                    TieredStorage<LruStorage<4096>, SqliteStore>{
                        SqliteStore{{.path = wanted_.state + ".robots"}}}};
  host_gate gate_{pace()};
  basic_polite_client<cache_type, host_gate, CurlFetcher> client_{cache_, gate_, fetcher_};
  std::atomic<std::int64_t> left_;
  std::mutex mutex_{};
  std::condition_variable ended_{};
  std::atomic<int> active_ = 4;
};

}  // namespace
}  // namespace robots::example

int main(int count, char** arguments) {
  try {
    std::signal(SIGINT, [](int) { robots::example::is_interrupted = 1; });
    robots::example::polite_crawler crawler{
        robots::example::read({arguments + 1, arguments + count})};
    crawler.run();
    crawler.report();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "robots-polite-crawler: " << error.what() << '\n';
    return 1;
  }
}
