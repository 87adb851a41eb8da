#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/http/fwd.hpp>
#include <robots/policy/fwd.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

// Where this file stands: between a cache and the store that it shares with other processes. A
// cache over a storage of one process has neither of these objects.
//
//     look_up_environment ---- has one ----> far_side      site_work ---- has one ----> far_work
//       may an entry be confirmed?  may_ask                  a fetch begins:   begin_fetch
//       an order of the user:       owe_erasures             the site answers: on_answer
//       a new work:                 begin                                      prepare_publication
//     cache_threads                                          the flight ends:  must_publish
//       steps of works:             ask, publish, queue
//
// `TieredStorage` makes the only model, `store_side`, which makes a `store_work` for each work.

namespace robots::cache_detail {

class flight;
class site_work;
struct work_start;

/// The far half of one `site_work`: what the other processes know about the site, and what they
/// get to know.
class far_work {
 public:
  far_work() = default;
  far_work(const far_work&) = delete;
  far_work& operator=(const far_work&) = delete;
  virtual ~far_work() = default;

  /// Notes that a fetch begins. `has_copy` is true if the process has a file that a 304 would
  /// confirm. Returns true if the site must send its file even so, since the shared store lacks it.
  [[nodiscard]] virtual bool begin_fetch(bool has_copy) = 0;

  /// Handles an answer of the site before the cache keeps it. Returns the epoch of the new entry:
  /// see `cache_entry::epoch`.
  [[nodiscard]] virtual std::uint32_t on_answer(const std::shared_ptr<const policy>& answer) = 0;

  /// Prepares to publish an answer. `answer` is the policy of `retrieved`.
  virtual void prepare_publication(record retrieved, const std::shared_ptr<const policy>& answer,
                                   bool turned_hostile, time_point now) = 0;

  /// Returns true if the step `publish` must follow the end of the flight.
  [[nodiscard]] virtual bool must_publish() const noexcept = 0;
};

/// The far side of a cache: the calls to the shared store, their threads, and the messages of other
/// processes. Any thread may call any member.
class far_side {
 public:
  using shared_work = std::shared_ptr<site_work>;
  using fetching = std::function<void(const shared_work&)>;

  far_side() = default;
  far_side(const far_side&) = delete;
  far_side& operator=(const far_side&) = delete;
  virtual ~far_side() = default;

  /// Makes the far half of a work. `under_way` must outlive it.
  [[nodiscard]] virtual std::unique_ptr<far_work> begin(flight& under_way,
                                                        const work_start& start) = 0;

  /// Returns true if the store may be asked now about an entry in doubt. This counts as a question.
  /// `is_changed_elsewhere` is true after a message about the site.
  [[nodiscard]] virtual bool may_ask(std::string_view key, bool is_changed_elsewhere,
                                     time_point now) = 0;

  /// Lets a thread erase a site in the store, for all processes.
  virtual void owe_erasures(const site& asked) = 0;
  /// Returns the number of keys that must still be erased.
  [[nodiscard]] virtual std::size_t owed() = 0;

  /// Begins to listen to other processes. `fetch_elsewhere` gets each work that must be fetched,
  /// that no look-up waits for, and that must go on even so.
  virtual void start(fetching fetch_elsewhere) = 0;
  /// Stops the threads of this object, and waits for them.
  virtual void end() = 0;
  /// Publishes the queued works that have ended, and drops the others. Called after `end`.
  virtual void publish_rest() = 0;

  /// Returns true if `limits` leave the time for a call to the store. See
  /// `tiered_options::patience`.
  [[nodiscard]] virtual bool has_time(const call_options& limits) = 0;
  /// Does the step `ask_store` of a work. Blocks.
  virtual void ask(const shared_work& asking) = 0;
  /// Does the step `publish` of a work, and then the pending calls to the store. Has no effect if
  /// the work has another step. Blocks.
  virtual void publish(site_work& ended) = 0;
  /// Lets a thread of this object do the next steps of a work, at once or after its wait.
  virtual void queue(shared_work work) = 0;
};

}  // namespace robots::cache_detail
