#pragma once

#include <robots/cache/detail/far_side.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/policy/judge.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

// Where this file stands: one step below `site_look_up`, which makes a work if it leads a flight.
//
//     far_work (shared store only)                  (any cache)
//     ask_store --> wait --> ask_store ...     +--> fetch: retrieval --> recorded --> judged
//        |                                     |                                        |
//        +-- no record, or no store: ----------+             rulings, observer <--------+
//        |                                                                              |
//        +-- a record, or the fresh entry --> the flight ends <----- keep: storage <----+
//                                                   |
//                                                   +--> publish (far_work) --> done
//
// A driver does the steps: `blocking_driver`, `cache_threads`, `store_worker` or an event loop. It
// reports each event with its time; the work reads no clock. The work owns its retrieval and its
// far half. It shares its flight with the waiters.

namespace robots::cache_detail {

/// The next step of a `site_work`, for the code that drives the work.
enum class work_step : std::uint8_t {
  ask_store,  ///< ask the shared store: `far_side::ask`
  wait,       ///< another process asks the site: `far_side::queue` waits, and asks the store again
  fetch,      ///< run `fetch()` to its end, then call `on_fetched`
  publish,    ///< the flight has ended: `far_side::publish`
  done,
};

/// All that is fixed when a work begins.
struct work_start {
  kept_entry known{};       ///< the entry of the site in this process
  bool refreshes = false;   ///< the site must be asked, even if the store has a fresh record
  bool is_fresh = false;    ///< `known` is the answer unless the store has a newer answer
  std::uint32_t epoch = 0;  ///< of `cache_parts::store_epoch`, before the entry was read
  time_point began{};

  /// Returns true if a new answer makes all older copies outdated, also in other processes.
  [[nodiscard]] bool announces() const noexcept { return refreshes || known.is_suspect; }
};

/// What the far half of a work decides: the next step.
struct far_decision {
  work_step next = work_step::done;  ///< any step but `publish`; `done` ends the flight
  /// The answer, if `next` is `done`. If it is null, the flight is abandoned.
  std::shared_ptr<const policy> answer{};
};

/// Finds the policy of one site, but does no I/O and starts no threads. The caller does each step
/// and reports the result.
///
/// The flight ends as soon as the answer is known. After that, the record is published if there is
/// a shared store. If the work is destroyed before the flight ends, the flight is abandoned, and
/// waiting look-ups start again.
class site_work {
 public:
  /// Begins with a fetch. With a shared store, the far half decides when to fetch.
  site_work(look_up_environment& cache, std::shared_ptr<flight> lead, const work_start& start)
      : cache_(cache), flight_(std::move(lead)), announces_(start.announces()) {
    flight_->set_last(start.known.policy);
    if (cache.far_tier) {
      far_ = cache.far_tier->begin(*flight_, start);
    } else {
      start_fetch(start.began);
    }
  }

  site_work(const site_work&) = delete;
  site_work& operator=(const site_work&) = delete;
  ~site_work() = default;

  [[nodiscard]] work_step next() const noexcept { return step_; }
  /// The flight that this work ends, and whose waiters get the answer.
  [[nodiscard]] flight& own_flight() const noexcept { return *flight_; }
  /// The far half; null if there is no shared store.
  [[nodiscard]] far_work* far_half() const noexcept { return far_.get(); }

  void abandon() { end_with(nullptr, false); }

  /// Returns true if the flight has ended. After that, only the step `publish` can remain.
  [[nodiscard]] bool has_ended() const noexcept { return step_ >= work_step::publish; }

  // The events of the far half.

  /// Does what the far half has decided at the time `now`.
  void on_decision(far_decision decided, time_point now) {
    switch (decided.next) {
      case work_step::fetch:
        return start_fetch(now);
      case work_step::done:
        return end_with(std::move(decided.answer), true);
      default:
        step_ = decided.next;
    }
  }
  void on_wait_over() noexcept { step_ = step_ == work_step::wait ? work_step::ask_store : step_; }
  void on_published() noexcept { step_ = work_step::done; }

  // The fetch.

