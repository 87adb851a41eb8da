#pragma once

#include <robots/cache/detail/far_side.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/rate_limit.hpp>
#include <robots/cache/detail/resilient_store.hpp>
#include <robots/cache/detail/store_work.hpp>
#include <robots/cache/detail/store_worker.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_options.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

// Where this file stands: it is the far side that `TieredStorage` brings to a cache.
//
//     site_look_up -- may_ask -----------------> limits --> is the store in use?
//     site_work ----- begin -------------------> a store_work for each work
//     cache_threads - ask, publish, queue -----> store_worker --> resilient_store --> SharedStore
//     invalidate ---- owe_erasures ------------> resilient_store: owed, until a thread erases
//
//     SharedStore --- on_message --------------> mark the flight, and then the entry
//
// This object owns the store of the cache and the threads that call it.

namespace robots::cache_detail {

/// The far side of a cache over a `SharedStore`.
class store_side final : public far_side {
 public:
  /// All arguments must outlive this object.
  store_side(SharedStore& shared, const tiered_options& options, look_up_environment& cache)
      : cache_(cache), store_(shared, options, cache.parts) {}

  [[nodiscard]] std::unique_ptr<far_work> begin(flight& under_way,
                                                const work_start& start) override {
    return std::make_unique<store_work>(cache_, store_, under_way, start);
  }

  [[nodiscard]] bool may_ask(std::string_view key, bool is_changed_elsewhere,
                             time_point now) override {
    rate_limit& limit = is_changed_elsewhere ? questions_about_changes_ : questions_;
    return store_.is_in_use(now) && limit.take(key, now);
  }

  void owe_erasures(const site& asked) override {
    std::vector<site> names = policy_detail::names_of(asked);
    // The key without a scheme is erased first, since the lease of the https origin is stored under
    // this key. Without the lease, no process can publish a file that it requested before the
    // erasure.
    std::partition(names.begin(), names.end(), [](const site& name) { return !name.scheme; });
    for (const site& name : names) {
      store_.owe(name.key());
    }
  }
  [[nodiscard]] std::size_t owed() override { return store_.owed(); }

  void start(fetching fetch_elsewhere) override {
    worker_.start(std::move(fetch_elsewhere));
    store_.watch([this](std::string_view key) { on_message(key); },
                 [this] { worker_.run_errands(); });
  }
  void end() override {
    worker_.close();
    store_.unwatch();
    worker_.end();
  }
  void publish_rest() override { worker_.publish_rest(); }

  [[nodiscard]] bool has_time(const call_options& limits) override {
    return !limits.deadline ||
           *limits.deadline >= base::saturating_add(cache_.parts.now(), store_.options.patience);
  }
  void ask(const shared_work& asking) override { worker_.ask_store({&asking, 1}); }
  void publish(site_work& ended) override { worker_.publish(ended); }
  void queue(shared_work work) override { worker_.queue(std::move(work)); }

  /// Handles a message of the shared store. `key` is the key of a site that another process has
  /// changed. If `key` is empty, messages may have been missed. The next look-up of an affected
  /// site asks the store. See `store_work::confirmed_answer`.
  void on_message(std::string_view key) noexcept {
    try {
      if (key.empty()) {
        ++cache_.parts.store_epoch;
      } else if (const auto asked = parse_site(key)) {
        for (const site& name : policy_detail::names_of(*asked)) {
          // Marks the flight first, and the stored entry second. In this order, an entry that the
          // flight stores between the two calls also gets a mark.
          cache_.flights.note_change_elsewhere(policy_detail::flight_key(name));
          cache_.policies.doubt(name.key());
        }
      }
    } catch (...) {
      cache_.parts.counters.add(cache_event::failures);  // there is no memory
    }
  }

  /// The store, with what is owed to it.
  [[nodiscard]] resilient_store& store() noexcept { return store_; }

 private:
  look_up_environment& cache_;
  resilient_store store_;
  // These limits ensure that a flood of messages causes no flood of questions to the store.
  // Questions after missed messages do not use up the questions after messages about a site.
  rate_limit questions_{4, 65'536};
  rate_limit questions_about_changes_{4, 65'536};
  store_worker worker_{cache_, store_};
};

}  // namespace robots::cache_detail
