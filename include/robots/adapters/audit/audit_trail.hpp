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
#include <robots/observe/event_json.hpp>
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

/// An `Observer` that records what a crawler asked, was told and decided, so that it can be proven
/// later (the pipeline guide: "immutable audit trails").
///
/// It writes lines of JSON into files that only grow; each line holds the hash of the one before.
/// So `verify_audit` finds what was changed, lost, added or moved. Each robots.txt is recorded
/// once, beside retrievals, fallbacks, overrides, quarantine, breakers and the trace of each call.
/// So `verify_decisions` can ask again what it says about each URL.
///
/// A thread of its own writes. Callers wait for it only while the queue is full, and with
/// `full_queue::drop` never. Events that cannot be written, since the disk is full or hangs, are
/// lost and counted, and the trail says so once it can be written again. After `kill -9` the next
/// trail of the same path goes on behind the last whole line.
///
/// Copies write into one trail, from any thread. One process at a time writes a trail, and does not
/// fork meanwhile. For POSIX systems.
class AuditTrail {
 public:
  /// Begins or goes on with the trail of that path, for a cache with these options. Throws
  /// `std::invalid_argument` for options that cannot be, such as a `parse.max_bytes` above 4 MiB,
  /// and `audit_error` when it cannot be written.
  AuditTrail(const audit_options& options, const cache_options& crawler)
      : ending_{std::make_shared<ending>(options)} {
    add(crawler);
  }

  /// The same trail for another cache, with options of its own.
  [[nodiscard]] AuditTrail with(const cache_options& crawler) const {
    AuditTrail other{*this};
    other.add(crawler);
    return other;
  }

  /// Records a retrieval.
  void on(const retrieval_event& told) const {
    auto about = begin(told);
    about.seconds("duration_seconds", told.duration);
    push_policy(told, "retrieval", std::move(about));
  }

  /// Records what another process had fetched.
  void on(const far_hit_event& told) const { push_policy(told, "far_hit", begin(told)); }

  /// Records what another process had fetched, and this one goes by in worse times.
  void on(const far_copy_event& told) const { push_policy(told, "far_copy", begin(told)); }

  /// Records that there was no robots.txt to go by.
  void on(const fallback_event& told) const {
    const policy& by = told.policy;
    auto parts = adapters_detail::parts_of("policy", begin(told), by, {});
    auto about = begin(told);
    about.text("policy", parts.back().id).text("basis", to_string(by.basis()));
    about.text("outcome", to_string(by.outcome()));
    parts.push_back({"fallback", std::move(about).finish(), {}, false});
    push(told, with_others(std::move(parts), told, by, {}));
  }

  /// Records a decision, or, by `audit_options::share`, does not.
  void on(const decision_event& told) const {
    if (!ending_->writer->takes() || !told.decision.policy) {
      return;
    }
    const call_context* const by = told.context;
    // What holds without a robots.txt was recorded for the first crawler.
    const bool is_others = !told.decision.policy->given_reason();
    push({.time = told.time(),
          .decided = adapters_detail::audit_decision{
              is_others ? crawler_named(told.crawler) : crawler_, std::string{told.site},
              by != nullptr ? by->trace_id : std::string{},
              by != nullptr ? by->span_id : std::string{}, std::string{told.url}, told.decision}});
  }

  /// Records an admission, or, by `audit_options::share`, does not.
  void on(const admission_event& told) const {
    if (ending_->writer->takes()) {
      push_whole(told);
    }
  }

  /// Records that a site asks something else of the crawler than before.
  void on(const policy_change_event& told) const {
    auto about = begin(told);
    about.text("before", adapters_detail::audited(told.before).id)
        .text("after", adapters_detail::audited(told.after).id)
        .text("share", adapters_detail::number_text(told.changes.share()))
        .seconds("interval_seconds", told.interval)
        .flag("fast", told.fast)
        .flag("turned_hostile", told.turned_hostile);
    push(told, "policy_change", std::move(about));
  }

