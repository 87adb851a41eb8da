#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/crypto.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/policy.hpp>
#include <robots/adapters/audit/detail/writer.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/work_queue.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/product_token.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace adapters_detail {

/// An event that an audit trail records.
template <class Event>
concept audited = requires { Event::name; } && !std::same_as<Event, look_up_event> &&
                  !std::same_as<Event, parse_event> && !std::same_as<Event, drop_event>;

}  // namespace adapters_detail

/// An `Observer` that records the requests, responses and decisions of a crawler, so that they can
/// be proven later (see "Immutable audit trails" in `tests/observability.md`).
///
/// The trail appends lines of JSON to files. Each line has the hash of the previous line, so
/// `verify_audit` finds entries that were changed, lost, added or moved. The trail records each
/// robots.txt once, the directives of the robots.txt for each crawler, and all events except
/// look-ups, parsing and drops of cache entries. The entries of a call with a trace name this
/// trace. `verify_decisions` computes each decision again from these entries.
///
/// A background thread writes the files. Callers wait for this thread only while the queue is full,
/// for `audit_options::longest_wait` at most. If the disk is full or hangs, events are lost, and
/// the trail states their number as soon as it can be written again. After `kill -9`, the next
/// trail with the same path continues after the last whole line.
///
/// Copies write to one trail: give them to all caches that have the same options. Any thread may
/// use any copy. Only one process may write a trail, and that process must not fork meanwhile. This
/// class needs a POSIX system.
class AuditTrail {
 public:
  /// Begins or continues the trail of `audit_options::path`, for a cache with these options. Throws
  /// `std::invalid_argument` for bad options, such as a `parse.max_bytes` above 4 MiB, and
  /// `audit_error` if the trail cannot be written.
  AuditTrail(const audit_options& options, const cache_options& crawler)
      : ending_{std::make_shared<ending>(options, crawler)} {}

  /// Records an event, unless it is a decision or an admission outside `audit_options::share`.
  template <adapters_detail::audited Event>
  void on(const Event& event) const {
    constexpr bool is_decision = std::same_as<Event, decision_event>;
    if ((is_decision || std::same_as<Event, admission_event>) && !ending_->writer->takes()) {
      return;
    }
    adapters_detail::audit_news news{.time = event.time(), .about = about(event)};
    if constexpr (is_decision) {
      news.policy = event.decision.policy;
    }
    base::json_writer members{adapters_detail::longest_text};
    if constexpr (requires { event.policy; }) {
      add_policies(news.parts, event, std::move(members));
    } else {
      detail::describe(members, event);
      news.parts.push_back({Event::name, std::move(members).finish()});
    }
    push(std::move(news));
  }

  /// Waits until all earlier events, and the number of lost events, are on the disk. Returns false
  /// if these events cannot be written within `longest`. Always returns false after the disk has
  /// lost written entries, or another program has deleted or cut off a file.
  [[nodiscard]] bool flush(std::chrono::milliseconds longest = std::chrono::seconds{10}) const {
    return ending_->queue.flush(longest) && ending_->writer->is_complete();
  }

  /// Returns the statistics of the trail.
  [[nodiscard]] audit_stats stats() const { return ending_->writer->stats(); }

 private:
  /// Ends the trail when the last copy is destroyed.
  struct ending {
    ending(const audit_options& options, const cache_options& crawler)
        : token{product_token(crawler.user_agent)},
          writer{std::make_shared<adapters_detail::audit_writer>(options, crawler)},
          queue{options.queue_bytes, [own = writer](auto& now) { return own->work(now); },
                std::chrono::milliseconds{
                    options.flush_every == std::chrono::milliseconds{0} ? 0 : 20}} {}
    ending(const ending&) = delete;
    ending& operator=(const ending&) = delete;
    ~ending() { queue.end(writer->options.close_within); }

    const std::string token;                                // the product token of the crawler
    std::shared_ptr<adapters_detail::audit_writer> writer;  // shared with the thread of the queue
    adapters_detail::audit_writer::queue queue;
  };

  /// Returns the members that each entry of `event` has: the site, the agent and the trace.
  template <class Event>
  [[nodiscard]] std::string about(const Event& event) const {
    base::json_writer json;
    json.text("site", event.site);
    if (!event.crawler.empty() && event.crawler != ending_->token) {
      json.text("agent", event.crawler);  // one of `cache_options::other_agents`
    }
    if (event.context != nullptr && !event.context->trace_id.empty()) {
      json.text("trace_id", event.context->trace_id).text("span_id", event.context->span_id);
    }
    return std::move(json).finish();
  }

  /// Adds to `parts` the entries of an event with a new policy: the robots.txt, if the event has
  /// it, and the policies of all crawlers of the cache. `members` describes the event.
  template <class Event>
  static void add_policies(std::vector<adapters_detail::audit_part>& parts, const Event& event,
                           base::json_writer members) {
    if constexpr (requires { event.record; }) {
      const record& got = event.record;
      if (!got.body.empty() || (got.outcome == outcome::success && !got.not_modified)) {
        const std::string id = adapters_detail::sha256(got.body);
        base::json_writer content;
        content.text("id", id).number("octets", got.body.size()).text("text", got.body);
        parts.push_back({"body", std::move(content).finish(), id, true});
        members.text("body", id);
      }
    }
    for (const auto& other : event.policy.others()) {
      std::ranges::move(adapters_detail::parts_of("policy", *other, members),
                        std::back_inserter(parts));
    }
    if constexpr (requires { event.duration; }) {
      members.seconds("duration_seconds", event.duration);
    }
    std::ranges::move(adapters_detail::parts_of(Event::name, event.policy, std::move(members)),
                      std::back_inserter(parts));
  }

  void push(adapters_detail::audit_news news) const {
    const std::size_t size = news.size();
    const base::shared_memory keeps = news.keeps();
    const std::chrono::milliseconds longest = ending_->writer->options.longest_wait;
    if (!ending_->queue.push(std::move(news), size, keeps, longest)) {
      ending_->writer->lose(1, "the queue was full");
    }
  }

  std::shared_ptr<ending> ending_;
};

static_assert(Observer<AuditTrail>);

}  // namespace robots
