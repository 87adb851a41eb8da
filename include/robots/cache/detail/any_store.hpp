#pragma once

#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_storage.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// A `SharedStore` without its type, so that what uses it is compiled once.
class any_store {
 public:
  explicit any_store(const tiered_options& how) noexcept : options(how) {}
  any_store(const any_store&) = delete;
  any_store& operator=(const any_store&) = delete;
  virtual ~any_store() = default;

  [[nodiscard]] virtual partial_values load_all(std::span<const std::string> keys) = 0;
  [[nodiscard]] virtual bool publish(std::string_view key, std::string_view value,
                                     std::chrono::milliseconds lifetime,
                                     const store_lease& lease) = 0;
  virtual void erase(std::string_view key) = 0;
  virtual void announce(std::string_view key) = 0;
  [[nodiscard]] virtual std::optional<store_lease> try_lease(std::string_view key,
                                                             std::chrono::milliseconds time) = 0;
  [[nodiscard]] virtual store_lease take_lease(std::string_view key,
                                               std::chrono::milliseconds time) = 0;
  virtual void release(const store_lease& lease) = 0;
  virtual void watch(std::function<void(std::string_view)> told) = 0;

  const tiered_options options;  ///< how it is used
};

/// The store of that type, which outlives it.
template <SharedStore S>
class any_store_of final : public any_store {
 public:
  any_store_of(S& store, const tiered_options& how) noexcept : any_store(how), store_(store) {}

  [[nodiscard]] partial_values load_all(std::span<const std::string> keys) override {
    if constexpr (requires { store_.load_partly(keys); }) {
      return store_.load_partly(keys);
    } else {
      return {.values = store_.load_all(keys)};
    }
  }
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const store_lease& lease) override {
    return store_.publish(key, value, lifetime, lease);
  }
  void erase(std::string_view key) override { store_.erase(key); }
  void announce(std::string_view key) override { store_.announce(key); }
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds time) override {
    return store_.try_lease(key, time);
  }
  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds time) override {
    return store_.take_lease(key, time);
  }
  void release(const store_lease& lease) override { store_.release(lease); }
  void watch(std::function<void(std::string_view)> told) override { store_.watch(std::move(told)); }

 private:
  S& store_;
};

}  // namespace robots::cache_detail
