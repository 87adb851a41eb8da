#pragma once

#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// A site that redirects to the next one.
struct redirecting_site {
  site asked;
  found answer;
};

/// A look-up, finished or not.
struct look_up_state {
  std::string key;  ///< of the site of the look-up; empty if the text names none
  std::shared_ptr<const call_context> context{};
  found answer{};
  std::size_t agent = 0;      ///< the crawler: see `selected`
  bool refreshes = false;     ///< a stored answer of its site is not enough
  bool asks_anew = false;     ///< and neither are old redirects
  bool has_no_time = false;   ///< only a stored entry can answer
  bool led = false;           ///< it did the work, at least a part
  bool is_counted = false;    ///< as a hit, a miss or joined
  std::string counted_url{};  ///< the text of `begin`, if that counted as a decision

  std::vector<redirecting_site> behind{};  ///< the sites that redirected to the site asked now
  std::optional<site> asked{};             ///< the site asked now; empty after the answer
  single_flight::waiter place{};           ///< among the waiters for the flight of that site
  std::shared_ptr<site_work> work{};       ///< on that site, if this look-up does it
  std::vector<std::shared_ptr<site_work>> left{};  ///< work for threads of the cache

  /// See `look_up::call_on_news`.
  void call_on_news(std::function<void()> wake) {
    if (place) {
      place.on_news(std::move(wake));
    } else {
      wake();
    }
  }
};

}  // namespace robots::cache_detail
