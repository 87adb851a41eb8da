#pragma once

#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/retrieval_job.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// A site that was asked for.
struct asked_site {
  site where;
  std::string key;
  single_flight::waiter place{};
  bool began = false;  ///< the flight, for its part: it did not join it
};

/// A look-up, one that is answered or one that is yet to be.
struct look_up_state {
  std::string key;  ///< of the site that the look-up is for; empty when the text names none
  std::shared_ptr<const call_context> context{};
  found answer{};
  std::size_t agent = 0;                 ///< whose rules it is for: see `selected`
  std::vector<asked_site> asked{};       ///< that site first, then those that redirects led to
  std::shared_ptr<retrieval_job> job{};  ///< while it is for this one to do
  errands to_do{};                       ///< for the job runner
  bool led = false;                      ///< it brought the policy, at least in part
  bool refreshes = false;                ///< what is kept of that site does not do, however fresh
  bool asks_sites = false;               ///< what other processes know of them does not do
  std::string counted_url{};  ///< as the look-up was begun, if that counted as a decision

  /// As `look_up::call_on_news`.
  void call_on_news(std::function<void()> wake) {
    if (asked.empty() || !asked.back().place) {
      wake();
    } else {
      asked.back().place.on_news(std::move(wake));
    }
  }
};

}  // namespace robots::cache_detail
