#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/permission_entry.hpp>
#include <robots/adapters/audit/detail/writer.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/work_queue.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

namespace adapters_detail {

/// An event that an audit trail records.
template <class Event>
concept audited = requires { Event::name; } && !std::same_as<Event, look_up_event> &&
                  !std::same_as<Event, parse_event> && !std::same_as<Event, drop_event>;

/// An event about an order, or about the rulings of a cache as a whole.
template <class Event>
concept about_rulings =
    requires(const Event& event) { event.order; } || std::same_as<Event, rulings_event>;

}  // namespace adapters_detail

/// An `Observer` that records the requests, responses and decisions of a crawler, so that they can
/// be proven later (see "Immutable audit trails" in `tests/observability.md`).
///
/// The trail appends lines of JSON to files. Each line has the hash of the previous line, so
/// `verify_audit` finds entries that were changed, lost, added or moved. The trail records each
/// robots.txt once, with its directives for each crawler. It also records all events except
/// look-ups, parsing and the removal of cache entries. If a call has a trace, the entries about the
/// call have the id of this trace. `verify_decisions` computes each decision again from the
/// entries.
///
/// A background thread writes the files. Callers wait only while the queue is full, and for at most
/// `audit_options::longest_wait`. If the disk is full or hangs, events are lost. When the disk
/// works again, an entry of the trail gives the number of lost events. After `kill -9`, the next
/// trail with the same path continues after the last whole line.
///
/// All copies write to the same trail. Give copies to all caches that have the same options. Any
/// thread may use any copy. Only one process may write a trail. In a child of this
/// process, each event throws `std::logic_error`. Needs POSIX.
class AuditTrail {
  using writer = adapters_detail::audit_writer;

 public:
  /// Begins or continues the trail at `audit_options::path`. `crawler` must be the options of the
  /// cache. Throws `std::invalid_argument` for bad options, such as a `parse.max_bytes` above 4
  /// MiB, and `audit_error` if the trail cannot be written.
  AuditTrail(const audit_options& options, const cache_options& crawler)
      : writer_{std::make_shared<writer>(options, crawler)},
        queue_{new writer::queue{options.queue_bytes,
                                 [own = writer_](auto& now) { return own->work(now); },
                                 std::chrono::milliseconds{
                                     options.flush_every == std::chrono::milliseconds{0} ? 0 : 20}},
               [longest = options.close_within](writer::queue* last) {
                 last->end(longest);
                 std::default_delete<writer::queue>{}(last);
               }} {}

  /// Records an event. Decisions and admissions are recorded with the probability
  /// `audit_options::share`.
  template <adapters_detail::audited Event>
  void on(const Event& event) const {
    queue_->home().require("AuditTrail");
    constexpr bool is_decision = std::same_as<Event, decision_event>;
    if ((is_decision || std::same_as<Event, admission_event>) && !writer_->takes()) {
      return;
    }
    base::json_writer about;
    about.text("site", event.site);
    if constexpr (is_decision || adapters_detail::about_rulings<Event> ||
                  requires { event.policy; }) {
      if (const std::size_t number = writer_->number_of(event.clock); number > 1) {
        about.number("cache", number);  // each cache has its own answers and rulings
      }
    }
    if (!event.crawler.empty() && event.crawler != writer_->token) {
      about.text("agent", event.crawler);  // one of `cache_options::other_agents`
    }
    if (event.context != nullptr && !event.context->trace_id.empty()) {
      about.text("trace_id", event.context->trace_id).text("span_id", event.context->span_id);
    }
    adapters_detail::audit_news news{.time = event.time(), .about = std::move(about).finish()};
    if constexpr (is_decision) {
      news.policy = event.decision.policy;
    }
    base::json_writer members{adapters_detail::longest_text};
    if constexpr (requires { event.policy; }) {
      // The event has a new policy. Adds the robots.txt, if the event has it, and the policies of
      // all crawlers of the cache.
      if constexpr (requires { event.record; }) {
        const record& got = event.record;
        if (!got.body.empty() || (got.outcome == outcome::success && !got.not_modified)) {
          members.text("body", adapters_detail::add_body(news.parts, got.body));
        }
      }
      for (const auto& other : event.policy.others()) {
        adapters_detail::add_parts(news.parts, "policy", *other, members);
      }
      if constexpr (requires { event.duration; }) {
        members.seconds("duration_seconds", event.duration);
      }
      adapters_detail::add_parts(news.parts, Event::name, event.policy, std::move(members));
    } else {
      if constexpr (std::same_as<Event, override_event>) {
        if (event.value == site_override::text) {
          members.text("body", adapters_detail::add_body(news.parts, event.text));
        }
      }
      detail::describe(members, event);
      news.parts.push_back({Event::name, std::move(members).finish()});
    }
    push(std::move(news));
  }

