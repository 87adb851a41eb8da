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
class chosen_store {
 public:
  /// What is called with a key, and how long its value is kept.
  using visitor = std::function<void(std::string_view, std::chrono::milliseconds)>;

  /// `sqlite:PATH`, or a URL of `redis_options::url`. Throws std::invalid_argument for anything
  /// else, or for what this program was built without, and store_error for a file that cannot be
  /// used.
  explicit chosen_store(const std::string& where);

  [[nodiscard]] std::optional<std::string> load(std::string_view key) { return store_->load(key); }
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) {
    return store_->load_all(keys);
  }
  void publish(std::string_view key, std::string_view value, std::chrono::milliseconds lifetime) {
    store_->publish(key, value, lifetime);
  }
  bool publish(std::string_view key, std::string_view value, std::chrono::milliseconds lifetime,
               const store_lease& lease) {
    return store_->publish(key, value, lifetime, lease);
  }
  void erase(std::string_view key) { store_->erase(key); }
  void announce(std::string_view key) { store_->announce(key); }
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) {
    return store_->try_lease(key, duration);
  }
  [[nodiscard]] store_lease take_lease(std::string_view key, std::chrono::milliseconds duration) {
    return store_->take_lease(key, duration);
  }
  void release(const store_lease& lease) { store_->release(lease); }
  void watch(std::function<void(std::string_view)> told) { store_->watch(std::move(told)); }
  void for_each(const visitor& visit) { store_->for_each(visit); }

 private:
  struct any_store {
    any_store() = default;
    any_store(const any_store&) = delete;
    any_store& operator=(const any_store&) = delete;
    virtual ~any_store() = default;
    virtual std::optional<std::string> load(std::string_view key) = 0;
    virtual std::vector<std::optional<std::string>> load_all(std::span<const std::string> keys) = 0;
    virtual void publish(std::string_view key, std::string_view value,
                         std::chrono::milliseconds lifetime) = 0;
    virtual bool publish(std::string_view key, std::string_view value,
                         std::chrono::milliseconds lifetime, const store_lease& lease) = 0;
    virtual void erase(std::string_view key) = 0;
    virtual void announce(std::string_view key) = 0;
    virtual std::optional<store_lease> try_lease(std::string_view key,
                                                 std::chrono::milliseconds duration) = 0;
    virtual store_lease take_lease(std::string_view key, std::chrono::milliseconds duration) = 0;
    virtual void release(const store_lease& lease) = 0;
    virtual void watch(std::function<void(std::string_view)> told) = 0;
    virtual void for_each(const visitor& visit) = 0;
  };
  template <class S>
  struct store_of;

  std::unique_ptr<any_store> store_;
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
