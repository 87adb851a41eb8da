// The crawl of robots-polite-crawler and robots-polite-fleet, which keep their state in other
// places.
#pragma once

#include "crawl_url.hpp"
#include "polite_settings.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/robots.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace robots::example {

inline volatile std::sig_atomic_t is_interrupted = 0;

/// Crawls the hosts of the seeds with the client of the library, until no URL is left, or until
/// Ctrl-C. `Frontier` holds the URLs of the crawl. Other processes may have the same state.
template <class Frontier, class Cache>
class polite_crawl {
 public:
  polite_crawl(const polite_settings& wanted, Frontier& urls, CurlFetcher& fetcher, Cache& cache,
               host_gate& gate)
      : wanted_{wanted},
        urls_{urls},
        cache_{cache},
        client_{cache, gate, fetcher},
        left_{wanted.pages},
        active_{wanted.threads} {
    std::signal(SIGINT, [](int) { is_interrupted = 1; });
    for (const std::string& seed : wanted.seeds) {
      hosts_.insert(std::string{host_of(seed)});
      add(seed, 0);
    }
  }

  /// Throws what the frontier throws.
  void run() {
    std::vector<std::jthread> threads;
    for (int i = 0; i < wanted_.threads; ++i) {
      threads.emplace_back([this] { work(); });
    }
    for (std::unique_lock lock{mutex_}; active_ > 0;) {
      changed_.wait_for(lock, look_again);
      if (is_interrupted != 0) {
        stop_.request_stop();
      }
      lock.unlock();
      auto states = urls_.states();
      std::cerr << '\r' << states["done"] << " done, " << states["new"] << " to do   "
                << std::flush;
      lock.lock();
    }
    std::cerr << '\n';
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

  void report() {
    const auto print = [](const char* title, const auto& counts) {
      std::cout << title << '\n';
      for (const auto& [name, count] : counts) {
        std::cout << "  " << name << ": " << count << '\n';
      }
    };
    std::cout << "URLs of this run: " << ended_ << '\n';
    print("URLs", urls_.states());
    print("Results", urls_.results());
    print((std::string{to_string(wanted_.purpose)} + " is permitted").c_str(), urls_.uses());
  }

 private:
  static constexpr std::chrono::milliseconds look_again{100};

  void work() {
    try {
      fetch_all();
    } catch (...) {  // the place of the state has failed
      const std::scoped_lock lock{mutex_};
      failure_ = std::current_exception();
      stop_.request_stop();
    }
    const std::scoped_lock lock{mutex_};
    --active_;
    changed_.notify_all();
  }

  void fetch_all() {
    while (!stop_.stop_requested() && left_.fetch_sub(1) > 0) {
      if (const auto next = urls_.take()) {
        fetch(*next);
        continue;
      }
      ++left_;
      if (urls_.is_done()) {
        return;
      }
      // Each host has a URL in progress, here or in another process.
      std::unique_lock lock{mutex_};
      changed_.wait_for(lock, look_again);
    }
  }

  void fetch(const crawl_url& next) {
    page_options call;
    call.deadline = cache_.clock().now() + wanted_.patience;
    call.stop = stop_.get_token();
    call.purpose = wanted_.purpose;
    const page_result page = client_.fetch(next.url, call);
    if (page.end == page_end::stopped) {
      return urls_.give_back(next);  // for the next run
    }
    if (page && next.depth < wanted_.depth && may_follow(page)) {
      add_links(page, next.depth + 1);
    }
    const std::string status =
        page.end == page_end::answered ? ' ' + std::to_string(page.response->status) : "";
    urls_.end(next, std::string{to_string(page.end)} + status,
              page.permission ? std::string{to_string(page.permission->answer)} : "");
    ++ended_;
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

  const polite_settings& wanted_;
  Frontier& urls_;
  Cache& cache_;
  basic_polite_client<Cache, host_gate, CurlFetcher> client_;
  std::set<std::string> hosts_{};
  stop_source stop_{};
  std::atomic<std::int64_t> left_;
  std::atomic<std::int64_t> ended_ = 0;
  std::mutex mutex_{};  // guards the members below
  std::condition_variable changed_{};
  int active_;
  std::exception_ptr failure_{};
};

}  // namespace robots::example
