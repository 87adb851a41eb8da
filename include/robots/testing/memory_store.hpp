#pragma once

#include <robots/base/hash.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A `SharedStore` in the memory of this process, for tests.
///
/// Copies share the values, and each copy acts as another process, so give each cache a separate
/// copy. `erase` and `announce` call the `watch` functions of the other copies in the calling
/// thread. Values expire by the clock, which can be a `ManualClock`.
template <Clock C>
class MemoryStore : public SharedStore {
 public:
  /// Makes an empty store that uses `clock`.
  explicit MemoryStore(C clock) : storage_{std::make_shared<storage>(std::move(clock))} {}

  /// Makes a copy that shares the values with `other`, but not the `watch` function of `other`.
  MemoryStore(const MemoryStore& other) : SharedStore{other}, storage_{other.storage_} {}
  /// Moves the store and its `watch` function. Then `other` may only be destroyed or assigned to.
  MemoryStore(MemoryStore&& other) noexcept = default;
  /// Replaces this store by `other`. The old `watch` function gets no more calls.
  MemoryStore& operator=(MemoryStore other) noexcept {
    storage_.swap(other.storage_);
    process_.swap(other.process_);
    return *this;
  }
  ~MemoryStore() override {
    if (process_) {
      const std::scoped_lock lock{storage_->mutex};
      std::erase(storage_->watching, process_.get());
    }
  }

  /// Sets a hook for all copies. `SharedStore` calls except `watch` begin with `hook(first key)`.
  void on_call(std::function<void(std::string_view key)> hook) {
    const std::scoped_lock lock{storage_->mutex};
    storage_->hook = std::make_shared<const watcher>(std::move(hook));
  }

  /// Makes all copies fail. Each `SharedStore` call except `watch` throws `store_error{why}`.
  void fail(std::string why) {
    on_call([why = std::move(why)](std::string_view /*key*/) { throw store_error{why}; });
  }

  /// Ends the effect of `fail` and `on_call`.
  void recover() { on_call({}); }

  /// Deletes all values and leases without a notification, like a server that has lost its data.
  void clear() {
    const std::scoped_lock lock{storage_->mutex};
    storage_->values.clear();
    storage_->leases.clear();
  }

  /// Calls each `watch` function with an empty key, as if changes had been lost.
  void lose_changes() {
    const std::scoped_lock lock{storage_->mutex};
    notify("", nullptr);
  }

  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    const auto lock = begin_call(keys.empty() ? std::string_view{} : keys.front());
    std::vector<std::optional<std::string>> loaded;
    for (const std::string& key : keys) {
      loaded.push_back(value_of(key, storage_->values));
    }
    return loaded;
  }

  [[nodiscard]] std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration) override {
    const auto lock = begin_call(questions.empty() ? std::string_view{} : questions.front().key);
    std::vector<store_reply> replies;
    for (const store_question& question : questions) {
      store_reply reply{.value = value_of(question.key, storage_->values),
                        .other_value = value_of(question.other_key, storage_->values),
                        .is_answered = true};
      const bool is_missing = !reply.value && !reply.other_value;
      const bool asks = question.wish == lease_wish::if_free ||
                        (question.wish == lease_wish::if_missing && is_missing);
      if (question.wish == lease_wish::take ||
          (asks && !value_of(question.lease_key, storage_->leases))) {
        reply.lease = lease_of(question.lease_key, duration);
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }

  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    if (lifetime <= lifetime.zero()) {
      return erase(key);
    }
    const auto lock = begin_call(key);
    storage_->values.insert_or_assign(std::string{key}, until_after(lifetime, value));
  }

  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const store_lease& lease) override {
    const auto lock = begin_call(key);
    if (value_of(lease.key, storage_->leases) != lease.token) {
      return false;
    }
    storage_->leases.erase(lease.key);
    storage_->values.insert_or_assign(std::string{key}, until_after(lifetime, value));
    return true;
  }

  void erase(std::string_view key) override {
    const auto lock = begin_call(key);
    storage_->values.erase(std::string{key});
    storage_->leases.erase(std::string{key});
    notify(key, process_.get());
  }

  void announce(std::string_view key) override {
    const auto lock = begin_call(key);
    notify(key, process_.get());
  }

  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    const auto lock = begin_call(key);
    const bool is_free = duration > duration.zero() && !value_of(key, storage_->leases);
    return is_free ? std::optional{lease_of(key, duration)} : std::nullopt;
  }

  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    const auto lock = begin_call(key);
    return lease_of(key, duration);
  }

  void release(const store_lease& lease) override {
    const auto lock = begin_call(lease.key);
    if (value_of(lease.key, storage_->leases) == lease.token) {
      storage_->leases.erase(lease.key);
    }
  }

  void watch(std::function<void(std::string_view)> on_change) override {
    const std::scoped_lock lock{storage_->mutex};
    std::erase(storage_->watching, process_.get());
    *process_ = std::move(on_change);
    if (*process_) {
      storage_->watching.push_back(process_.get());
    }
  }

 private:
  using watcher = std::function<void(std::string_view)>;

  struct timed {
    std::string octets;
    time_point until;
  };

  using table = boost::unordered_flat_map<std::string, timed, base::text_hash, std::equal_to<>>;

  struct storage {
    explicit storage(C its_clock) : clock{std::move(its_clock)} {}

    C clock;
    std::mutex mutex;
    table values;
    table leases;
    std::vector<const watcher*> watching;
    std::uint64_t last_token = 0;
    std::shared_ptr<const watcher> hook;
  };

  [[nodiscard]] std::unique_lock<std::mutex> begin_call(std::string_view key) {
    std::unique_lock lock{storage_->mutex};
    if (const auto hook = storage_->hook; hook && *hook) {
      lock.unlock();
      (*hook)(key);
      lock.lock();
    }
    return lock;
  }

  [[nodiscard]] std::optional<std::string> value_of(std::string_view key, const table& in) {
    const auto found = in.find(key);
    const bool is_valid = found != in.end() && found->second.until > storage_->clock.now();
    return is_valid ? std::optional{found->second.octets} : std::nullopt;
  }

  [[nodiscard]] store_lease lease_of(std::string_view key, std::chrono::milliseconds duration) {
    store_lease lease{.key = std::string{key}, .token = std::to_string(++storage_->last_token)};
    storage_->leases.insert_or_assign(lease.key, until_after(duration, lease.token));
    return lease;
  }

  [[nodiscard]] timed until_after(std::chrono::milliseconds time, std::string_view octets) {
    return {.octets = std::string{octets},
            .until = base::saturating_add(storage_->clock.now(), time)};
  }

  void notify(std::string_view key, const watcher* sender) {
    for (const watcher* const other : storage_->watching) {
      if (other != sender) {
        (*other)(key);
      }
    }
  }

  std::shared_ptr<storage> storage_;
  std::unique_ptr<watcher> process_ = std::make_unique<watcher>();
};

}  // namespace robots
