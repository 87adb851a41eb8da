#pragma once

#include <robots/base/counter_random.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/cache_event.hpp>
#include <robots/cache/detail/guarded_storage.hpp>
#include <robots/cache/detail/quarantine.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/origin_breakers.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/quarantine_rule.hpp>
#include <robots/policy/record.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots::detail {

/// Brings policies: from the storage, from a flight under way, or over the network.
template <Fetcher F, Clock C, Storage S, Observer O>
class policy_loader {
 public:
  /// `options` outlives it.
  policy_loader(const cache_options& options, std::shared_ptr<const excluded_hosts> excluded,
                F fetcher, C clock, S storage, O observer)
      : options_(options),
        judging_(judge_options_of(options)),
        retrieval_(retrieval_options_of(options, std::move(excluded))),
        fetcher_(std::move(fetcher)),
        clock_(std::move(clock)),
        storage_(std::move(storage)),
        observer_(std::move(observer)),
        random_(options.seed),
        quarantine_(options.quarantine_after),
        background_(options.background_threads) {
    retrieval_.breakers = std::make_shared<origin_breakers>(options.breaker);
  }

  policy_loader(const policy_loader&) = delete;
  policy_loader& operator=(const policy_loader&) = delete;
  ~policy_loader() { closing_.request_stop(); }

