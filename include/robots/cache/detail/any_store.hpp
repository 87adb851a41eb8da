#pragma once

#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_storage.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// A `SharedStore` without its type, so that what uses it is compiled once.
class any_store {
 public:
  explicit any_store(const tiered_options& how) noexcept : options(how) {}
  any_store(const any_store&) = delete;
  any_store& operator=(const any_store&) = delete;
  virtual ~any_store() = default;

  [[nodiscard]] virtual std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions) = 0;
  [[nodiscard]] virtual bool publish(std::string_view key, std::string_view value,
                                     std::chrono::milliseconds lifetime,
                                     const store_lease& lease) = 0;
  /// Stores a value for as long as there is room.
  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual void erase(std::string_view key) = 0;
  virtual void announce(std::string_view key) = 0;
  virtual void release(const store_lease& lease) = 0;
  virtual void watch(std::function<void(std::string_view)> told) = 0;

  const tiered_options options;  ///< how it is used
};

/// The store of that type, which outlives it.
template <SharedStore S>
class any_store_of final : public any_store {
 public:
  any_store_of(S& store, const tiered_options& how) noexcept : any_store(how), store_(store) {}

  [[nodiscard]] std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions) override {
    if constexpr (requires { store_.load_or_lease(questions, options.lease); }) {
      return store_.load_or_lease(questions, options.lease);
    } else {
      std::vector<store_reply> replies;
      for (const store_question& question : questions) {
        replies.push_back(load_then_lease(question));
      }
      return replies;
    }
  }
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const store_lease& lease) override {
    return store_.publish(key, value, lifetime, lease);
  }
  void put(std::string_view key, std::string_view value) override {
    store_.publish(key, value, std::chrono::milliseconds::max());
  }
  void erase(std::string_view key) override { store_.erase(key); }
  void announce(std::string_view key) override { store_.announce(key); }
  void release(const store_lease& lease) override { store_.release(lease); }
  void watch(std::function<void(std::string_view)> told) override { store_.watch(std::move(told)); }

 private:
  [[nodiscard]] store_reply load_then_lease(const store_question& question) {
    store_reply reply = load(question);
    const bool is_missing = !reply.value && !reply.other_value;
    const bool asks =
        question.wish == lease_wish::if_missing ? is_missing : question.wish != lease_wish::none;
    if (!reply.is_answered || !asks) {
      return reply;
    }
    auto lease = question.wish == lease_wish::take
                     ? std::optional{store_.take_lease(question.lease_key, options.lease)}
                     : store_.try_lease(question.lease_key, options.lease);
    if (lease) {
      reply = load(question);  // whoever had it before may have published since
      reply.lease = std::move(lease);
    }
    return reply;
  }

  [[nodiscard]] store_reply load(const store_question& question) {
    const std::array keys{question.key, question.other_key};
    partial_values loaded;
    if constexpr (requires { store_.load_partly(keys); }) {
      loaded = store_.load_partly(keys);
    } else {
      loaded.values = store_.load_all(keys);
    }
    if (loaded.is_lost(0) || loaded.is_lost(1)) {
      return {};
    }
    return {.value = std::move(loaded.values[0]),
            .other_value = std::move(loaded.values[1]),
            .is_answered = true};
  }

  S& store_;
};

}  // namespace robots::cache_detail
