#include "crawl.hpp"

#include <robots/http/host.hpp>
#include <robots/http/location.hpp>
#include <robots/http/url.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <iomanip>
#include <sstream>
#include <thread>

namespace robots::example {
namespace {

constexpr int most_tries = 4;

std::string joined(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [kind, count] : counts) {
    text += (text.empty() ? "" : ", ") + kind + ' ' + std::to_string(count);
  }
  return text.empty() ? "-" : text;
}

/// Returns the reason for the wait of a request: the name of the limit or, if a delay decided, of
/// its term.
std::string decided_by(const start_plan& plan) {
  const bool by_delay = plan.decided_by == start_limit::delay;
  return std::string{by_delay ? to_string(plan.delay.term) : to_string(plan.decided_by)};
}

}  // namespace

crawler::crawler(crawl_options options)
    : options_(std::move(options)),
      fetcher_(options_.client),
      cache_(options_.cache, fetcher_, {}, {}, options_.watchers, SiteRulings{options_.rulings}),
      gate_(options_.gate, cache_.clock(), gate_watchers()),
      front_(cache_, gate_) {}

Watchers crawler::gate_watchers() {
  Watchers watchers = options_.watchers;
  watchers.all.emplace_back([this](const any_event& event) {
    const auto* const answer = event.get_if<admission_event>();
    if (answer != nullptr && answer->needs_review) {
      const std::lock_guard lock(mutex_);
      for_review_.emplace_back(answer->url);
    }
  });
  return watchers;
}

void crawler::run(const std::vector<std::string>& seeds) {
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& url : seeds) {
      lines_.try_emplace(std::string{host_of(url)});
    }
    for (const std::string& url : seeds) {
      add(url);
    }
  }
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < options_.threads; ++i) {
    threads.emplace_back([this] { work(); });
  }
}

crawler::progress crawler::so_far() const {
  const std::lock_guard lock(mutex_);
  return {.known = seen_.size(), .done = done_};
}

void crawler::work() {
  SteadyClock clock;
  std::unique_lock lock(mutex_);
  while (open_ > 0) {
    if (ready_.empty()) {
      changed_.wait(lock);
      continue;
    }
    // The host whose next request can start first.
    const auto [when, host] = *ready_.begin();
    if (when > clock.now()) {
      changed_.wait_until(lock, when);
      continue;
    }
    ready_.erase(ready_.begin());
    host_line& line = lines_.at(host);
    host_result& result = results_[host];
    line.worked_on = true;
    const std::string url = line.urls.front();
    line.urls.pop_front();
    const auto context = next_context();
    lock.unlock();

    auto admitted =
        front_.admit(url, {.deadline = clock.now() + options_.patience, .context = context});
    fetch_response response;
    if (admitted) {
      response = fetcher_.fetch({.url = url,
                                 .headers = {{"User-Agent", options_.cache.user_agent}},
                                 .timeout = options_.cache.timeout,
                                 .max_bytes = 1'000'000});
      admitted.reservation.complete(report_of(response, clock.now() - admitted.reservation.at()));
    }
    const time_point now = clock.now();
    const start_plan next = gate_.next_allowed_at(url, admitted.decision.policy);

    lock.lock();
    bool again = false;
    if (!admitted) {
      std::string reason{to_string(admitted.reason)};
      if (admitted.reason == admission_reason::too_late) {
        reason += " (" + decided_by(admitted.plan) + ')';
      }
      ++result.refused[reason];
      result.example = explain(admitted);
    } else {
      count_wait(result, line.next, line.planned_at);
      count_wait(result, admitted.plan, admitted.planned_at);
      if (response.status == 200) {
        ++result.fetched;
        add_links(url, response.body);
      } else if ((response.status == 429 || response.status == 503) &&
                 ++line.tries[url] < most_tries) {
        ++result.tried_again;
        again = true;
        line.urls.push_back(url);
      } else {
        ++result.failed;
      }
    }
    if (!again) {
      --open_;
      ++done_;
    }
    line.worked_on = false;
    line.next = next;
    line.planned_at = now;
    requeue(host);
    changed_.notify_all();
  }
  changed_.notify_all();
}

std::shared_ptr<const call_context> crawler::next_context() {
  std::array<char, 33> trace{};
  std::array<char, 17> span{};
  ++pages_;
  std::snprintf(trace.data(), trace.size(), "%016" PRIx64 "%016" PRIx64, trace_, pages_);
  std::snprintf(span.data(), span.size(), "%016" PRIx64, pages_);
  return std::make_shared<const call_context>(trace.data(), span.data());
}

void crawler::add_links(const std::string& page, std::string_view text) {
  constexpr std::string_view begin = "href=\"";
  for (auto setup = text.find(begin); setup != std::string_view::npos; setup = text.find(begin)) {
    text.remove_prefix(setup + begin.size());
    const std::string_view link = text.substr(0, text.find('"'));
    if (const auto url = resolve_reference(page, link)) {
      add(*url);
    }
  }
}

void crawler::add(const std::string& url) {
  const std::string host{host_of(url)};
  const auto found = lines_.find(host);
  if (found == lines_.end()) {
    ++results_[host].links_off_limits;
    return;
  }
  if (!seen_.insert(url).second) {
    return;
  }
  found->second.urls.push_back(url);
  ++open_;
  requeue(host);
}

void crawler::requeue(const std::string& host) {
  const host_line& line = lines_.at(host);
  if (!line.worked_on && !line.urls.empty()) {
    ready_.emplace(line.next.at, host);
  }
}

void crawler::count_wait(host_result& result, const start_plan& plan, time_point planned_at) {
  if (plan.decided_by != start_limit::none && plan.at > planned_at) {
    ++result.delayed[decided_by(plan)];
    result.waited += plan.at - planned_at;
  }
}

std::string table_of(const std::map<std::string, host_result>& results) {
  std::ostringstream table;
  table << std::left << std::setw(13) << "host" << std::right << std::setw(8) << "fetched"
        << std::setw(7) << "again" << std::setw(7) << "failed" << std::setw(12) << "waited ms"
        << "  " << std::left << std::setw(54) << "delayed by" << "refused\n";
  host_result sum;
  for (const auto& [host, result] : results) {
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(result.waited);
    table << std::left << std::setw(13) << host << std::right << std::setw(8) << result.fetched
          << std::setw(7) << result.tried_again << std::setw(7) << result.failed << std::setw(12)
          << waited.count() << "  " << std::left << std::setw(54) << joined(result.delayed)
          << joined(result.refused) << '\n';
    sum.fetched += result.fetched;
    sum.tried_again += result.tried_again;
    sum.failed += result.failed;
    sum.waited += result.waited;
    for (const auto& [kind, count] : result.refused) {
      sum.refused[kind] += count;
    }
    for (const auto& [kind, count] : result.delayed) {
      sum.delayed[kind] += count;
    }
  }
  table << std::left << std::setw(13) << "all" << std::right << std::setw(8) << sum.fetched
        << std::setw(7) << sum.tried_again << std::setw(7) << sum.failed << std::setw(12)
        << std::chrono::duration_cast<std::chrono::milliseconds>(sum.waited).count() << '\n'
        << "delayed: " << joined(sum.delayed) << "\nrefused: " << joined(sum.refused) << "\n\n";
  for (const auto& [host, result] : results) {
    if (!result.example.empty()) {
      table << std::left << std::setw(13) << host << result.example << '\n';
    }
  }
  return table.str();
}

}  // namespace robots::example
