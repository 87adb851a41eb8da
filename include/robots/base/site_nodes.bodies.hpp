#pragma once

#include <robots/base/config.hpp>
#include <robots/base/site_nodes.hpp>

#include <iterator>
#include <utility>

namespace robots::base {

ROBOTS_INLINE bool site_nodes::make_room(time_point now, time_point latest, until_function until) {
  const bool full = nodes_.size() >= capacity_;
  // These limits bound the work of one call, even if many values have changed.
  for (int looks = full ? 256 : 4; looks > 0 && !order_.empty() && order_.begin()->first <= now;
       --looks) {
    node& entry = *order_.begin()->second;
    const time_point end = until(entry);
    if (end > now) {
      move(entry, end);
      continue;
    }
    erase(entry);
    if (full) {
      return true;
    }
  }
  for (int looks = full ? 256 : 0; looks > 0; --looks) {
    const auto further_notice = order_.lower_bound((time_point::max)());
    if (further_notice == order_.begin()) {
      break;
    }
    const auto& [last, entry] = *std::prev(further_notice);
    if (last <= latest) {
      break;
    }
    const time_point end = until(*entry);
    if (end > latest && end < (time_point::max)()) {
      erase(*entry);
      return true;
    }
    move(*entry, end);
  }
  return nodes_.size() < capacity_;
}

ROBOTS_INLINE void site_nodes::add(std::unique_ptr<node> added, time_point when) {
  nodes_.make_room();
  added->place = order_.emplace(when, added.get());
  nodes_.add(std::move(added));
}

ROBOTS_INLINE void site_nodes::forget_after(node& entry, time_point when) noexcept {
  if (when < entry.place->first) {
    move(entry, when);
  }
}

ROBOTS_INLINE void site_nodes::erase(const node& gone) noexcept {
  order_.erase(gone.place);
  static_cast<void>(nodes_.take(gone));
}

ROBOTS_INLINE void site_nodes::move(node& entry, time_point when) noexcept {
  auto moved = order_.extract(entry.place);
  moved.key() = when;
  entry.place = order_.insert(std::move(moved));
}

}  // namespace robots::base
