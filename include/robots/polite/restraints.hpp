#pragma once

#include <robots/time/clock.hpp>

#include <memory>
#include <optional>

namespace robots {

class policy;

/// What restrains requests to a host, beside the crawler's own options and what the host answered.
struct restraints {
  /// The rules of the URL's site, for its delays, rates and hours; null for none.
  std::shared_ptr<const policy> rules{};
  /// A circuit breaker lets nothing through before this moment.
  std::optional<time_point> breaker_open_until{};
  /// When the host was last asked for something without a reservation, such as robots.txt: the next
  /// request keeps its distance from the first such moment since the one before. See also
  /// `basic_host_gate::note_request`.
  std::optional<time_point> asked_at{};
};

}  // namespace robots
