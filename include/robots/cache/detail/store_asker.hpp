#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/exclusion_list.hpp>
#include <robots/cache/detail/flight.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/cache/detail/kept_sites.hpp>
#include <robots/cache/detail/policy_maker.hpp>
#include <robots/cache/detail/retrieval_job.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/cache/detail/shared_records.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Asks the shared store for sites, before they are asked themselves.
///
/// Of all processes, the one that has the store's lease of a site asks it. The others look again
/// and again for what it brings, for as long as `tiered_options::wait`; when the lease becomes free
/// meanwhile, one of them takes it. Where the store fails, each process goes on alone.
class store_asker {
 public:
  /// All outlive it. No record is believed that ends at a host of `excluded`.
  store_asker(guarded_store& store, cache_parts& parts, const exclusion_list& excluded,
              policy_maker& maker, kept_sites& kept)
      : store_(store),
        parts_(parts),
        excluded_(excluded),
        maker_(maker),
        kept_(kept),
        made_at_(std::chrono::floor<std::chrono::seconds>(parts.moment().wall)) {}

  /// Asks for some sites, and settles what comes next: in one round trip for all, and a few for
  /// each that has no answer. Blocks.
  void ask(std::span<const std::unique_ptr<store_job>> jobs) {
    std::vector<std::string> keys;
    for (const auto& job : jobs) {
      keys.push_back(job->lead.led().site());
      keys.push_back(counterpart_of(job->lead.led().where()).key());
    }
    const partial_values loaded = store_.load_all(keys);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      store_job& job = *jobs[i];
      const bool is_unwanted = job.lead.led().stop().stop_requested();
      const bool is_lost = loaded.is_lost(2 * i) || loaded.is_lost(2 * i + 1);
      const bool is_answered = is_unwanted || (is_lost ? answer_fresh(job)
                                                       : answer_by(job, loaded.values[2 * i],
                                                                   loaded.values[2 * i + 1]) ||
                                                             answer_confirmed(job));
      if (is_answered) {
        job.next = after_store::done;
      } else if (is_lost) {
        job.next = after_store::ask_site;
      } else {
        job.next = ask_for_lease(job, {&keys[2 * i], 2});
        if (job.next == after_store::ask_site) {
          parts_.counters.add(cache_event::far_misses);
        }
      }
    }
  }

  /// Has a thread that serves ask for a site when it is time to. True when there is none.
  [[nodiscard]] bool add(std::unique_ptr<store_job> job) {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(std::move(job));
    ++added_;
    changed_.notify_all();
    return !std::exchange(is_served_, true);
  }

  /// For the thread that serves: waits for the sites that are to be asked for next. None when it is
  /// to serve no more: nothing is left, or `stop` was requested. Throws when there is no memory;
  /// then `take_all` is to follow.
  [[nodiscard]] std::vector<std::unique_ptr<store_job>> take_due(const std::stop_token& stop) {
    constexpr std::size_t most = 512;  // so that the first does not wait for too many
    std::unique_lock lock{mutex_};
    while (!waiting_.empty() && !stop.stop_requested()) {
      std::vector<std::unique_ptr<store_job>> due;
      due.reserve(waiting_.size());
      time_point next = time_point::max();
      const time_point now = parts_.now();
      for (auto& job : waiting_) {
        if (job->next_look > now || due.size() == most) {
          next = std::min(next, job->next_look);
        } else {
          due.push_back(std::move(job));
        }
      }
      std::erase(waiting_, nullptr);
      if (!due.empty()) {
        return due;
      }
      static_cast<void>(parts_.wait(changed_, lock, {.deadline = next, .stop = stop},
                                    [this, seen = added_] { return added_ != seen; }));
    }
    is_served_ = false;
    return {};
  }

  /// Takes back what waits, when no thread serves any more.
  [[nodiscard]] std::vector<std::unique_ptr<store_job>> take_all() {
    const std::scoped_lock lock{mutex_};
    is_served_ = false;
    return std::exchange(waiting_, {});
  }

 private:
  [[nodiscard]] after_store ask_for_lease(store_job& job, std::span<const std::string> names) {
    const tiered_options& options = store_.options();
    const time_point lease_until = base::saturating_add(parts_.now(), options.lease);
    // What a refresh brings is newer than what any other process is about to publish.
    const bool takes = job.lead.led().known().refreshes;
    auto [given, failed] = store_.lease(job.lead.led().key(), takes);
    if (failed) {
      return after_store::ask_site;  // nobody knows whether another process does
    }
    if (given) {
      held_lease lease{&store_, {*std::move(given)}};
      // Whoever had it before may have published since the store was asked.
      const auto values = job.refreshes ? partial_values{}.values : store_.load_all(names).values;
      if (!values.empty() && answer_by(job, values.front(), values.back())) {
        lease.reset();
        store_.give_back();
        return after_store::done;
      }
      job.lead.led().known().lease = std::move(lease);
      job.lead.led().known().lease_until = lease_until;
      return after_store::ask_site;
    }
    const time_point now = parts_.now();
    const time_point until = base::saturating_add(job.began, options.wait);
    if (job.refreshes || now >= until) {
      return answer_stale(job) ? after_store::done : after_store::ask_site;
    }
    job.next_look = std::min(until, std::max(base::saturating_add(now, options.poll),
                                             base::saturating_add(now, (now - job.began) / 2)));
    return after_store::look_again;
  }

  /// Goes by what the shared store has of a site under its own name and its counterpart's: whether
  /// that is an answer. Else it is what is known of the site.
  [[nodiscard]] bool answer_by(store_job& job, const std::optional<std::string>& own,
                               const std::optional<std::string>& counterpart) {
    const wall_anchor now = parts_.moment();
    flight& led = job.lead.led();
    led.known().shared = true;
    led.known().good.reset();
    auto records = own ? read(*own, led.where(), now) : std::nullopt;
    auto others = counterpart ? read(*counterpart, counterpart_of(led.where()), now) : std::nullopt;
    if (others &&
        !answers_for(led.where(), others->last_good ? *others->last_good : others->latest)) {
      others.reset();
    }
    if (records && others && records->latest.fetched_at < others->latest.fetched_at) {
      std::swap(records, others);
    }
    return (records && answer_by(job, *std::move(records), now)) ||
           (others && answer_by(job, *std::move(others), now));
  }

  /// Goes by what the shared store has: whether that is an answer. Else it is what is known of the
  /// site, unless more is known already.
  [[nodiscard]] bool answer_by(store_job& job, site_records records, const wall_anchor& now) {
    flight& led = job.lead.led();
    auto last = led.last();
    const auto last_fetched = last ? last->source().fetched_at : std::chrono::sys_seconds::min();
    const auto had = last && is_failure(last->source().outcome) ? policy::good(last) : last;
    // The clock of the process that sent a message may be behind.
    const bool is_told = std::exchange(led.known().told, false);
    const auto ahead = is_told ? store_.options().clock_skew : std::chrono::seconds{0};
    if (had && records.latest.fetched_at + ahead < had->source().fetched_at) {
      return false;  // what this process has published since was lost
    }
    std::optional<record> good;
    if (records.last_good) {
      auto earlier = maker_.judged(*records.last_good, {.last = last}, now, nullptr);
      if (earlier->basis() == policy_basis::rules) {
        parts_.tell(far_copy_event{maker_.about(led), *earlier, *records.last_good});
        last = std::move(earlier);
        good = std::move(records.last_good);
      }
    }
    auto latest = maker_.judged(records.latest, {.last = last}, now, &led);
    const bool is_known = led.known().is_suspect && last_fetched >= records.latest.fetched_at;
    if (job.refreshes || is_known ||
        now.steady >= validity_of(*latest, maker_.judging()).fresh_until) {
      led.known().fresh.reset();  // there was a newer answer, which is over
      if (!records.redirects && !led.known().good) {
        parts_.tell(far_copy_event{maker_.about(led), *latest, records.latest});
        const bool is_good = latest->basis() == policy_basis::rules;
        led.known().good = is_good ? std::move(records.latest) : std::move(good);
        led.known().last = std::move(latest);
      }
      return false;
    }
    parts_.counters.add(cache_event::far_hits);
    if (records.redirects) {
      retrieval_result begun;
      static_cast<retrieval_facts&>(begun) = std::move(records.latest);
      const auto target = parse_site(begun.final_url);
      job.lead.redirect({std::move(begun), *target, job.began, true});
    } else {
      parts_.tell(far_hit_event{maker_.about(led), *latest, records.latest});
      maker_.note_change(led, latest);
      maker_.halt_if_due(led, latest, now.steady, records.turned_hostile);
      kept_.keep(led, latest, now.steady);
      job.lead.end(std::move(latest), true);
    }
    return true;
  }

  /// Ends the flight with the answer that is still fresh in this process. Returns false if there is
  /// none. The entry of the site keeps its mark.
  [[nodiscard]] bool answer_fresh(store_job& job) {
    const flight& led = job.lead.led();
    const auto fresh = led.known().fresh;
    if (!fresh || led.detached() ||
        parts_.now() >= validity_of(*fresh, maker_.judging()).fresh_until) {
      return false;
    }
    job.lead.end(fresh, true);
    return true;
  }

  /// Does what `answer_fresh` does, and takes the mark off the entry, since the shared store has
  /// nothing newer. If a message told of a change, the store has nothing because the site was
  /// erased: then this process forgets the site, too.
  [[nodiscard]] bool answer_confirmed(store_job& job) {
    flight& led = job.lead.led();
    known_site& known = led.known();
    if (known.told) {
      known.told = false;
      known.last = known.fresh = nullptr;
      kept_.forget_told(led.where());
    }
    if (known.fresh) {
      kept_.keep(led, known.fresh, parts_.now());
    }
    return answer_fresh(job);
  }

  /// What a value of the shared store says of a site; nothing if it is not to be believed.
  [[nodiscard]] std::optional<site_records> read(std::string_view value, const site& where,
                                                 const wall_anchor& now) {
    using std::chrono::floor, std::chrono::seconds;
    auto records = believed(value, where, *excluded_.hosts(),
                            floor<seconds>(now.wall) + store_.options().clock_skew,
                            maker_.judging().parse.max_bytes);
    if (!records) {
      parts_.counters.add(cache_event::far_rejected);
    } else if (store_.options().ignore_older && records->latest.fetched_at < made_at_) {
      records.reset();
    }
    return records;
  }

  /// Goes by what is known of a site that another process is about to ask, though it is not fresh:
  /// whether it may be gone by. See `cache_options::stale_while_revalidate` and
  /// `fallback_action::last_good_or_deny`.
  [[nodiscard]] bool answer_stale(store_job& job) {
    const wall_anchor now = parts_.moment();
    const flight& led = job.lead.led();
    const auto last = job.refreshes ? nullptr : led.last();
    if (!last) {
      return false;
    }
    if (now.steady < validity_of(*last, maker_.judging()).stale_until) {
      kept_.keep(led, last, now.steady);
      job.lead.end(last, true);
      return true;
    }
    auto made = maker_.cancelled(led.where(), last, now);
    if (made->basis() != policy_basis::last_good) {
      return false;
    }
    job.lead.end(std::move(made), true);
    return true;
  }

  guarded_store& store_;
  cache_parts& parts_;
  const exclusion_list& excluded_;
  policy_maker& maker_;
  kept_sites& kept_;
  const std::chrono::sys_seconds made_at_;

  std::mutex mutex_;  // guards what follows
  base::clock_condition changed_;
  std::vector<std::unique_ptr<store_job>> waiting_;
  std::uint64_t added_ = 0;
  bool is_served_ = false;
};

}  // namespace robots::cache_detail
