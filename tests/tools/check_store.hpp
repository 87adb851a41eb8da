// The store that the command line names, whatever it is.
#pragma once

#include <robots/policy/record.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/store/shared_store.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::check {

/// A `SharedStore` that is chosen while the program runs.
class chosen_store : public SharedStore {
 public:
  /// What is called with a key, and how long its value is kept.
  using visitor = std::function<void(std::string_view, std::chrono::milliseconds)>;

  /// `sqlite:PATH`, or a URL of `redis_options::url`. Throws std::invalid_argument for anything
  /// else, or for what this program was built without, and store_error for a file that cannot be
  /// used.
  explicit chosen_store(const std::string& where);

  [[nodiscard]] std::optional<std::string> load(std::string_view key) override {
    return store_->load(key);
  }
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    return store_->load_all(keys);
  }
  [[nodiscard]] partial_values load_partly(std::span<const std::string> keys) override {
    return store_->load_partly(keys);
  }
  [[nodiscard]] std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration) override {
    return store_->load_or_lease(questions, duration);
  }
  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    store_->publish(key, value, lifetime);
  }
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const store_lease& lease) override {
    return store_->publish(key, value, lifetime, lease);
  }
  void erase(std::string_view key) override { store_->erase(key); }
  void announce(std::string_view key) override { store_->announce(key); }
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    return store_->try_lease(key, duration);
  }
  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    return store_->take_lease(key, duration);
  }
  void release(const store_lease& lease) override { store_->release(lease); }
  void watch(std::function<void(std::string_view)> told) override {
    store_->watch(std::move(told));
  }

  /// Calls `visit` with each key.
  void for_each(const visitor& visit) { for_each_(visit); }

 private:
  template <class Store>
  void choose(std::unique_ptr<Store> chosen) {
    for_each_ = [store = chosen.get()](const visitor& visit) { store->for_each(visit); };
    store_ = std::move(chosen);
  }

  std::unique_ptr<SharedStore> store_;
  std::function<void(const visitor&)> for_each_;
};

/// What a store has of one site.
struct stored_site {
  std::string_view key;
  decode_site_result content;      ///< or why it cannot be read
  std::chrono::milliseconds left;  ///< for how long the store keeps it
  std::chrono::sys_seconds now;    ///< when it was looked at
};

/// `2026-11-22T03:00:00Z`.
[[nodiscard]] std::string date_text(std::chrono::sys_seconds when);

/// Until when a record holds; nothing if that is in another age.
[[nodiscard]] std::optional<std::chrono::sys_seconds> holds_until(const record_head& what);

}  // namespace robots::check
