#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// A reply of a Redis server, or a part of a reply.
struct redis_reply {
  enum class kind : std::uint8_t { nil, text, status, error, integer, list, lost };

  kind type = kind::nil;
  std::string text{};  ///< the content of a text, status or error; the reason why a reply is `lost`
  std::int64_t integer = 0;
  std::vector<redis_reply> list{};

  [[nodiscard]] bool is_error(std::string_view code) const {
    return type == kind::error && std::string_view{text}.substr(0, text.find(' ')) == code;
  }
};

/// Subtracts the memory of one part from the octets that the current reply may still use. Returns
/// false if these octets are too few. Without this limit, a server could send an array of two
/// thousand million elements.
[[nodiscard]] inline bool takes_from_budget(const redisReadTask* task,
                                            std::size_t octets) noexcept {
  auto& left = *static_cast<std::size_t*>(task->privdata);
  const std::size_t needed = sizeof(redis_reply) + octets;
  const bool has_room = needed >= octets && needed <= left;
  left = has_room ? left - needed : 0;
  return has_room;
}

/// Returns true if lists are nested deeper than any reply needs. This limit is for versions of
/// hiredis without one, since the destructors of thousands of nested lists would overflow the
/// stack.
[[nodiscard]] inline bool is_deep(const redisReadTask* task) noexcept {
  constexpr int most = 8;
  int lists = 0;
  for (; task->parent != nullptr; task = task->parent) {
    ++lists;
  }
  return lists > most;
}

/// Stores a part of a reply for hiredis. Returns null if the part is too large or there is no
/// memory, which makes hiredis report an error.
[[nodiscard]] inline void* keep_reply(const redisReadTask* task, redis_reply::kind type,
                                      std::string_view text = {},
                                      std::int64_t integer = 0) noexcept {
  if (!takes_from_budget(task, is_deep(task) ? SIZE_MAX : text.size())) {
    return nullptr;
  }
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
/// RESP2, since servers send other types only to a client that asks for RESP3.
template <class Functions>
[[nodiscard]] Functions make_reply_functions() {
  using kind = redis_reply::kind;
  Functions functions{};
  functions.createString = [](const redisReadTask* task, char* text, std::size_t size) {
    const kind type = task->type == REDIS_REPLY_ERROR    ? kind::error
                      : task->type == REDIS_REPLY_STATUS ? kind::status
                                                         : kind::text;
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
  if constexpr (requires { functions.createDouble; }) {
    functions.createDouble = [](auto...) -> void* { return nullptr; };
    functions.createBool = [](auto...) -> void* { return nullptr; };
  }
  return functions;
}

[[nodiscard]] inline redisReplyObjectFunctions* redis_reply_functions() {
  static auto functions = make_reply_functions<redisReplyObjectFunctions>();
  return &functions;
}

}  // namespace robots::adapters_detail
