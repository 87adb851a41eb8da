#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/policy/policy.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::detail {

/// Sites whose files were malformed several times in a row: they are not asked again until somebody
/// has looked at them (the pipeline guide: "quarantine the target").
///
/// 65,536 sites are watched at most; when there are more, those on their way are forgotten.
///
/// Any thread. Constant time on average but for `sites`, and no lock while nothing is watched.
class quarantine {
 public:
  /// `files` in a row lead into quarantine; 0 means that nothing does.
  explicit quarantine(int files) noexcept : files_(files) {}

  /// What holds for a site in quarantine; null for any other.
  [[nodiscard]] std::shared_ptr<const policy> find(std::string_view key) const {
    if (watched_ == 0) {
      return nullptr;
    }
    const std::scoped_lock lock{mutex_};
    const auto found = sites_.find(key);
    return found == sites_.end() ? nullptr : found->second.policy;
  }

  /// Takes note of a file that was malformed. `policy` makes what holds in quarantine.
  template <class Make>
  void note_malformed(std::string_view key, const Make& policy) {
    if (files_ == 0) {
      return;
    }
    const std::scoped_lock lock{mutex_};
    auto found = sites_.find(key);
    if (found == sites_.end()) {
      if (sites_.size() == most_watched && held_ < most_watched) {
        boost::unordered::erase_if(sites_, [](const auto& each) { return !each.second.policy; });
      }
      if (sites_.size() == most_watched) {
        return;
      }
      found = sites_.emplace(std::string{key}, state{}).first;
      watched_ = sites_.size();
    }
    if (++found->second.files >= files_ && !found->second.policy) {
      found->second.policy = policy();
      held_ += found->second.policy ? 1 : 0;
    }
  }

  /// Forgets a site, be it in quarantine or on its way there.
  void release(std::string_view key) {
    if (watched_ == 0) {
      return;
    }
    const std::scoped_lock lock{mutex_};
    if (const auto found = sites_.find(key); found != sites_.end()) {
      held_ -= found->second.policy ? 1 : 0;
      sites_.erase(found);
      watched_ = sites_.size();
    }
  }

  /// How many sites are in quarantine.
  [[nodiscard]] std::size_t size() const noexcept { return held_; }

  /// The keys of the sites in quarantine, in no order.
  [[nodiscard]] std::vector<std::string> sites() const {
    const std::scoped_lock lock{mutex_};
    std::vector<std::string> keys;
    for (const auto& [key, each] : sites_) {
      if (each.policy) {
        keys.push_back(key);
      }
    }
    return keys;
  }

 private:
  static constexpr std::size_t most_watched = 65'536;

  struct state {
    int files = 0;
    std::shared_ptr<const robots::policy> policy{};
  };

  const int files_;
  mutable std::mutex mutex_;
  std::atomic<std::size_t> watched_ = 0;
  std::atomic<std::size_t> held_ = 0;
  boost::unordered_flat_map<std::string, state, text_hash, std::equal_to<>> sites_;
};

}  // namespace robots::detail
