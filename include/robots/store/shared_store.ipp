#pragma once

#include <robots/base/config.hpp>
#include <robots/store/shared_store.hpp>

#include <array>

namespace robots {

ROBOTS_INLINE std::vector<store_reply> SharedStore::load_or_lease(
    std::span<const store_question> questions, std::chrono::milliseconds duration) {
  std::vector<store_reply> replies(questions.size());
  std::size_t lost = 0;
  try {
    for (std::size_t i = 0; i < replies.size(); ++i) {
      try {
        replies[i] = load_then_lease(questions[i], duration);
      } catch (const store_part_error&) {
        if (++lost == replies.size()) {
          throw;
        }
      }
    }
  } catch (...) {
    for (const store_reply& reply : replies) {
      abandon(reply.lease);
    }
    throw;
  }
  return replies;
}

ROBOTS_INLINE store_reply SharedStore::load_then_lease(const store_question& question,
                                                       std::chrono::milliseconds duration) {
  store_reply reply = load_both(question);
  const bool is_missing = !reply.value && !reply.other_value;
  const bool asks =
      question.wish == lease_wish::if_missing ? is_missing : question.wish != lease_wish::none;
  if (!reply.is_answered || !asks) {
    return reply;
  }
  auto lease = question.wish == lease_wish::take
                   ? std::optional{take_lease(question.lease_key, duration)}
                   : try_lease(question.lease_key, duration);
  if (lease) {
    try {
      reply = load_both(question);  // the previous holder may have published meanwhile
    } catch (...) {
      abandon(lease);
      throw;
    }
    reply.lease = std::move(lease);
  }
  return reply;
}

ROBOTS_INLINE void SharedStore::abandon(const std::optional<store_lease>& lease) noexcept {
  try {
    if (lease) {
      release(*lease);
    }
  } catch (...) {
    return;  // the lease expires by itself
  }
}

ROBOTS_INLINE store_reply SharedStore::load_both(const store_question& question) {
  const std::array keys{question.key, question.other_key};
  std::vector<std::optional<std::string>> values = load_all(keys);
  return {.value = std::move(values.at(0)),
          .other_value = std::move(values.at(1)),
          .is_answered = true};
}

}  // namespace robots
