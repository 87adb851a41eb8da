#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace robots::store_detail {

/// Finds the slot that was not used for longest, among many whose order of use changes all the
/// time.
///
/// Nothing is reordered on use. When asked, it takes down an eighth of the slots in the order of
/// their stamps, oldest first, and uses that list up from then on. Stamps only grow, so a slot
/// whose stamp is still the one taken down is older than all others; one that was used since is
/// passed over, until its turn comes in a later list. Exact up to equal stamps, in O(1) for each
/// slot named or used when spread over all calls; a new list takes O(slots).
class eviction_order {
 public:
  /// The slot with the least stamp, of at least one that is in use. `stamp_of(slot)` gives that of
  /// each slot below `slots`, and 0 for one that is vacant; a slot that is filled anew must have a
  /// greater stamp than any had before. The same slot again until it is vacant or used.
  template <class StampOf>
  [[nodiscard]] std::size_t oldest(std::size_t slots, const StampOf& stamp_of) {
    for (;;) {
      for (; !listed_.empty(); listed_.pop_back()) {
        const candidate next = listed_.back();
        if (stamp_of(next.slot) == next.stamp) {
          return next.slot;
        }
      }
      list(slots, stamp_of);
    }
  }

  /// Forgets what was listed, for other slots to follow.
  void clear() noexcept { listed_.clear(); }

 private:
  struct candidate {
    std::uint64_t stamp;
    std::size_t slot;
  };

  template <class StampOf>
  void list(std::size_t slots, const StampOf& stamp_of) {
    listed_.reserve(slots);  // or nothing is listed: half a list would be out of order
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (const std::uint64_t stamp = stamp_of(slot); stamp != 0) {
        listed_.push_back({stamp, slot});
      }
    }
    const std::size_t keep = listed_.size() / 8 + 1;
    const auto end = listed_.begin() + static_cast<std::ptrdiff_t>(std::min(keep, listed_.size()));
    const auto older = [](const candidate& a, const candidate& b) { return a.stamp < b.stamp; };
    std::nth_element(listed_.begin(), end, listed_.end(), older);
    listed_.erase(end, listed_.end());
    std::sort(listed_.begin(), listed_.end(),
              [&](const candidate& a, const candidate& b) { return older(b, a); });
  }

  std::vector<candidate> listed_;  // oldest last
};

}  // namespace robots::store_detail