  /// Records that a site has refused a page that its robots.txt allows, or its robots.txt.
  void on(const access_revoked_event& told) const { push_whole(told); }
  /// Records that a site was halted or resumed.
  void on(const halt_event& told) const { push_whole(told); }
  /// Records that a site waits for a sign-off, was signed off, or no longer is.
  void on(const sign_off_event& told) const { push_whole(told); }
  /// Records that a circuit breaker has changed.
  void on(const breaker_event& told) const { push_whole(told); }
  /// Records that a site was put in quarantine or let out.
  void on(const quarantine_event& told) const { push_whole(told); }
  /// Records that an override was set or lifted.
  void on(const override_event& told) const { push_whole(told); }
  /// Records that the excluded hosts were replaced, for each crawler of the cache.
  void on(const exclusions_event& told) const {
    push_whole(told);
    for (const auto& [name, number] : others_) {
      auto about = begin(told, number);
      add_event(about, told);
      push(told, exclusions_event::name, std::move(about));
    }
  }
  /// Records that the store shared with other processes went or came back.
  void on(const far_store_event& told) const { push_whole(told); }
  /// Records that other processes may go by the rules of a site that was invalidated.
  void on(const lost_invalidation_event& told) const { push_whole(told); }

  /// Waits until all that was told before is on the disk, and how much of it was lost, if any was.
  /// Returns false if that cannot be written either or takes longer, and for good once entries are
  /// gone that were written: the disk has failed to keep them, or somebody has deleted their file.
  [[nodiscard]] bool flush(std::chrono::milliseconds longest = std::chrono::seconds{10}) const {
    return ending_->queue.flush(longest) && ending_->writer->tells_of_all() &&
           ending_->writer->is_on_disk();
  }

  /// What it has done so far.
  [[nodiscard]] audit_stats stats() const { return ending_->writer->stats(); }

 private:
  /// Ends the trail when the last copy goes.
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
    // In JSON, a file may be six times as long, and so may be its directives.
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

  /// The number of the crawler that an event names.
  [[nodiscard]] std::size_t crawler_named(std::string_view agent) const {
    for (const auto& [name, number] : others_) {
      if (name == agent) {
        return number;
      }
    }
    return crawler_;
  }

  /// Adds what the other crawlers of a cache read in the same record.
  [[nodiscard]] std::vector<adapters_detail::audit_part> with_others(
      std::vector<adapters_detail::audit_part> parts, const event& told, const policy& by,
      std::string_view body) const {
    for (std::size_t i = 0; i < (std::min)(others_.size(), by.others().size()); ++i) {
      const std::size_t number = others_[i].second;
      auto own = adapters_detail::parts_of("policy", begin(told, number), *by.others()[i], body);
      own.back().id = adapters_detail::id_for(own.back().id, number);
      std::move(own.begin(), own.end(), std::back_inserter(parts));
    }
    return parts;
  }

  /// Records what all crawlers of a cache read in a record.
  template <class Event>
  void push_policy(const Event& told, std::string_view type, base::json_writer about) const {
    auto parts = adapters_detail::parts_of(type, std::move(about), told.policy, told.record.body);
    push(told, with_others(std::move(parts), told, told.policy, told.record.body));
  }

  [[nodiscard]] base::json_writer begin(const event& told) const { return begin(told, crawler_); }

  [[nodiscard]] base::json_writer begin(const event& told, std::size_t crawler) const {
    const call_context* const by = told.context;
    return adapters_detail::begin_members(crawler, told.site,
                                          by != nullptr ? by->trace_id : std::string_view{},
                                          by != nullptr ? by->span_id : std::string_view{});
  }

  void push(const event& told, std::vector<adapters_detail::audit_part> parts) const {
    push({.time = told.time(), .parts = std::move(parts)});
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

  void push(const event& told, std::string_view type, base::json_writer members) const {
    push(told, {{type, std::move(members).finish(), {}, false}});
  }

  /// All that the event tells.
  template <class Event>
  void push_whole(const Event& told) const {
    auto about = begin(told);
    add_event(about, told);
    push(told, Event::name, std::move(about));
  }

  std::shared_ptr<ending> ending_;
  std::size_t crawler_ = 0;
  std::vector<std::pair<std::string, std::size_t>> others_;  // their names and numbers
};

static_assert(Observer<AuditTrail>);

}  // namespace robots
