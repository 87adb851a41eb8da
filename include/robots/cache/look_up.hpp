#pragma once

#include <robots/cache/detail/flight.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace robots {

namespace detail {

/// What a look-up came to.
struct found {
  std::shared_ptr<const robots::policy> policy{};
  bool from_cache = false;
  bool stale = false;  // no longer fresh, and being renewed
  time_point now{};    // when an entry of the cache was found
};

template <Fetcher F, Clock C, Storage S, Observer O>
class policy_loader;
}  // namespace detail

template <Fetcher F, Clock C, Storage S, Observer O>
class basic_robots_cache;

/// The work that brings the policy of a site, for whoever drives the network.
///
/// Drive `work()` until it is a `retrieval_result`, then give the job to
/// `basic_robots_cache::complete`. A job that is dropped instead is given up: those who wait begin
/// anew. It must not outlive its cache. One thread at a time.
class retrieval_job {
 public:
  retrieval_job(const retrieval_job&) = delete;
  retrieval_job& operator=(const retrieval_job&) = delete;

  /// What to do: see `retrieval`.
  [[nodiscard]] retrieval& work() noexcept { return work_; }

  /// Requested when nobody waits for the policy any more. To be passed on with each request.
  [[nodiscard]] std::stop_token stop() const noexcept { return stop_; }

 private:
  template <Fetcher F, Clock C, Storage S, Observer O>
  friend class basic_robots_cache;
  template <Fetcher F, Clock C, Storage S, Observer O>
  friend class detail::policy_loader;

  retrieval_job(site where, std::string key, retrieval work, earlier_policies before,
                detail::single_flight::ticket ticket, time_point began, std::uint64_t invalidations)
      : where_(std::move(where)),
        key_(std::move(key)),
        before_(std::move(before)),
        ticket_(std::move(ticket)),
        work_(std::move(work)),
        stop_(ticket_.under_way().stop()),
        began_(began),
        invalidations_(invalidations) {}

  site where_;
  std::string key_;
  earlier_policies before_;
  detail::single_flight::ticket ticket_;  // none once the job is complete
  retrieval work_;  // goes first, so that those who wait find the breaker's probe free
  std::stop_token stop_;
  time_point began_;
  std::uint64_t invalidations_;  // of any site, when it began
};

/// A look-up in steps, for those who drive the network themselves; see `basic_robots_cache::begin`.
///
/// Either `policy()` is there, or somebody has to bring it: this look-up, if `take_job()` gives the
/// job, or another one. `on_landed` tells when it is there; then `basic_robots_cache::resume`
/// takes it over. A look-up that is dropped waits no more. It must not outlive its cache. One
/// thread at a time.
class look_up {
 public:
  /// A look-up of which this is known; made by a cache.
  explicit look_up(detail::found known) noexcept : found_(std::move(known)) {}

  /// The policy; null while it is to be brought.
  [[nodiscard]] const std::shared_ptr<const robots::policy>& policy() const noexcept {
    return found_.policy;
  }

  /// Whether the policy was kept in the cache, so that nothing had to be brought.
  [[nodiscard]] bool from_cache() const noexcept { return found_.from_cache; }

  /// Why the site may not be asked: `decision_reason::excluded` or `invalid_url`; nothing for one
  /// that may, and while there is no policy.
  [[nodiscard]] std::optional<decision_reason> refusal() const noexcept {
    return policy() ? policy()->refused() : std::nullopt;
  }

  /// The job of bringing it, once, to the first look-up that waits for it; to any other, null.
  [[nodiscard]] std::unique_ptr<retrieval_job> take_job() noexcept { return std::move(job_); }

  /// Calls `wake` once the policy was brought or given up, from the thread that did so; at once if
  /// that has happened. `wake` returns soon and does not throw.
  void on_landed(std::function<void()> wake) {
    if (seat_) {
      seat_->on_landed(std::move(wake));
    } else {
      wake();
    }
  }

 private:
  template <Fetcher F, Clock C, Storage S, Observer O>
  friend class basic_robots_cache;
  template <Fetcher F, Clock C, Storage S, Observer O>
  friend class detail::policy_loader;

  look_up(site where, std::string key) noexcept : where_(std::move(where)), key_(std::move(key)) {}

  site where_{};
  std::string key_{};
  detail::found found_{};
  detail::seat seat_{};
  std::unique_ptr<retrieval_job> job_{};
  bool began_ = false;  // the flight, for its part: it did not join it
};

}  // namespace robots
