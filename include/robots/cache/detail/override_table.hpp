#pragma once

#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_override.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// What was told of sites by hand. Any thread; no lock while nothing was told.
class override_table {
 public:
  explicit override_table(std::string_view user_agent)
      : allow_(policy::by_hand(user_agent, true)), deny_(policy::by_hand(user_agent, false)) {}

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  void set(const std::string& key, site_override what) {
    const std::scoped_lock lock{mutex_};
    if (what == site_override::none) {
      told_.erase(key);
    } else {
      told_[key] = what;
    }
    count_ = told_.size();
  }

  /// What holds for a site, told by its own name or by that of its bare host; null when nothing
  /// was.
  [[nodiscard]] std::shared_ptr<const policy> find(const site& where) const {
    if (empty()) {
      return nullptr;
    }
    const std::shared_lock lock{mutex_};
    auto told = told_.find(where.key());
    if (told == told_.end() && where.scheme) {
      site bare = where;
      bare.scheme.reset();
      told = told_.find(bare.key());
    }
    if (told == told_.end()) {
      return nullptr;
    }
    return told->second == site_override::allow ? allow_ : deny_;
  }

  [[nodiscard]] std::vector<std::pair<std::string, site_override>> list() const {
    const std::shared_lock lock{mutex_};
    return {told_.begin(), told_.end()};
  }

 private:
  const std::shared_ptr<const policy> allow_;
  const std::shared_ptr<const policy> deny_;
  mutable std::shared_mutex mutex_;
  std::atomic<std::size_t> count_ = 0;
  std::map<std::string, site_override, std::less<>> told_;
};

}  // namespace robots::cache_detail