  [[nodiscard]] C& clock() noexcept { return clock_; }
  [[nodiscard]] O& observer() noexcept { return observer_; }
  [[nodiscard]] cache_counters& counters() noexcept { return counters_; }
  [[nodiscard]] const cache_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] guarded_storage<S>& storage() noexcept { return storage_; }
  [[nodiscard]] const guarded_storage<S>& storage() const noexcept { return storage_; }
  [[nodiscard]] quarantine& quarantined() noexcept { return quarantine_; }
  [[nodiscard]] const quarantine& quarantined() const noexcept { return quarantine_; }
  [[nodiscard]] const origin_breakers& breakers() const noexcept { return *retrieval_.breakers; }

  /// What the cache has of a site, without asking anybody.
  [[nodiscard]] found find_fresh(std::string_view key) {
    const time_point now = clock_.now();
    found result;
    storage_.visit(key, now, [&](const cache_entry& kept) {
      if (now < kept.fresh_until) {
        result = {.policy = kept.policy, .from_cache = true, .now = now};
      }
    });
    if (result.policy) {
      counters_.add(cache_event::hits);
    }
    return result;
  }

  /// The policy of a site, or a place among those who wait for it.
  [[nodiscard]] look_up board(const site& where, const std::string& key) {
    look_up at{where, key};
    if (auto quarantined = held(where, key)) {
      at.found_ = {.policy = std::move(quarantined), .from_cache = true, .now = clock_.now()};
      return at;
    }
    const time_point now = clock_.now();
    cache_entry kept;
    bool renewal = false;
    if (options_.stale_while_revalidate.count() > 0) {
      // Settled before the flight begins: a renewal goes on though nobody waits for it.
      kept = find_shared(where, key, now);
      renewal = may_serve_stale(kept, now);
    }
    auto [seat, duty] = flights_.join(flight_key(where), key, renewal || options_.finish_abandoned);
    if (duty) {
      kept = find_shared(where, key, now);  // another flight may have landed since
      renewal = renewal && may_serve_stale(kept, now);
    }
    if (kept.policy && (renewal || now < kept.fresh_until)) {
      counters_.add(renewal ? cache_event::stale_hits : cache_event::hits);
      at.found_ = {.policy = kept.policy, .from_cache = true, .stale = renewal, .now = now};
      if (duty && renewal) {
        static_cast<void>(send_off(make_job(where, key, kept.policy, std::move(duty))));
      } else if (duty) {
        duty.land(kept.policy);
      }
      return at;
    }
    at.seat_ = std::move(seat);
    if (duty) {
      counters_.add(cache_event::misses);
      at.began_ = true;
      at.job_ = make_job(where, key, kept.policy, std::move(duty));
    }
    return at;
  }

  /// Takes over what was brought for a look-up since it boarded.
  void resume(look_up& at) {
    const auto landed = at.policy() || !at.seat_ ? std::nullopt : at.seat_->landed();
    if (!landed) {
      return;
    }
    if (*landed && at.seat_->site() == at.key_) {
      if (!at.began_) {
        counters_.add(cache_event::joined);
      }
      at.found_ = {.policy = *landed};
    } else {
      at = board(at.where_, at.key_);
    }
  }

  /// The policy of a site, however long it takes, within the limits of the call.
  [[nodiscard]] found load(const site& where, const std::string& key, const call_options& call) {
    const bool may_leave = call.deadline || call.stop.stop_possible();
    while (!is_over(call)) {
      look_up at = board(where, key);
      if (at.policy()) {
        return at.found_;
      }
      auto job = at.take_job();
      if (job && may_leave) {
        // Another thread does the work, so that it need not end when this caller leaves.
        job = send_off(std::move(job));
      }
      if (job) {
        const call_options until_unwanted{.deadline = {}, .stop = job->stop()};
        return {.policy = bring(*job, may_leave ? call : until_unwanted)};
      }
      const auto landed = at.seat_->wait(clock_, call.stop, call.deadline);
      if (!landed) {
        break;
      }
      if (*landed && at.seat_->site() == key) {
        if (!at.began_) {
          counters_.add(cache_event::joined);
        }
        return {.policy = *landed};
      }
    }
    return {.policy = given_up(where, key)};
  }

  /// Takes the result of a job that came to its end.
  [[nodiscard]] std::shared_ptr<const policy> complete(retrieval_job& job,
                                                       retrieval_result result) {
    const time_point now = clock_.now();
    flight& under_way = job.ticket_.under_way();
    if (under_way.detached()) {
      job.before_.last = nullptr;  // what was invalidated is no last good copy any more
    }
    const auto made = policy_of(std::move(result), job.before_, now);
    counters_.add(cache_event::retrievals);
    if (is_failure(made->source().outcome)) {
      counters_.add(cache_event::failures);
    }
    if (made->source().not_modified) {
      counters_.add(cache_event::not_modified);
    }
    if (made->source().outcome == outcome::cancelled) {
      job.ticket_.land(nullptr);
    } else {
      if (!under_way.detached()) {
        watch(job.key_, *made);
        keep(job.key_, made, now, under_way);
        keep_for_target(job, *made, now);
      }
      job.ticket_.land(made);
    }
    observer_.on_retrieval({.site = job.key_, .policy = *made, .duration = now - job.began_});
    return made;
  }

  /// Forgets a site under all of its names.
  void invalidate(const site& where) {
    ++invalidations_;
    // Before, so that no result is kept that was asked for earlier; after, since a flight that
    // began in between may have seen what was still kept.
    const std::vector<site> names = names_of(where);
    detach(names);
    for (const site& name : names) {
      storage_.bare().erase(name.key());
    }
    detach(names);
  }

  /// Lets a site out of quarantine, under all of its names, and forgets it.
  void release(const site& where) {
    invalidate(where);  // first, so that no file counts that was asked for earlier
    for (const site& name : names_of(where)) {
      quarantine_.release(name.key());
    }
  }

  /// Forgets every site.
  void clear() {
    ++invalidations_;
    flights_.detach_all();
    storage_.bare().clear();
    flights_.detach_all();
  }

 private:
  [[nodiscard]] bool is_over(const call_options& call) {
    return call.stop.stop_requested() || (call.deadline && *call.deadline <= clock_.now());
  }

  [[nodiscard]] std::unique_ptr<retrieval_job> make_job(const site& where, const std::string& key,
                                                        const std::shared_ptr<const policy>& last,
                                                        single_flight::ticket duty) {
    const time_point now = clock_.now();
    retrieval_options how = retrieval_;
    how.seed = random_();
    earlier_policies before{.last = last, .unchanged = policy::good(last)};
    return std::unique_ptr<retrieval_job>(
        new retrieval_job(where, key, retrieval{where, std::move(how), now, known_copy_of(last)},
                          std::move(before), std::move(duty), now, invalidations_));
  }

  /// Lets another thread do the job. Gives it back when none is free.
  [[nodiscard]] std::unique_ptr<retrieval_job> send_off(std::unique_ptr<retrieval_job> job) {
    const auto slot = std::make_shared<std::unique_ptr<retrieval_job>>(std::move(job));
    const bool sent = background_.try_run([this, slot] {
      const std::unique_ptr<retrieval_job> mine = std::move(*slot);
      const std::stop_callback closing{
          closing_.get_token(), [under_way = mine->ticket_.share()] { under_way->request_stop(); }};
      try {
        static_cast<void>(bring(*mine, {.deadline = {}, .stop = mine->stop()}));
      } catch (...) {
        counters_.add(cache_event::failures);  // no memory: the flight is given up
      }
    });
    return sent ? nullptr : std::move(*slot);
  }

  /// Does the job with the blocking fetcher.
  [[nodiscard]] std::shared_ptr<const policy> bring(retrieval_job& job,
                                                    const call_options& limits) {
    return complete(job, run_retrieval(std::move(job.work_), fetcher_, clock_, limits));
  }

  [[nodiscard]] std::shared_ptr<const policy> policy_of(retrieval_result result,
                                                        const earlier_policies& before,
                                                        time_point now) {
    const wall_anchor moment{.steady = now, .wall = wall_now(clock_)};
    const robots::record brought =
        record_of(std::move(result), before, judging_, moment.wall, random_.draw());
    return std::make_shared<const policy>(
        judge(brought, options_.user_agent, judging_, before, moment));
  }

  /// Whether an entry, if it is one, is no longer fresh and may answer while it is renewed.
  [[nodiscard]] bool may_serve_stale(const cache_entry& kept, time_point now) const {
    return kept.policy && now >= kept.fresh_until &&
           now < validity_of(*kept.policy, judging_).stale_until;
  }

  [[nodiscard]] cache_entry make_entry(std::shared_ptr<const policy> made) const {
    const validity until = validity_of(*made, judging_);
    return {.policy = std::move(made),
            .fresh_until = until.fresh_until,
            .keep_until = until.keep_until};
  }

  /// Stores a policy unless the site was invalidated meanwhile. Whoever does that marks the flight
  /// before it erases, so that one of the two erases last.
  void keep(const std::string& key, const std::shared_ptr<const policy>& made, time_point now,
            const flight& under_way) noexcept {
    storage_.store(key, make_entry(made), now);
    if (under_way.detached()) {
      storage_.try_erase(key);
      quarantine_.release(key);
    }
  }

  /// What was found behind redirects at another origin's own robots.txt holds for that origin, too.
  void keep_for_target(const retrieval_job& job, const policy& made, time_point now) {
    record_head source = made.source();
    const auto target = parse_site(source.final_url);
    if (source.redirects == 0 || is_failure(source.outcome) || !target ||
        made.basis() == policy_basis::last_good ||
        source.final_url != target->robots_urls().front()) {
      return;
    }
    const std::string key = target->key();
    const fallback_action ours = judging_.fallback.action(source);
    source.url = source.final_url;
    if (judging_.fallback.action(source) != ours || held(*target, key)) {
      return;
    }
    source.redirects = 0;
    policy theirs{made, std::move(source), made.fetched_at()};
    theirs.follow(storage_.find(key, now).policy.get());
    storage_.store(key, make_entry(std::make_shared<const policy>(std::move(theirs))), now);
    if (invalidations_ != job.invalidations_) {
      storage_.try_erase(key);  // perhaps it was this one
    }
  }

  /// Takes note of whether the file was malformed, where that denies.
  void watch(const std::string& key, const policy& made) {
    switch (quarantine_step_of(made)) {
      case quarantine_step::none:
        break;
      case quarantine_step::count:
        quarantine_.note_malformed(key, [&] {
          return std::make_shared<const policy>(
              robots::quarantined(made, options_.user_agent, judging_));
        });
        break;
      case quarantine_step::release:
        quarantine_.release(key);
        break;
    }
  }

  /// The entry of a site; one without a policy when there is none. A bare host and the origin that
  /// answered for it have the same rules, so that either's entry serves the other, and neither is
  /// fetched while one of them is fresh.
  [[nodiscard]] cache_entry find_shared(const site& where, const std::string& key, time_point now) {
    cache_entry own = storage_.find(key, now);
    if (own.policy && now < own.fresh_until) {
      return own;
    }
    cache_entry other = storage_.find(counterpart_of(where).key(), now);
    if (!other.policy || (own.policy && now >= other.fresh_until)) {
      return own;
    }
    return answers_for(where, other.policy) ? other : own;
  }

  /// What holds for a site in quarantine under either of the names that share its rules; null for
  /// any other.
  [[nodiscard]] std::shared_ptr<const policy> held(const site& where,
                                                   const std::string& key) const {
    if (auto own = quarantine_.find(key)) {
      return own;
    }
    const auto other = quarantine_.find(counterpart_of(where).key());
    return other && answers_for(where, other) ? other : nullptr;
  }

  /// What holds for a caller that would not wait any longer.
  [[nodiscard]] std::shared_ptr<const policy> given_up(const site& where, const std::string& key) {
    if (auto quarantined = held(where, key)) {
      return quarantined;
    }
    const time_point now = clock_.now();
    retrieval_result result;
    result.outcome = outcome::cancelled;
    result.error = fetch_error::cancelled;
    result.error_text = "the call ended before the robots.txt came";
    result.url = result.final_url = where.robots_urls().front();
    return policy_of(std::move(result), {find_shared(where, key, now).policy, nullptr}, now);
  }

  void detach(const std::vector<site>& names) {
    for (const site& name : names) {
      flights_.detach(flight_key(name));
    }
  }

  const cache_options& options_;
  judge_options judging_;
  retrieval_options retrieval_;
  F fetcher_;
  C clock_;
  guarded_storage<S> storage_;
  O observer_;
  counter_random random_;
  std::atomic<std::uint64_t> invalidations_ = 0;
  cache_counters counters_;
  quarantine quarantine_;
  single_flight flights_;
  std::stop_source closing_;
  background_threads background_;  // last: ends before what its threads use
};

}  // namespace robots::detail
