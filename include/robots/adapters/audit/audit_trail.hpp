#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/crawler.hpp>
#include <robots/adapters/audit/detail/lines.hpp>
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
#include <robots/rep/diff/change_report.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// An `Observer` that records the requests, responses and decisions of a crawler, so that they can
/// be proven later (the pipeline guide: "immutable audit trails").
///
/// It appends lines of JSON to files. Each line has the hash of the previous line, so
/// `verify_audit` finds entries that were changed, lost, added or moved. It records each robots.txt
/// once, and all retrievals, fallbacks, overrides, quarantines, breakers and the trace of each
/// call. So `verify_decisions` can decide on each URL again.
///
/// A background thread writes the files. Callers wait for it only while the queue is full; with
/// `full_queue::drop`, they never wait. If the disk is full or hangs, events are lost and counted,
/// and the trail states that as soon as it can be written again. After `kill -9`, the next trail
/// with the same path continues after the last whole line.
///
/// Copies write to one trail. Any thread may use them. Only one process may write a trail, and it
/// must not fork while it does. Needs a POSIX system.
class AuditTrail {
 public:
  /// Begins or continues the trail of `audit_options::path`, for a cache with these options. Throws
  /// `std::invalid_argument` for bad options, such as a `parse.max_bytes` above 4 MiB, and
  /// `audit_error` if the trail cannot be written.
  AuditTrail(const audit_options& options, const cache_options& crawler)
      : ending_{std::make_shared<ending>(options)} {
    add(crawler);
  }

  /// Returns a handle to the same trail, for a cache with other options.
  [[nodiscard]] AuditTrail with(const cache_options& crawler) const {
    AuditTrail other{*this};
    other.add(crawler);
    return other;
  }

  /// Records a retrieval.
  void on(const retrieval_event& event) const {
    auto about = begin(event);
    about.seconds("duration_seconds", event.duration);
    push_policy(event, "retrieval", std::move(about));
  }

  /// Records the file that another process fetched.
  void on(const far_hit_event& event) const { push_policy(event, "far_hit", begin(event)); }

  /// Records the last good copy of another process, which this process uses after failures.
  void on(const far_copy_event& event) const { push_policy(event, "far_copy", begin(event)); }

  /// Records that there was no robots.txt to obey.
  void on(const fallback_event& event) const {
    const policy& used = event.policy;
    auto parts = adapters_detail::parts_of("policy", begin(event), used, {});
    auto about = begin(event);
    about.text("policy", parts.back().id).text("basis", to_string(used.basis()));
    about.text("outcome", to_string(used.outcome()));
    parts.push_back({"fallback", std::move(about).finish(), {}, false});
    push(event, with_others(std::move(parts), event, used, {}));
  }

  /// Records a decision, if it belongs to `audit_options::share`.
  void on(const decision_event& event) const {
    if (!ending_->writer->takes() || !event.decision.policy) {
      return;
    }
    const call_context* const context = event.context;
    // The policy without a robots.txt was recorded for the first crawler.
    const bool is_others = !event.decision.policy->given_reason();
    push({.time = event.time(),
          .decided = adapters_detail::audit_decision{
              is_others ? crawler_named(event.crawler) : crawler_, std::string{event.site},
              context != nullptr ? context->trace_id : std::string{},
              context != nullptr ? context->span_id : std::string{}, std::string{event.url},
              event.decision}});
  }

  /// Records an admission, if it belongs to `audit_options::share`.
  void on(const admission_event& event) const {
    if (ending_->writer->takes()) {
      push_whole(event);
    }
  }

  /// Records that the permissions of a site have changed.
  void on(const policy_change_event& event) const {
    auto about = begin(event);
    about.text("before", adapters_detail::audited(event.before).id)
        .text("after", adapters_detail::audited(event.after).id)
        .text("share", adapters_detail::number_text(event.changes.share()))
        .seconds("interval_seconds", event.interval)
        .flag("fast", event.fast)
        .flag("turned_hostile", event.turned_hostile);
    push(event, "policy_change", std::move(about));
  }

  /// Records that a site refused a page that its robots.txt allows, or refused its robots.txt.
  void on(const access_revoked_event& event) const { push_whole(event); }
  /// Records that a site was halted or resumed.
  void on(const halt_event& event) const { push_whole(event); }
  /// Records that a site waits for a sign-off, is signed off, or lost its sign-off.
  void on(const sign_off_event& event) const { push_whole(event); }
  /// Records a change of a circuit breaker.
  void on(const breaker_event& event) const { push_whole(event); }
  /// Records the begin or the end of a quarantine.
  void on(const quarantine_event& event) const { push_whole(event); }
  /// Records that an override was set or lifted.
  void on(const override_event& event) const { push_whole(event); }
  /// Records that the excluded hosts were replaced, for each crawler of the cache.
  void on(const exclusions_event& event) const {
    push_whole(event);
    for (const auto& [name, number] : others_) {
      auto about = begin(event, number);
      detail::describe(about, event);
      push(event, exclusions_event::name, std::move(about));
    }
  }
  /// Records that the shared store failed or answers again.
  void on(const far_store_event& event) const { push_whole(event); }
  /// Records that other processes may use the old rules of an invalidated site.
  void on(const lost_invalidation_event& event) const { push_whole(event); }

