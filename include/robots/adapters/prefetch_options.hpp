#pragma once

#include <robots/adapters/curl_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace robots {

/// What `prefetch` did for one host.
enum class prefetch_outcome {
  kept,      ///< nothing: fresh rules were in the cache
  fetched,   ///< it asked the site, which gave its robots.txt or has none
  joined,    ///< it waited for another look-up of the site, its own for a duplicate or a thread's,
             ///< or for what processes share (`TieredStorage`)
  failed,    ///< the robots.txt could not be had: the fallback policy holds
  excluded,  ///< nothing: `cache_options::excluded` names the host, or it is halted or not signed
             ///< off
  invalid,   ///< nothing: the text is no URL, host or `host:port`
};

/// How far `prefetch` is. Valid during the call of `prefetch_options::progress` only.
struct prefetch_progress {
  std::size_t done;                              ///< hosts done, this one included
  std::optional<std::size_t> total;              ///< of how many, where the range tells its size
  std::string_view host;                         ///< the element of the range
  prefetch_outcome outcome;                      ///< what was done for it
  std::shared_ptr<const robots::policy> policy;  ///< what holds for it now; never null
};

/// Settings of `prefetch`.
struct prefetch_options {
  /// Most exchanges, and most connections, at once. Above 0.
  std::size_t max_in_flight = 64;

  /// Most hosts begun and not done: in flight, waiting to try again after a failure, or waiting for
  /// another thread that asks already. Bounds the memory; at least `max_in_flight` in effect.
  std::size_t max_pending = 4'096;

  /// Called after each host, in the thread that called `prefetch`. It may use the cache. What it
  /// throws comes out of `prefetch`, once everything under way was given up.
  std::function<void(const prefetch_progress&)> progress{};

  /// Requested: what is under way is given up and nothing more begun. From any thread.
  std::stop_token stop{};

  /// By the clock of the cache; passed, the same. A wait to try again that would last until then is
  /// not begun: the failure holds.
  std::optional<time_point> deadline{};

  /// What goes for every exchange; `max_idle_handles` has no effect.
  curl_options curl{};
};

/// What `prefetch` did: how many hosts had which outcome.
struct prefetch_summary {
  std::size_t kept = 0;       ///< see `prefetch_outcome::kept`
  std::size_t fetched = 0;    ///< see `prefetch_outcome::fetched`
  std::size_t joined = 0;     ///< see `prefetch_outcome::joined`
  std::size_t failed = 0;     ///< see `prefetch_outcome::failed`
  std::size_t excluded = 0;   ///< see `prefetch_outcome::excluded`
  std::size_t invalid = 0;    ///< see `prefetch_outcome::invalid`
  std::size_t abandoned = 0;  ///< begun, and given up when it was stopped or the deadline passed
  bool complete = true;       ///< the range came to its end, and nothing was given up

  /// Hosts that came to an end.
  [[nodiscard]] std::size_t done() const noexcept {
    return kept + fetched + joined + failed + excluded + invalid;
  }
};

}  // namespace robots
