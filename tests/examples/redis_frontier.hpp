// The URLs of a crawl in a Redis server, for the processes of a fleet.
//
//     crawl:urls       hash       each known URL, with its number of links from a seed
//     crawl:new:HOST   list       the new URLs of a host
//     crawl:hosts      set        hosts with new URLs and without a URL in progress
//     crawl:working    sorted set hosts with a URL in progress, by the end of their lease
//     crawl:taken      hash       the URL in progress of each of these hosts
//     crawl:results    hash       the number of URLs that are done, by result
//     crawl:uses       hash       the number of pages, by the answer for the purpose of the crawl
#pragma once

#include "crawl_url.hpp"
#include <robots/http/host.hpp>

#include <hiredis/hiredis.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace robots::example {

/// The URLs that a crawl has seen: new ones, those in progress, and those that are done. Any thread
/// of any process may call it. A host has at most one URL in progress in all processes. Each step
/// is a script, which Redis runs as a whole.
class redis_frontier {
 public:
  /// Connects to `HOST:PORT`. If a process ends with a URL in progress, others take the URL again
  /// when its lease is over.
  redis_frontier(const std::string& server, std::chrono::milliseconds lease)
      : lease_{std::to_string(lease.count())} {
    const std::size_t colon = server.rfind(':');
    if (colon == std::string::npos) {
      throw std::invalid_argument("the state is " + server +
                                  ", and not HOST:PORT of a Redis server");
    }
    constexpr timeval patience{.tv_sec = 5, .tv_usec = 0};
    server_.reset(::redisConnectWithTimeout(server.substr(0, colon).c_str(),
                                            std::stoi(server.substr(colon + 1)), patience),
                  &::redisFree);
    if (server_ == nullptr || server_->err != 0 ||
        ::redisSetTimeout(server_.get(), patience) != REDIS_OK) {
      throw std::runtime_error("there is no answer from the Redis server at " + server);
    }
  }

  /// Adds a URL that is not known yet.
  void add(const std::string& url, const std::string& host, std::int64_t depth) {
    run(R"(
local url, host, depth = ARGV[1], ARGV[2], ARGV[3]
if redis.call('hsetnx', 'crawl:urls', url, depth) == 1 then
  redis.call('rpush', 'crawl:new:' .. host, url)
  if not redis.call('hget', 'crawl:taken', host) then redis.call('sadd', 'crawl:hosts', host) end
end
return {})",
        {url, host, std::to_string(depth)});
  }

  /// Takes a new URL of a host without a URL in progress.
  [[nodiscard]] std::optional<crawl_url> take() {
    const std::vector<std::string> found = run(R"(
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, host in ipairs(redis.call('zrangebyscore', 'crawl:working', '-inf', now)) do
  redis.call('lpush', 'crawl:new:' .. host, redis.call('hget', 'crawl:taken', host))
  redis.call('hdel', 'crawl:taken', host)
  redis.call('zrem', 'crawl:working', host)
  redis.call('sadd', 'crawl:hosts', host)
end
local host = redis.call('spop', 'crawl:hosts')
if not host then return {} end
local url = redis.call('lpop', 'crawl:new:' .. host)
redis.call('hset', 'crawl:taken', host, url)
redis.call('zadd', 'crawl:working', now + tonumber(ARGV[1]), host)
return {url, redis.call('hget', 'crawl:urls', url)})",
                                               {lease_});
    if (found.size() != 2) {
      return std::nullopt;
    }
    return crawl_url{found[0], std::stoll(found[1])};
  }

  /// Gives back a URL that was taken, as if it was new.
  void give_back(const crawl_url& taken) { leave(taken, "", ""); }

  /// Ends the work on a URL. `use` is the answer for the purpose of the crawl, or empty.
  void end(const crawl_url& taken, const std::string& result, const std::string& use) {
    leave(taken, result, use);
  }

  /// Returns true if no URL is new or in progress.
  [[nodiscard]] bool is_done() {
    const auto counts = states();
    return counts.at("new") == 0 && counts.at("in progress") == 0;
  }

  /// Returns the number of URLs by state: `new`, `in progress` and `done`.
  [[nodiscard]] std::map<std::string, std::int64_t> states() {
    return counts(R"(
local done = 0
for _, count in ipairs(redis.call('hvals', 'crawl:results')) do done = done + count end
local working = redis.call('zcard', 'crawl:working')
return {'done', tostring(done), 'in progress', tostring(working),
        'new', tostring(redis.call('hlen', 'crawl:urls') - done - working)})");
  }

  /// Returns the number of URLs that are done, by result.
  [[nodiscard]] std::map<std::string, std::int64_t> results() {
    return counts("return redis.call('hgetall', 'crawl:results')");
  }

  /// Returns the number of pages, by the answer for the purpose of the crawl.
  [[nodiscard]] std::map<std::string, std::int64_t> uses() {
    return counts("return redis.call('hgetall', 'crawl:uses')");
  }

 private:
  /// Ends the lease of a URL. Does nothing if another process has the URL.
  void leave(const crawl_url& taken, const std::string& result, const std::string& use) {
    run(R"(
local url, host, result, use = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('hget', 'crawl:taken', host) ~= url then return {} end
redis.call('hdel', 'crawl:taken', host)
redis.call('zrem', 'crawl:working', host)
if result == '' then
  redis.call('lpush', 'crawl:new:' .. host, url)
else
  redis.call('hincrby', 'crawl:results', result, 1)
end
if use ~= '' then redis.call('hincrby', 'crawl:uses', use, 1) end
if redis.call('llen', 'crawl:new:' .. host) > 0 then redis.call('sadd', 'crawl:hosts', host) end
return {})",
        {taken.url, std::string{host_of(taken.url)}, result, use});
  }

  [[nodiscard]] std::map<std::string, std::int64_t> counts(std::string_view script) {
    std::map<std::string, std::int64_t> named;
    const std::vector<std::string> texts = run(script, {});
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
      named[texts[i]] = std::stoll(texts[i + 1]);
    }
    return named;
  }

  /// Runs a script, which returns a list of texts.
  std::vector<std::string> run(std::string_view script, const std::vector<std::string>& values) {
    std::vector<std::string_view> words{"EVAL", script, "0"};
    words.insert(words.end(), values.begin(), values.end());
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string_view word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    const std::scoped_lock lock{mutex_};
    const std::shared_ptr<redisReply> reply{
        static_cast<redisReply*>(::redisCommandArgv(server_.get(), static_cast<int>(words.size()),
                                                    texts.data(), sizes.data())),
        [](redisReply* answer) { ::freeReplyObject(answer); }};
    if (reply == nullptr || reply->type != REDIS_REPLY_ARRAY) {
      throw std::runtime_error("the Redis server did not keep the state: " +
                               std::string{reply == nullptr ? server_->errstr : reply->str});
    }
    std::vector<std::string> answer;
    for (std::size_t i = 0; i < reply->elements; ++i) {
      answer.emplace_back(reply->element[i]->str, reply->element[i]->len);
    }
    return answer;
  }

  std::string lease_;  // in milliseconds
  std::mutex mutex_;
  std::shared_ptr<redisContext> server_{};
};

}  // namespace robots::example
