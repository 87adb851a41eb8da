#include "redis_server.hpp"

#include "raw_server.hpp"

#include <hiredis/hiredis.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace robots::test {
namespace {

std::string text_of(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) {
    return std::to_string(reply.integer);
  }
  if (reply.type != REDIS_REPLY_ARRAY) {
    return reply.str == nullptr ? std::string{} : std::string{reply.str, reply.len};
  }
  std::string text;
  for (std::size_t i = 0; i < reply.elements; ++i) {
    text += text_of(*reply.element[i]) + '\n';
  }
  return text;
}

std::string answer(redisContext& context, const std::vector<std::string>& command) {
  std::vector<const char*> words;
  std::vector<std::size_t> sizes;
  for (const std::string& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply{
      static_cast<redisReply*>(
          redisCommandArgv(&context, static_cast<int>(words.size()), words.data(), sizes.data())),
      &freeReplyObject};
  return reply ? text_of(*reply) : "";
}

}  // namespace

redis_server::redis_server(std::vector<std::string> options, const std::string& sentinel_file)
    : options_{std::move(options)}, is_sentinel_{!sentinel_file.empty()} {
  std::ofstream{file("sentinel.conf")} << sentinel_file;
  // Another program can take the port before the server listens on it.
  constexpr int tries = 5;
  for (int i = 0; i < tries; ++i) {
    port_ = closed_port().number();
    try {
      start();
      return;
    } catch (const std::runtime_error&) {
      stop();
    }
  }
  throw std::runtime_error("redis-server does not listen");
}

void redis_server::start() {
  std::vector<std::string> command{ROBOTS_REDIS_SERVER};
  if (is_sentinel_) {
    command.insert(command.end(), {file("sentinel.conf"), "--sentinel"});
  } else {
    command.insert(command.end(), {"--save", "", "--appendonly", "no", "--unixsocket", socket()});
  }
  command.insert(command.end(),
                 {"--port", std::to_string(port_), "--bind", "127.0.0.1", "--dir", file("")});
  command.insert(command.end(), options_.begin(), options_.end());
  child_.emplace(command, file("log"));
  while (tell({"PING"}).empty()) {
    if (child_->has_ended()) {
      throw std::runtime_error("redis-server does not start");
    }
    std::this_thread::yield();
  }
}

std::string redis_server::tell(const std::vector<std::string>& command,
                               const std::string& password) const {
  const std::unique_ptr<redisContext, decltype(&redisFree)> context{
      redisConnect("127.0.0.1", port_), &redisFree};
  if (!context || context->err != 0) {
    return "";
  }
  if (!password.empty()) {
    answer(*context, {"AUTH", password});
  }
  return answer(*context, command);
}

}  // namespace robots::test