  [[nodiscard]] detail::retrieval& fetch() noexcept { return *fetch_; }

  void start_fetch(time_point now) {
    asked_by_ = policy::good_copy(flight_->last());
    fetch_began_ = now;
    const bool needs_file = far_ && far_->begin_fetch(asked_by_ != nullptr);
    detail::valid_retrieval_options options = cache_.retrieval;
    detail::unchecked_retrieval_options& own = options.unchecked();
    own.seed = cache_.policies.seed();
    own.excluded = cache_.rulings.excluded();
    own.timed_out_tries = {flight_, &flight_->timed_out_tries};
    if (cache_.view) {
      // Asks about the site, not about its origins, as `site_look_up` does when it asks again.
      own.asks_before_tries = true;
      own.may_ask = [under_way = flight_, origins = flight_->asked().origins(),
                     any = std::move(own.may_ask),
                     &rulings = cache_.rulings](const origin& target) {
        const bool is_own = std::find(origins.begin(), origins.end(), target) != origins.end();
        return is_own ? rulings.may_ask(under_way->asked()) : any(target);
      };
    }
    fetch_.emplace(flight_->asked(), std::move(options), now,
                   needs_file ? detail::known_copy{} : detail::known_copy_of(asked_by_));
    step_ = work_step::fetch;
  }

  /// Returns true if the fetch has its result. Then call `settle`.
  [[nodiscard]] bool has_result() const noexcept {
    return step_ == work_step::fetch &&
           std::holds_alternative<detail::retrieval_result>(fetch_->next());
  }

  /// Calls `on_fetched` if the fetch has its result.
  void settle(const wall_anchor& now) {
    if (has_result()) {
      on_fetched(std::get<detail::retrieval_result>(std::move(*fetch_).next()),
                 flight_->stop.stop_requested(), now);
    }
  }

  /// Handles the result of the fetch. Abandons the flight if the fetch was cancelled, or was cut
  /// short and `is_stopped` is true.
  void on_fetched(detail::retrieval_result result, bool is_stopped, const wall_anchor& now) {
    fetch_.reset();
    const auto exchanges = cache_.policies.note_exchanges(*flight_, result, now.steady);
    const detail::earlier_policies before{flight_->last(), asked_by_};
    const bool is_hasty = result.cut_short;
    record retrieved = cache_.policies.recorded(std::move(result), before, now);
    const auto policy_now = cache_.policies.judged(retrieved, before, now, flight_.get());
    if (!cache_.policies.note_retrieval(*flight_, *policy_now, retrieved, now.steady - fetch_began_,
                                        exchanges, is_hasty && is_stopped)) {
      return abandon();
    }
    // The observer gets all events about the answer before any caller uses the answer.
    bool turned_hostile = false;
    // If this process could not ask the site, there is nothing to keep. The next look-up asks.
    const bool was_asked = retrieved.error != fetch_error::local;
    if (!flight_->detached && was_asked) {
      turned_hostile = cache_.on_answer(*flight_, policy_now, now.steady, false);
      const std::uint32_t epoch = far_ ? far_->on_answer(policy_now) : 0;
      cache_.policies.keep(*flight_, policy_now, now.steady, epoch, announces_);
    }
    if (far_ && !is_hasty) {
      far_->prepare_publication(std::move(retrieved), policy_now, turned_hostile, now.steady);
    }
    end_with(policy_now, false);
  }

 private:
  void end_with(std::shared_ptr<const policy> policy_now, bool from_store) {
    step_ = far_ && far_->must_publish() ? work_step::publish : work_step::done;
    cache_.flights.end(*flight_, {std::move(policy_now), from_store});
  }

  look_up_environment& cache_;
  const std::shared_ptr<flight> flight_;  // this object must end the flight
  const bool announces_;
  std::unique_ptr<far_work> far_{};
  work_step step_ = work_step::ask_store;

  std::optional<detail::retrieval> fetch_{};
  time_point fetch_began_{};
  std::shared_ptr<const policy> asked_by_{};  // the policy that a 304 confirms
};

}  // namespace robots::cache_detail
