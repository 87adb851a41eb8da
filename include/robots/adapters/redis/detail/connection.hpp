#pragma once

#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/printable.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>

#include <hiredis/hiredis.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// The address of a server: a host and a port, or the path of a socket and port 0.
struct redis_address {
  std::string host;
  std::uint16_t port = 0;

  friend auto operator<=>(const redis_address&, const redis_address&) = default;
};

[[nodiscard]] inline std::string to_string(const redis_address& address) {
  return address.port == 0 ? address.host : address.host + ':' + std::to_string(address.port);
}

/// The words of a command. The key is the second word, except in `EVAL`, where it is the fourth.
using redis_command = std::vector<std::string>;

struct redis_reply {
  enum class kind : std::uint8_t { nil, text, status, error, integer, list, lost };

  kind type = kind::nil;
  std::string text{};  ///< the content of a text, status or error; the reason why a reply is `lost`
  std::int64_t integer = 0;
  std::vector<redis_reply> list{};

  [[nodiscard]] bool is_error(std::string_view code) const {
    return type == kind::error && std::string_view{text}.substr(0, text.find(' ')) == code;
  }

  /// Returns true if this reply, or a reply in its list, is the error `code`. Before version 7,
  /// Redis puts the error of a command in a script behind other text, with a minus sign.
  [[nodiscard]] bool has_error(std::string_view code) const {
    const auto says = [code](const redis_reply& reply) {
      const std::string inner = '-' + std::string{code} + ' ';
      return reply.is_error(code) ||
             (reply.type == kind::error && reply.text.find(inner) != std::string::npos);
    };
    return says(*this) || std::ranges::any_of(list, says);
  }
};

