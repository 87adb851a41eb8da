#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/blocking_web.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/time/clock.hpp>

#include <utility>

namespace robots::detail {

/// Does the steps of `work`. Stops before an exchange whose timeout would end after `deadline`, and
/// before a wait until `deadline` or longer. Returns true if the retrieval has ended.
[[nodiscard]] bool advance_retrieval(retrieval& work, blocking_web& web, time_point deadline);

/// Runs a retrieval to its end. Cancels it if a stop is requested, or if the deadline has passed or
/// would pass during a wait. See `exchange_within`, too.
[[nodiscard]] retrieval_result run_retrieval(retrieval work, blocking_web& web,
                                             const call_options& limits);

/// Does the same with a blocking fetcher and a clock.
template <Fetcher F, Clock C>
[[nodiscard]] retrieval_result run_retrieval(retrieval work, F& fetcher, C& clock,
                                             const call_options& limits = {}) {
  blocking_web_of<F, C> web{fetcher, clock};
  return run_retrieval(std::move(work), web, limits);
}

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/run_retrieval.bodies.hpp>
#endif