  /// Waits until all earlier events, and the number of lost events, are on the disk. Returns false
  /// if they cannot be written or if it takes too long. Always returns false after written entries
  /// are gone: the disk has lost them, or somebody has deleted their file.
  [[nodiscard]] bool flush(std::chrono::milliseconds longest = std::chrono::seconds{10}) const {
    return ending_->queue.flush(longest) && ending_->writer->tells_of_all() &&
           ending_->writer->is_on_disk();
  }

  /// Returns the statistics of the trail.
  [[nodiscard]] audit_stats stats() const { return ending_->writer->stats(); }

 private:
  /// Ends the trail when the last copy is destroyed.
  struct ending {
    explicit ending(const audit_options& options)
        : close_within{options.close_within},
          when_full{options.when_full},
          longest_wait{options.longest_wait},
          writer{std::make_shared<adapters_detail::audit_writer>(options)},
          queue{options.queue_bytes, [own = writer](auto& now) { return own->work(now); },
                std::chrono::milliseconds{
                    options.flush_every == std::chrono::milliseconds{0} ? 0 : 20}} {}
    ending(const ending&) = delete;
    ending& operator=(const ending&) = delete;
    ~ending() { queue.end(close_within); }

    std::chrono::milliseconds close_within;
    full_queue when_full;
    std::chrono::milliseconds longest_wait;
    std::shared_ptr<adapters_detail::audit_writer> writer;  // shared with the thread of the queue
    adapters_detail::audit_writer::queue queue;
  };

  void add(const cache_options& crawler) {
    // In JSON, a file may become six times as long, and so may its directives.
    constexpr std::size_t most = adapters_detail::audit_lines::longest / 8;
    if (crawler.parse.max_bytes > most) {
      throw std::invalid_argument{
          "AuditTrail: parse.max_bytes is " + std::to_string(crawler.parse.max_bytes) +
          ", and a trail records files of up to " + std::to_string(most) + " octets: lower it"};
    }
    crawler_ = ending_->writer->add_crawler(adapters_detail::crawler_text(crawler));
    others_.clear();
    for (const std::string& agent : crawler.other_agents) {
      cache_options other = crawler;
      other.user_agent = agent;
      others_.emplace_back(agent,
                           ending_->writer->add_crawler(adapters_detail::crawler_text(other)));
    }
  }

  /// Returns the number of the crawler of an event.
  [[nodiscard]] std::size_t crawler_named(std::string_view agent) const {
    for (const auto& [name, number] : others_) {
      if (name == agent) {
        return number;
      }
    }
    return crawler_;
  }

  /// Adds the policies of the other crawlers of a cache, which are from the same record.
  [[nodiscard]] std::vector<adapters_detail::audit_part> with_others(
      std::vector<adapters_detail::audit_part> parts, const event_base& event, const policy& used,
      std::string_view body) const {
    for (std::size_t i = 0; i < (std::min)(others_.size(), used.others().size()); ++i) {
      const std::size_t number = others_[i].second;
      auto own = adapters_detail::parts_of("policy", begin(event, number), *used.others()[i], body);
      own.back().id = adapters_detail::id_for(own.back().id, number);
      std::move(own.begin(), own.end(), std::back_inserter(parts));
    }
    return parts;
  }

  /// Records the policies of all crawlers of a cache for a record.
  template <class Event>
  void push_policy(const Event& event, std::string_view type, base::json_writer about) const {
    auto parts = adapters_detail::parts_of(type, std::move(about), event.policy, event.record.body);
    push(event, with_others(std::move(parts), event, event.policy, event.record.body));
  }

  [[nodiscard]] base::json_writer begin(const event_base& event) const {
    return begin(event, crawler_);
  }

  [[nodiscard]] base::json_writer begin(const event_base& event, std::size_t crawler) const {
    const call_context* const context = event.context;
    return adapters_detail::begin_members(
        crawler, event.site, context != nullptr ? context->trace_id : std::string_view{},
        context != nullptr ? context->span_id : std::string_view{});
  }

  void push(const event_base& event, std::vector<adapters_detail::audit_part> parts) const {
    push({.time = event.time(), .parts = std::move(parts)});
  }

  void push(adapters_detail::audit_news news) const {
    const std::size_t size = news.size();
    const base::shared_memory keeps = news.keeps();
    ending& trail = *ending_;
    const bool is_added =
        trail.when_full == full_queue::wait
            ? trail.queue.push_or_wait(std::move(news), size, keeps, trail.longest_wait)
            : trail.queue.push(std::move(news), size, keeps);
    if (!is_added) {
      trail.writer->lose(1, "the queue was full");
    }
  }

  void push(const event_base& event, std::string_view type, base::json_writer members) const {
    push(event, {{type, std::move(members).finish(), {}, false}});
  }

  /// Returns everything in the event.
  template <class Event>
  void push_whole(const Event& event) const {
    auto about = begin(event);
    detail::describe(about, event);
    push(event, Event::name, std::move(about));
  }

  std::shared_ptr<ending> ending_;
  std::size_t crawler_ = 0;
  std::vector<std::pair<std::string, std::size_t>> others_;  // their names and numbers
};

static_assert(Observer<AuditTrail>);

}  // namespace robots