/// Stores a part of a reply for hiredis. Returns null if the reply is too large, or its lists are
/// nested so deeply that destructors could overflow the stack. Then hiredis reports an error.
[[nodiscard]] inline void* keep_reply(const redisReadTask* task, redis_reply::kind type,
                                      std::string_view text = {},
                                      std::int64_t integer = 0) noexcept {
  constexpr int most_lists = 8;
  int lists = 0;
  for (const redisReadTask* one = task; one->parent != nullptr; one = one->parent) {
    ++lists;
  }
  auto& budget = *static_cast<std::size_t*>(task->privdata);
  if (lists > most_lists || budget < sizeof(redis_reply) ||
      budget - sizeof(redis_reply) < text.size()) {
    budget = 0;
    return nullptr;
  }
  budget -= sizeof(redis_reply) + text.size();
  try {
    redis_reply reply{.type = type, .text = std::string{text}, .integer = integer};
    if (task->parent == nullptr) {
      return std::make_unique<redis_reply>(std::move(reply)).release();
    }
    return &static_cast<redis_reply*>(task->parent->obj)->list.emplace_back(std::move(reply));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// Returns the functions that hiredis calls for each part of a reply. They accept only the types of
/// RESP2, since servers send RESP3 only to a client that asks for it.
[[nodiscard]] inline redisReplyObjectFunctions* redis_reply_functions() {
  static auto all = []<class Functions>(Functions functions) {
    using kind = redis_reply::kind;
    functions.createString = [](const redisReadTask* task, char* text, std::size_t size) {
      kind type = kind::text;
      if (task->type == REDIS_REPLY_ERROR) {
        type = kind::error;
      } else if (task->type == REDIS_REPLY_STATUS) {
        type = kind::status;
      }
      return keep_reply(task, type, {text, size});
    };
    functions.createArray = [](const redisReadTask* task, auto /*size*/) {
      return keep_reply(task, kind::list);
    };
    functions.createInteger = [](const redisReadTask* task, long long number) {
      return keep_reply(task, kind::integer, {}, number);
    };
    functions.createNil = [](const redisReadTask* task) { return keep_reply(task, kind::nil); };
    functions.freeObject = [](void* reply) {
      const std::unique_ptr<redis_reply> gone{static_cast<redis_reply*>(reply)};
    };
    if constexpr (requires { functions.createDouble; }) {  // hiredis 1.0 and later
      functions.createDouble = [](auto...) -> void* { return nullptr; };
      functions.createBool = [](auto...) -> void* { return nullptr; };
    }
    return functions;
  }(redisReplyObjectFunctions{});
  return &all;
}

using redis_time = std::chrono::steady_clock::time_point;

[[nodiscard]] inline redis_time redis_deadline(std::chrono::milliseconds timeout) noexcept {
  return base::saturating_add(std::chrono::steady_clock::now(), timeout);
}

/// Protects a thread from SIGPIPE. A write to a connection that the server has closed raises this
/// signal, which would end the program. The program's own handler of SIGPIPE does not change.
class sigpipe_guard {
 public:
  sigpipe_guard() noexcept {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    was_pending_ = is_pending();
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  sigpipe_guard(const sigpipe_guard&) = delete;
  sigpipe_guard& operator=(const sigpipe_guard&) = delete;
  ~sigpipe_guard() {
    if (int signal = 0; !was_pending_ && is_pending()) {
      ::sigwait(&pipe_, &signal);
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  [[nodiscard]] static bool is_pending() noexcept {
    sigset_t pending;
    ::sigpending(&pending);
    return ::sigismember(&pending, SIGPIPE) == 1;
  }

  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

/// A connection to one server, for one thread at a time. Each call ends at its deadline at the
/// latest. Throws `store_error` if the connection is lost, or if a reply is malformed or needs more
/// memory than `max_reply_bytes`. After an exception, destroy the connection.
class redis_connection {
 public:
  /// Opens the connection, with TLS if `tls` is not empty. A stop request ends the wait of the
  /// constructor or of any later call.
  redis_connection(const redis_address& server, redis_time deadline, std::size_t max_reply_bytes,
                   const decltype(redis_options::tls)& tls, stop_token stop)
      : name_{to_string(server)},
        max_reply_bytes_{max_reply_bytes},
        stop_{std::move(stop)},
        budget_{max_reply_bytes} {
    context_.reset(server.port == 0 ? redisConnectUnixNonBlock(server.host.c_str())
                                    : redisConnectNonBlock(server.host.c_str(), server.port));
    if (!context_) {
      throw std::bad_alloc{};
    }
    check();
    context_->reader->fn = redis_reply_functions();
    context_->reader->privdata = &budget_;
    const short ready = wait(POLLOUT, deadline);
    if (ready == 0) {
      fail("cannot be reached in time");
    }
    if (ready != POLLOUT) {
      redisBufferRead(context_.get());  // finds the reason of the failure
    }
    check();
    if (tls) {
      tls(*context_, server.host, [&](short events) {
        if (wait(events, deadline) == 0) {
          fail("does not speak TLS in time");
        }
      });
    }
  }
  redis_connection(const redis_connection&) = delete;
  redis_connection& operator=(const redis_connection&) = delete;

  /// Queues a command, which the next call of `receive` sends.
  void send(const redis_command& command) {
    std::vector<const char*> words;
    std::vector<std::size_t> sizes;
    for (const std::string& word : command) {
      words.push_back(word.data());
      sizes.push_back(word.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(command.size()), words.data(),
                               sizes.data()) != REDIS_OK) {
      throw std::bad_alloc{};
    }
    is_written_ = false;
  }

  /// Returns the next reply, or an empty optional at `deadline` or after a stop request.
  [[nodiscard]] std::optional<redis_reply> receive(redis_time deadline) {
    for (;;) {
      void* read = nullptr;
      if (redisReaderGetReply(context_->reader, &read) != REDIS_OK) {
        if (budget_ == 0) {
          fail("sends a reply that is too large");
        }
        fail("does not speak the protocol of Redis: " + std::string{context_->reader->errstr});
      }
      if (read != nullptr) {
        budget_ = max_reply_bytes_;
        return std::move(*std::unique_ptr<redis_reply>{static_cast<redis_reply*>(read)});
      }
      if (context_->reader->len - context_->reader->pos > max_reply_bytes_) {
        fail("sends more than " + std::to_string(max_reply_bytes_) + " octets");
      }
      const short ready = wait(is_written_ ? POLLIN : POLLIN | POLLOUT, deadline);
      if (ready == 0 || deadline <= std::chrono::steady_clock::now()) {
        return std::nullopt;  // the deadline also ends an endless reply
      }
      if (!is_written_) {
        const sigpipe_guard no_signal;
        int done = 0;
        redisBufferWrite(context_.get(), &done);
        check();
        is_written_ = done != 0;
      }
      if ((ready & ~POLLOUT) != 0) {
        redisBufferRead(context_.get());
        check();
      }
    }
  }

  /// Sends all commands at once, and returns their replies.
  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands,
                                             redis_time deadline) {
    for (const redis_command& command : commands) {
      send(command);
    }
    std::vector<redis_reply> replies;
    while (replies.size() < commands.size()) {
      std::optional<redis_reply> reply = receive(deadline);
      if (!reply) {
        fail("does not answer in time");
      }
      replies.push_back(std::move(*reply));
    }
    return replies;
  }

  /// Returns true if the connection is open and has no unread data.
  [[nodiscard]] bool is_idle() const {
    return context_->reader->pos == context_->reader->len &&
           wait(POLLIN, std::chrono::steady_clock::now()) == 0;
  }

  /// Returns a name of the server for messages.
  [[nodiscard]] std::string name() const { return "Redis at " + name_; }

  [[noreturn]] void fail(const std::string& reason) const {
    throw store_error{name() + ' ' + base::without_controls(reason)};
  }

 private:
  void check() const {
    if (context_->err != 0) {
      fail("cannot be reached: " + std::string{context_->errstr});
    }
  }

  /// Returns the next event of the socket, or 0 at the deadline or after a stop request.
  [[nodiscard]] short wait(int events, redis_time deadline) const {
    using std::chrono::milliseconds;
    while (!stop_.stop_requested()) {
      pollfd socket{.fd = context_->fd, .events = static_cast<short>(events), .revents = 0};
      const auto left =
          std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
      constexpr milliseconds longest{100};  // after this time, the loop checks for a stop request
      const auto step = std::clamp(left, milliseconds{0}, longest);
      const int count = ::poll(&socket, 1, static_cast<int>(step.count()));
      if (count < 0 && errno != EINTR) {
        fail("cannot be polled: " + std::generic_category().message(errno));
      }
      if (count > 0 || left <= milliseconds{0}) {
        return socket.revents;
      }
    }
    return 0;
  }

  std::string name_;
  std::size_t max_reply_bytes_;
  stop_token stop_;
  std::size_t budget_;  // octets that the next reply may still use
  std::unique_ptr<redisContext, decltype(&redisFree)> context_{nullptr, &redisFree};
  bool is_written_ = true;
};

}  // namespace robots::adapters_detail
