#pragma once

#include <robots/base/site_table.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

/// Counts the malformed files of sites. A site with several malformed files in a row goes into
/// quarantine. A site in quarantine gets no requests until somebody has looked at the site (the
/// pipeline guide).
///
/// This class watches at most 65,536 sites. If there are more, it forgets the site whose last
/// malformed file is the oldest, but never a site in quarantine. Any thread may call any member.
/// `sites` takes linear time, and the other members take logarithmic time.
class quarantine {
 public:
  /// A site goes into quarantine after `files` malformed files in a row; 0 turns quarantine off.
  explicit quarantine(int files) noexcept : files_(files) {}

  /// Returns the policy of a site in quarantine, or null.
  [[nodiscard]] std::shared_ptr<const policy> find(std::string_view key) const {
    if (held_ == 0) {
      return nullptr;
    }
    const std::scoped_lock lock{mutex_};
    const state* const found = sites_.find(key);
    return found == nullptr ? nullptr : found->policy;
  }

  /// Counts a malformed file of a site. `policy` makes the policy for the site if its quarantine
  /// begins. Returns true if the quarantine has just begun.
  template <class Make>
  bool note_malformed(std::string_view key, const Make& policy) {
    return files_ != 0 && note(key, files_, policy);
  }

  /// Puts a site into quarantine because another process has done so. Returns false if the site is
  /// already in quarantine.
  bool hold(std::string_view key, const std::shared_ptr<const robots::policy>& policy) {
    return note(key, 1, [&policy] { return policy; });
  }

  /// Forgets a site and its count of malformed files. Returns true if the site was in quarantine.
  bool release(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    const state* const found = sites_.find(key);
    const bool was_held = found != nullptr && found->policy;
    held_ -= was_held ? 1 : 0;
    sites_.erase(key);
    return was_held;
  }

  [[nodiscard]] std::size_t size() const noexcept { return held_; }

  /// Returns the keys of the sites in quarantine, in no order.
  [[nodiscard]] std::vector<std::string> sites() const {
    const std::scoped_lock lock{mutex_};
    std::vector<std::string> keys;
    sites_.for_each([&keys](std::string_view key, const state& noted) {
      if (noted.policy) {
        keys.emplace_back(key);
      }
    });
    return keys;
  }

 private:
  static constexpr std::size_t most_watched = 65'536;

  struct state {
    int files = 0;
    std::int64_t note = 0;  // the number of the last note about this site
    std::shared_ptr<const robots::policy> policy{};

    /// Returns a rank instead of a time. The oldest note has the latest rank, which a full table
    /// drops first.
    [[nodiscard]] static time_point needed_until(const state& noted) noexcept {
      return noted.policy ? (time_point::max)()
                          : (time_point::max)() - time_point::duration{1 + noted.note};
    }
  };

  template <class Make>
  bool note(std::string_view key, int most_files, const Make& policy) {
    const std::scoped_lock lock{mutex_};
    state* const noted = sites_.find_or_add(key, {}, &state::needed_until, time_point{});
    if (noted == nullptr) {
      return false;
    }
    noted->note = ++notes_;
    sites_.forget_after(*noted, state::needed_until(*noted));
    if (++noted->files < most_files || noted->policy) {
      return false;
    }
    noted->policy = policy();
    ++held_;
    return true;
  }

  const int files_;
  mutable std::mutex mutex_;
  std::atomic<std::size_t> held_ = 0;
  std::int64_t notes_ = 0;
  base::site_table<state> sites_{most_watched};
};

}  // namespace robots::rulings_detail
