#pragma once

#include <robots/base/ascii.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace robots::detail {

/// Lower-case product tokens that a document was asked about and does not name itself, so that the
/// verdicts about them can view them as long as the document lives.
///
/// Threads add to it at once without a lock: it is a list that only grows at its head.
class token_pool {
 public:
  constexpr token_pool() noexcept = default;
  constexpr token_pool(const token_pool& /*other*/) noexcept {}
  constexpr token_pool(token_pool&& other) noexcept { swap(other); }
  constexpr token_pool& operator=(token_pool other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~token_pool() {
    if (!std::is_constant_evaluated()) {
      clear();
    }
  }

  /// The token in lower case. In a constant expression, which cannot keep it, as it was given.
  [[nodiscard]] constexpr std::string_view lower(std::string_view token) const {
    return std::is_constant_evaluated() ? token : intern(token);
  }

 private:
  struct node {
    std::string token;
    const node* next;
  };

  [[nodiscard]] std::string_view intern(std::string_view token) const {
    const node* head = head_.load(std::memory_order_acquire);
    for (const node* at = head; at != nullptr; at = at->next) {
      if (equal_ignoring_case(at->token, token)) {
        return at->token;
      }
    }
    auto added = std::make_unique<node>(node{.token = std::string{token}, .next = head});
    for (char& c : added->token) {
      c = to_lower(c);
    }
    while (!head_.compare_exchange_weak(added->next, added.get(), std::memory_order_acq_rel)) {
    }
    return added.release()->token;
  }

  constexpr void swap(token_pool& other) noexcept {
    if (std::is_constant_evaluated()) {
      return;
    }
    head_.store(other.head_.exchange(head_.load(std::memory_order_acquire)));
  }

  void clear() noexcept {
    const node* at = head_.load(std::memory_order_acquire);
    while (at != nullptr) {
      const std::unique_ptr<const node> owner{std::exchange(at, at->next)};
    }
  }

  mutable std::atomic<const node*> head_ = nullptr;
};

}  // namespace robots::detail
