#pragma once

#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <memory>
#include <stop_token>
#include <variant>

namespace robots::cache_detail {

/// The work that brings the policy of a site. Dropped, it is given up: those who wait begin anew.
struct retrieval_job {
  site where;
  std::shared_ptr<const policy> last;  ///< what is known of the site
  single_flight::leader lead;
  retrieval work;        ///< goes first, so that those who wait find the breaker's probe free
  std::stop_token stop;  ///< requested when nobody waits for the policy any more
  time_point began;

  [[nodiscard]] bool is_done() const noexcept {
    return std::holds_alternative<retrieval_result>(work.next());
  }
};

}  // namespace robots::cache_detail
