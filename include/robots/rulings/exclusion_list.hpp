#pragma once

#include <robots/http/excluded_hosts.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace robots::rulings_detail {

/// The excluded hosts of a cache, which can be replaced while it runs. Any thread may call it.
class exclusion_list {
 public:
  /// Throws what `excluded_hosts` throws.
  explicit exclusion_list(std::span<const std::string> entries) { replace(entries); }

  /// Replaces the excluded hosts. Throws what `excluded_hosts` throws, and then has no effect.
  void replace(std::span<const std::string> entries) {
    auto next = std::make_shared<const detail::excluded_hosts>(entries);
    const std::scoped_lock lock{mutex_};
    is_empty_ = next->empty();
    hosts_.swap(next);
  }

  [[nodiscard]] std::shared_ptr<const detail::excluded_hosts> hosts() const {
    const std::shared_lock lock{mutex_};
    return hosts_;
  }

  /// Returns true if nothing is excluded. Takes no lock.
  [[nodiscard]] bool empty() const noexcept { return is_empty_; }

  [[nodiscard]] bool contains(std::string_view host) const {
    if (empty()) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    return hosts_->contains(host);
  }

 private:
  mutable std::shared_mutex mutex_;
  std::shared_ptr<const detail::excluded_hosts> hosts_;
  std::atomic<bool> is_empty_ = true;
};

}  // namespace robots::rulings_detail
