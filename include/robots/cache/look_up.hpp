#pragma once

#include <robots/cache/detail/flight.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace robots {

namespace cache_detail {

class job_runner;
class policy_loader;

/// What a look-up came to.
struct found {
  std::shared_ptr<const robots::policy> policy{};
  bool from_cache = false;
  bool stale = false;  // no longer fresh, and being renewed
  time_point now{};    // when an entry of the cache was found
};

}  // namespace cache_detail

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
  friend class cache_detail::job_runner;
  friend class cache_detail::policy_loader;

  retrieval_job(site where, retrieval work, std::shared_ptr<const policy> last,
                cache_detail::single_flight::leader lead, time_point began)
      : where_(std::move(where)),
        last_(std::move(last)),
        lead_(std::move(lead)),
        work_(std::move(work)),
        stop_(lead_.led().stop()),
        began_(began) {}

  site where_;
  std::shared_ptr<const policy> last_;        // what is known of the site
  cache_detail::single_flight::leader lead_;  // none once the job is complete
  retrieval work_;  // goes first, so that those who wait find the breaker's probe free
  std::stop_token stop_;
  time_point began_;
};

/// A look-up in steps, for those who drive the network themselves; see `basic_robots_cache::begin`.
///
/// Either `policy()` is there, or somebody has to bring it: this look-up, if `take_job()` gives a
/// job, or another one. `on_landed` tells when there is news; then `basic_robots_cache::resume`
/// takes it over, and may give another job: where a site redirects to the robots.txt of another
/// one, that is looked up next. A look-up that is dropped waits no more. It must not outlive its
/// cache. One thread at a time.
class look_up {
 public:
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

  /// The job of bringing it, to one of the look-ups that wait for it; to any other, null. A look-up
  /// may have another job after each `resume`.
  [[nodiscard]] std::unique_ptr<retrieval_job> take_job() noexcept { return std::move(job_); }

  /// Calls `wake` once there is news for `basic_robots_cache::resume`, from the thread that brought
  /// it; at once if there is. `wake` returns soon and does not throw. It takes the place of an
  /// earlier one, and is not called once the look-up is dropped, unless another thread has begun to
  /// by then.
  void on_landed(std::function<void()> wake) {
    if (asked_.empty() || !asked_.back().place) {
      wake();
    } else {
      asked_.back().place.on_news(std::move(wake));
    }
  }

 private:
  friend class cache_detail::job_runner;
  friend class cache_detail::policy_loader;

  /// A site that was asked for.
  struct asked {
    site where;
    std::string key;
    cache_detail::single_flight::waiter place{};
    bool began = false;  // the flight, for its part: it did not join it
  };

  /// One that is answered.
  look_up(std::string key, cache_detail::found known) noexcept
      : key_(std::move(key)), found_(std::move(known)) {}

  std::string key_;  // of the site that the look-up is for; empty when the text names none
  cache_detail::found found_{};
  std::vector<asked> asked_{};  // that site first, then those that redirects led to
  std::unique_ptr<retrieval_job> job_{};
  std::unique_ptr<retrieval_job> renewal_{};  // of what is served stale meanwhile
  bool refreshes_ = false;  // what is kept of that site does not do, however fresh
};

}  // namespace robots
