#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/cache/detail/cache_event.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/cache/detail/policy_loader.hpp>
#include <robots/cache/detail/retrieval_job.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// What comes after the shared store was asked for a site.
enum class after_store : std::uint8_t {
  done,        ///< nothing: there was an answer, or nobody wants one any more
  ask_site,    ///< the site is to be asked itself
  look_again,  ///< another process asks it: the store is to be asked again
};

/// Asks the shared store for sites, before they are asked themselves.
///
/// Of all processes, the one that has the store's lease of a site asks it. The others look again
/// and again for what it brings, for as long as `tiered_options::wait`; when the lease becomes free
/// meanwhile, one of them takes it. Where the store fails, each process goes on alone.
class store_asker {
 public:
  /// All outlive it.
  store_asker(guarded_store& store, cache_parts& parts, cache_counters& counters,
              policy_loader& loader)
      : store_(store), parts_(parts), counters_(counters), loader_(loader) {}

  /// Asks for some sites: in one round trip for all, and a few for each that has no answer. Blocks.
  [[nodiscard]] std::vector<after_store> ask(std::span<const std::unique_ptr<store_job>> jobs) {
    std::vector<std::string> keys;
    for (const auto& job : jobs) {
      keys.push_back(job->lead.led().site());
      keys.push_back(counterpart_of(job->where).key());
    }
    const auto values = store_.load_all(keys);
    std::vector<after_store> next;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      store_job& job = *jobs[i];
      const bool is_unwanted = job.lead.led().stop().stop_requested();
      if (!values && !is_unwanted) {
        next.push_back(after_store::ask_site);
      } else if (is_unwanted ||
                 loader_.answer_by_store(job, (*values)[2 * i], (*values)[2 * i + 1])) {
        next.push_back(after_store::done);
      } else {
        next.push_back(ask_for_lease(job, std::span{keys}.subspan(2 * i, 2)));
      }
      if (next.back() == after_store::ask_site && values) {
        counters_.add(cache_event::far_misses);
      }
    }
    return next;
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
  /// to serve no more: nothing is left, or `stop` was requested.
  [[nodiscard]] std::vector<std::unique_ptr<store_job>> take_due(const std::stop_token& stop) {
    constexpr std::ptrdiff_t most = 512;  // so that the first does not wait for too many
    std::unique_lock lock{mutex_};
    while (!waiting_.empty() && !stop.stop_requested()) {
      const time_point now = parts_.now();
      const auto is_later = [now](const auto& job) { return job->next_look > now; };
      const auto due = std::partition(waiting_.begin(), waiting_.end(), is_later);
      if (due != waiting_.end()) {
        const auto end = waiting_.end() - due > most ? due + most : waiting_.end();
        std::vector<std::unique_ptr<store_job>> jobs{std::move_iterator{due},
                                                     std::move_iterator{end}};
        waiting_.erase(due, end);
        return jobs;
      }
      const auto next = std::min_element(
          waiting_.begin(), waiting_.end(),
          [](const auto& a, const auto& b) { return a->next_look < b->next_look; });
      parts_.wait_until((*next)->next_look, stop, changed_, lock,
                        [this, seen = added_] { return added_ != seen; });
    }
    is_served_ = false;
    return {};
  }

  /// Takes back what waits, when no thread can be had to serve.
  [[nodiscard]] std::vector<std::unique_ptr<store_job>> take_all() {
    const std::scoped_lock lock{mutex_};
    is_served_ = false;
    return std::exchange(waiting_, {});
  }

 private:
  [[nodiscard]] after_store ask_for_lease(store_job& job, std::span<const std::string> names) {
    const tiered_options& options = store_.options();
    auto [given, failed] = store_.try_lease(job.lead.led().key());
    if (failed) {
      return after_store::ask_site;  // nobody knows whether another process does
    }
    if (given) {
      held_lease lease{store_, *std::move(given)};
      // Whoever had it before may have published since the store was asked.
      const auto values = job.refreshes ? std::nullopt : store_.load_all(names);
      if (values && loader_.answer_by_store(job, values->front(), values->back())) {
        lease.release();
        return after_store::done;
      }
      job.known.lease = std::move(lease);
      return after_store::ask_site;
    }
    const time_point now = parts_.now();
    const time_point until = base::saturating_add(job.began, options.wait);
    if (job.refreshes || now >= until) {
      return loader_.answer_stale(job) ? after_store::done : after_store::ask_site;
    }
    const time_point::duration pause =
        std::max<time_point::duration>(options.poll, (now - job.began) / 2);
    job.next_look = std::min(base::saturating_add(now, pause), until);
    return after_store::look_again;
  }

  guarded_store& store_;
  cache_parts& parts_;
  cache_counters& counters_;
  policy_loader& loader_;

  std::mutex mutex_;  // guards what follows
  base::clock_condition changed_;
  std::vector<std::unique_ptr<store_job>> waiting_;
  std::uint64_t added_ = 0;
  bool is_served_ = false;
};

}  // namespace robots::cache_detail
