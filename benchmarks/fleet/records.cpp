// Fills the Redis of a fleet with records of real files, and prints what a site costs there.
//
//     robots-fleet-records <REDIS-URL> <sites> <plain|compressed> <port>...
//
// The ports are those of all servers of the URL, on 127.0.0.1. Prints one line: the mode, the
// number of servers and of sites, the mean octets of a record and the octets of memory of the
// servers for each site; then for a publication and for a load, the CPU time of the servers and
// that of this process, in microseconds.
#include "inputs/inputs.hpp"
#include <robots/adapters/redis/redis_store.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/site_records.hpp>

#include <hiredis/hiredis.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t threads = 4;
constexpr std::size_t most_loads = 50'000;

/// The memory and the CPU time of all servers, by their own account.
struct usage {
  double octets = 0;
  double cpu_seconds = 0;
};

[[nodiscard]] double field(std::string_view info, std::string_view name) {
  const std::size_t found = info.find(name);
  if (found == std::string_view::npos) {
    throw std::runtime_error{"INFO of Redis lacks " + std::string{name}};
  }
  return std::stod(std::string{info.substr(found + name.size(), 32)});
}

[[nodiscard]] usage usage_of(const std::vector<std::string>& ports) {
  usage all;
  for (const std::string& port : ports) {
    const std::unique_ptr<redisContext, void (*)(redisContext*)> connection{
        redisConnect("127.0.0.1", std::stoi(port)), &redisFree};
    const std::unique_ptr<void, void (*)(void*)> reply{redisCommand(connection.get(), "INFO"),
                                                       &freeReplyObject};
    if (!reply) {
      throw std::runtime_error{"no Redis answers at port " + port};
    }
    const auto* const text = static_cast<const redisReply*>(reply.get());
    const std::string_view info{text->str, text->len};
    all.octets += field(info, "\nused_memory:");
    all.cpu_seconds += field(info, "\nused_cpu_user:") + field(info, "\nused_cpu_sys:");
  }
  return all;
}

[[nodiscard]] double own_cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

[[nodiscard]] std::string site_of(std::size_t number) {
  return "https://www.site-" + std::to_string(number) + ".example";
}

/// Returns the records that a cache publishes for a site with this file.
[[nodiscard]] std::string records_of(const std::string& site, const std::string& file) {
  robots::record fetched;
  fetched.outcome = robots::outcome::success;
  fetched.url = fetched.final_url = site + "/robots.txt";
  fetched.status = 200;
  fetched.exchanges.push_back({fetched.url, fetched.status});
  fetched.fetched_at = std::chrono::sys_days{std::chrono::year{2026} / 11 / 29};
  fetched.lifetime = std::chrono::hours{24};
  fetched.body = file;
  return robots::detail::encode(robots::detail::site_records{.latest = std::move(fetched)});
}

/// Calls `work(number)` for each number below `count`, in some threads.
template <class Work>
void in_threads(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> all;
  all.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      for (std::size_t number = next++; number < count; number = next++) {
        work(number);
      }
    });
  }
}

int run(const std::string& url, std::size_t sites, bool compresses,
        const std::vector<std::string>& ports) {
  const auto real = bench::read_real_files(bench::corpus_folder(BENCH_CORPUS_DIR));
  if (!real.found) {
    throw std::runtime_error{real.note};
  }
  const std::vector<std::string>& files = real.found->files;
  robots::RedisStore store{{.url = url,
                            .command_timeout = std::chrono::seconds{10},
                            .max_connections = threads,
                            .compress = compresses}};
  std::atomic<std::size_t> octets = 0;
  const auto measure = [&](std::size_t count, const auto& work) {
    const usage before = usage_of(ports);
    const double own = own_cpu_seconds();
    in_threads(count, work);
    const usage after = usage_of(ports);
    return std::pair{usage{after.octets - before.octets, after.cpu_seconds - before.cpu_seconds},
                     own_cpu_seconds() - own};
  };
  const auto [filled, own_filled] = measure(sites, [&](std::size_t number) {
    const std::string site = site_of(number);
    const std::string value = records_of(site, files[number % files.size()]);
    octets += value.size();
    store.publish(site, value, std::chrono::hours{24});
  });
  std::atomic<std::size_t> wrong = 0;
  const auto [loaded, own_loaded] = measure(most_loads, [&](std::size_t number) {
    const std::size_t site = number * 7'919 % sites;
    const robots::store_question question{.key = site_of(site),
                                          .other_key = "http" + site_of(site).substr(5),
                                          .lease_key = site_of(site),
                                          .wish = robots::lease_wish::if_missing};
    const auto reply = store.load_or_lease({&question, 1}, std::chrono::minutes{1});
    wrong += reply.front().value == records_of(site_of(site), files[site % files.size()]) ? 0U : 1U;
  });
  const auto microseconds = [](double seconds, std::size_t count) {
    return 1e6 * seconds / static_cast<double>(count);
  };
  std::printf("%s\t%zu\t%zu\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\n",
              compresses ? "compressed" : "plain", ports.size(), sites,
              static_cast<double>(octets) / static_cast<double>(sites),
              filled.octets / static_cast<double>(sites), microseconds(filled.cpu_seconds, sites),
              microseconds(own_filled, sites), microseconds(loaded.cpu_seconds, most_loads),
              microseconds(own_loaded, most_loads));
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::vector<std::string> words{arguments + 1, arguments + count};
    if (words.size() < 4 || (words[2] != "plain" && words[2] != "compressed")) {
      std::fputs("usage: robots-fleet-records <url> <sites> <plain|compressed> <port>...\n",
                 stderr);
      return 2;
    }
    return run(words[0], std::stoul(words[1]), words[2] == "compressed",
               {words.begin() + 3, words.end()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "robots-fleet-records: %s\n", error.what());
    return 1;
  }
}
