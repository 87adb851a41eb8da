#include "check_store.hpp"

#ifdef ROBOTS_CHECK_REDIS
#include <robots/adapters/redis_store.hpp>
#endif
#ifdef ROBOTS_CHECK_SQLITE
#include <robots/adapters/sqlite_store.hpp>
#endif

#include <time.h>

#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::check {

template <class S>
struct chosen_store::store_of final : any_store {
  explicit store_of(S given) : store(std::move(given)) {}

  std::optional<std::string> load(std::string_view key) override { return store.load(key); }
  std::vector<std::optional<std::string>> load_all(std::span<const std::string> keys) override {
    return store.load_all(keys);
  }
  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    store.publish(key, value, lifetime);
  }
  bool publish(std::string_view key, std::string_view value, std::chrono::milliseconds lifetime,
               const store_lease& lease) override {
    return store.publish(key, value, lifetime, lease);
  }
  void erase(std::string_view key) override { store.erase(key); }
  void announce(std::string_view key) override { store.announce(key); }
  std::optional<store_lease> try_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    return store.try_lease(key, duration);
  }
  store_lease take_lease(std::string_view key, std::chrono::milliseconds duration) override {
    return store.take_lease(key, duration);
  }
  void release(const store_lease& lease) override { store.release(lease); }
  void watch(std::function<void(std::string_view)> told) override { store.watch(std::move(told)); }
  void for_each(const visitor& visit) override { store.for_each(visit); }

  S store;
};

chosen_store::chosen_store(const std::string& where) {
  constexpr std::string_view file = "sqlite:";
  if (where.starts_with(file)) {
#ifdef ROBOTS_CHECK_SQLITE
    store_ = std::make_unique<store_of<SqliteStore>>(
        SqliteStore{sqlite_options{.path = where.substr(file.size())}});
    return;
#else
    throw std::invalid_argument("--store: this robots-check was built without SQLite");
#endif
  }
  if (where.find("://") == std::string::npos) {
    throw std::invalid_argument("--store: neither redis://HOST nor sqlite:PATH: \"" + where + '"');
  }
#ifdef ROBOTS_CHECK_REDIS
  store_ = std::make_unique<store_of<RedisStore>>(RedisStore{redis_options{.url = where}});
#else
  throw std::invalid_argument("--store: this robots-check was built without hiredis");
#endif
}

static_assert(SharedStore<chosen_store>);

std::string date_text(std::chrono::sys_seconds when) {
  const std::time_t seconds = when.time_since_epoch().count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::optional<std::chrono::sys_seconds> holds_until(const record_head& what) {
  constexpr std::chrono::seconds age = std::chrono::years{1'000};
  return what.lifetime < age ? std::optional{what.fetched_at + what.lifetime} : std::nullopt;
}

}  // namespace robots::check
