#include "check_store.hpp"

#ifdef ROBOTS_CHECK_REDIS
#include <robots/adapters/redis/redis_store.hpp>
#endif
#ifdef ROBOTS_CHECK_SQLITE
#include <robots/adapters/sqlite/sqlite_store.hpp>
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

chosen_store::chosen_store(const std::string& where) {
  constexpr std::string_view file = "sqlite:";
  if (where.starts_with(file)) {
#ifdef ROBOTS_CHECK_SQLITE
    choose(std::make_unique<SqliteStore>(sqlite_options{.path = where.substr(file.size())}));
    return;
#else
    throw std::invalid_argument("--store: this robots-check was built without SQLite");
#endif
  }
  if (where.find("://") == std::string::npos) {
    throw std::invalid_argument("--store: neither redis://HOST nor sqlite:PATH: \"" + where + '"');
  }
#ifdef ROBOTS_CHECK_REDIS
  choose(std::make_unique<RedisStore>(redis_options{.url = where}));
#else
  throw std::invalid_argument("--store: this robots-check was built without hiredis");
#endif
}

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