  /// Answers for one purpose, and records the answer with everything that it follows from: the
  /// policy of `decided`, the headers and meta elements of the page, and its tdmrep.json.
  /// `verify_decisions` computes the answer again.
  ///
  /// `page` must begin with `page_of(decided, url, ...)` or `basic_robots_cache::page(url)`.
  /// `agent` is the product token if the crawler is one of `cache_options::other_agents`. `now` is
  /// the time of the question. Returns `page.may(wanted, now)`.
  [[nodiscard]] permission record_permission(const decision& decided, std::string_view url,
                                             const page_statements& page, purpose wanted,
                                             std::chrono::system_clock::time_point now,
                                             std::string_view agent = {}) const {
    queue_->home().require("AuditTrail");
    permission answer = page.may(wanted, now);
    const auto site = parse_site(url);
    base::json_writer about;
    about.text("site", site ? site->key() : std::string{});
    if (!agent.empty() && agent != writer_->token) {
      about.text("agent", agent);
    }
    adapters_detail::audit_news news{.time = now, .about = std::move(about).finish()};
    news.policy = decided.policy;
    base::json_writer members{adapters_detail::longest_text};
    members.long_text("url", url).text("purpose", to_string(wanted));
    adapters_detail::add_permission(members, answer);
    if (const std::optional<std::string>& text = page.tdmrep_text()) {
      const std::string id = adapters_detail::sha256(*text);
      base::json_writer file;
      file.text("id", id).text("text", std::string_view{*text}.substr(0, max_tdmrep_bytes + 1));
      news.parts.push_back({"tdmrep", std::move(file).finish(), id, true});
      members.text("tdmrep", id);
    }
    adapters_detail::add_page(members, page);
    news.parts.push_back({"permission", std::move(members).finish()});
    push(std::move(news));
    return answer;
  }

  /// Waits up to `longest` until the background thread has handled all earlier events. Returns true
  /// if each earlier event is on the disk, or if an entry on the disk counts the event as lost.
  /// Always returns false after the disk has lost entries, or after another program has deleted or
  /// truncated a file.
  [[nodiscard]] bool flush(std::chrono::milliseconds longest = std::chrono::seconds{10}) const {
    return queue_->flush(longest) && writer_->is_complete();
  }

  /// Returns the statistics of the trail.
  [[nodiscard]] audit_stats stats() const { return writer_->stats(); }

 private:
  void push(adapters_detail::audit_news&& news) const {
    const std::size_t size = news.size();
    // The queue counts the policy's memory, since the event can be the only owner of the policy.
    const base::shared_memory keeps{news.policy.get(),
                                    news.policy ? news.policy->memory_bytes() : 0};
    if (!queue_->push(std::move(news), size, keeps, writer_->options.longest_wait)) {
      writer_->lose(1, "the queue was full");
    }
  }

  std::shared_ptr<writer> writer_;  // shared with the thread of the queue
  std::shared_ptr<writer::queue> queue_;
};

static_assert(Observer<AuditTrail>);

}  // namespace robots
