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

/// A site whose answer is known to a look-up: it redirects to the next one.
struct redirecting_site {
  site asked;
  found answer;
};

/// A look-up, answered or under way.
struct look_up_state {
  std::string key;  ///< of the site that the look-up is for; empty if the text names none
  std::shared_ptr<const call_context> context{};
  found answer{};
  std::size_t agent = 0;      ///< whose rules it is for: see `selected`
  bool refreshes = false;     ///< no answer of its site that is kept will do
  bool asks_anew = false;     ///< nor do redirects that were found out some time ago
  bool has_no_time = false;   ///< only the stored entry can answer
  bool led = false;           ///< it brought the policy, at least in part
  bool is_counted = false;    ///< as hit, miss or joined
  std::string counted_url{};  ///< as the look-up was begun, if that counted as a decision

  std::vector<redirecting_site> behind{};  ///< the sites that led to the one asked now
  std::optional<site> asked{};             ///< the site asked now; empty once there is an answer
  single_flight::waiter place{};           ///< in the flight of that site
  std::shared_ptr<site_work> work{};       ///< on that site, if this look-up is to do it
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
