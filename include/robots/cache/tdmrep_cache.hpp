#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/config.hpp>
#include <robots/base/random.hpp>
#include <robots/base/site_table.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/known_copy.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/clock.hpp>
#include <robots/usage/page_statements.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// The way of a question:
//
//     read(page, url) --> table: a fresh copy of the site? --yes--> page.tdmrep(text), or mark_read
//                            | no
//                            +--> does the robots.txt, or a ruling, deny the file? --yes--+
//                            | no                                                         |
//                            +--> retrieval --> a new copy, or 404: keep it, answer       |
//                                     | a redirect: the same question about its target    |
//                                     | failure                                           |
//                                     +--> the last good copy, if it is young <-----------+
//                                             | none
//                                             +--> unread
//
// The table and the retrievals belong to this cache alone. The rules of the sites belong to a
// `basic_robots_cache`, which this cache only asks: no answer changes a decision, a circuit
// breaker, an alarm or a ruling.

namespace robots {

/// The answer of a site about its tdmrep.json.
enum class tdmrep_state : std::uint8_t {
  file,    ///< there is a file, or the last good copy of one
  none,    ///< 404 or 410: there is no file
  unread,  ///< the file could not be read, and there is no copy
};

/// A tdmrep.json, and the outcome of its last retrieval.
struct tdmrep_copy {
  tdmrep_state state = tdmrep_state::unread;     ///< the answer of the site
  std::shared_ptr<const std::string> text{};     ///< the file; null if there is none
  robots::outcome outcome = outcome::cancelled;  ///< `cancelled` if no request was sent
  bool is_last_good = false;  ///< true if the last retrieval failed, and an older copy stands in
};

namespace cache_detail {

/// The copies of a process: the part of `basic_tdmrep_cache` without template arguments.
class tdmrep_table {
 public:
  tdmrep_table(any_robots_cache& rules, std::size_t capacity);

  /// Returns the retrieval of a site's file. It asks `rules` before each retry and each redirect,
  /// so a step of it can fetch the robots.txt of another site. `call` must outlive the result.
  [[nodiscard]] detail::retrieval begin(const site& asked, time_point now, detail::known_copy known,
                                        const call_options& call);

  /// Returns true if the robots.txt and the rulings permit to fetch the file. Can fetch the
  /// robots.txt.
  [[nodiscard]] bool may_fetch(std::string_view url, const call_options& call);

  /// The facts that the table keeps about a site.
  struct entry {
    std::shared_ptr<const std::string> good{};  ///< the last file
    record_head good_head{};                    ///< the facts of its retrieval
    time_point good_at{};                       ///< its time; a 304 renews it
    bool is_absent = false;                     ///< true if the last answer was 404 or 410
    int failures = 0;                           ///< failures in a row
    outcome last = outcome::cancelled;          ///< the last outcome that was kept
    time_point fresh_until{};                   ///< no request before this time
    bool is_asked = false;                      ///< true while a thread fetches the file
  };

  /// Puts the result of a retrieval into an entry.
  void keep(entry& known, detail::retrieval_result result, const wall_anchor& now);

  /// Returns the answer of an entry.
  [[nodiscard]] tdmrep_copy answer(const entry& known, time_point now) const;

  /// Returns the entry of a site, or null if there is no room for it.
  [[nodiscard]] entry* find_or_add(const std::string& key, time_point now);

  /// Ends the fetch of an entry of the table, and wakes the threads that wait for it.
  void end_fetch(entry& known);

  std::mutex mutex;  ///< guards `sites`
  base::site_table<entry> sites;
  base::clock_condition changed;  ///< a retrieval has ended

 private:
  /// Returns the time from which the table may forget an entry.
  [[nodiscard]] time_point until(const entry& known) const;

  any_robots_cache& rules_;
  const detail::valid_retrieval_options retrieval_;  // of each fetch
  detail::judge_options judging_;
  base::counter_random random_;
};

}  // namespace cache_detail

/// Fetches and keeps the `/.well-known/tdmrep.json` of sites (TDMRep, final report of 2025-12-07,
/// section 6.1), on request only.
///
///     robots::basic_tdmrep_cache tdmrep{cache, robots::CurlFetcher{}};
///     robots::page_statements page = cache.page(url);
///     tdmrep.read(page, url);
///
/// The `cache_options` of `rules` apply to these requests, too: retries, lifetimes, the limits of
/// redirects. The files have a table of their own. A site without the file (404, 410) reserves
/// nothing. After any other failure, the last good copy counts for `cache_options::last_good_for`.
/// Without such a copy, the place `statement_place::tdmrep` is unread. A response that is no JSON
/// array does not replace a good copy, and is a failure if it has a sign of a bot wall. The cache
/// sends no request that a robots.txt or a ruling denies: each redirect obeys the robots.txt of its
/// target, which can be another site. It never changes a decision, a circuit breaker, an alarm or a
/// ruling.
///
/// Threads that ask for one site at the same time share one fetch. Any thread may call any member.
/// No function throws because of a network failure or bad content. `rules` must outlive the cache.
template <Fetcher F, Clock C = SteadyClock>
class basic_tdmrep_cache {
 public:
  /// Keeps the files of `capacity` sites. Give the clock of `rules`. Throws
  /// `std::invalid_argument` if `capacity` is 0.
  explicit basic_tdmrep_cache(any_robots_cache& rules, F fetcher = {}, C clock = {},
                              std::size_t capacity = 4'096)
      : fetcher_{std::move(fetcher)}, clock_{std::move(clock)}, table_{rules, capacity} {}

  /// Returns the file of the site that a URL names. Fetches it if there is no fresh copy. Uses the
  /// deadline, the stop token and the user agent of `call`.
  [[nodiscard]] tdmrep_copy get(std::string_view url, const call_options& call = {}) {
    const auto asked = parse_site(url);
    if (!asked) {
      return {};
    }
    const std::string key = asked->key();
    std::unique_lock lock{table_.mutex};
    const auto is_fresh = [&](const entry* known) {
      return known != nullptr && clock_.now() < known->fresh_until;
    };
    entry* known = table_.find_or_add(key, clock_.now());
    if (is_fresh(known)) {
      return table_.answer(*known, clock_.now());
    }
    if (known != nullptr && known->is_asked) {
      const auto is_over = [&] {
        known = table_.sites.find(key);
        return known == nullptr || !known->is_asked;
      };
      static_cast<void>(table_.changed.wait(lock, clock_, call.deadline, call.stop, is_over));
      return known != nullptr ? table_.answer(*known, clock_.now()) : tdmrep_copy{};
    }
    entry alone;  // without room in the table, the answer is not kept
    entry& fetched = known != nullptr ? *known : alone;
    fetched.is_asked = true;
    const end_of_fetch at_end{table_, known, lock};
    const detail::known_copy copy{fetched.good_head.final_url, fetched.good_head.validators};
    lock.unlock();
    if (table_.may_fetch(url, call)) {
      detail::retrieval_result result = detail::run_retrieval(
          table_.begin(*asked, clock_.now(), copy, call), fetcher_, clock_, call);
      // A call that ended before it had the rules of a redirect's target learned nothing about the
      // site.
      if (result.outcome == outcome::refused && detail::has_ended(call, clock_.now())) {
        result.outcome = outcome::cancelled;
      }
      lock.lock();
      table_.keep(fetched, std::move(result), {.steady = clock_.now(), .wall = wall_now(clock_)});
    } else {
      lock.lock();
    }
    return table_.answer(fetched, clock_.now());
  }

  /// Adds the file of the page's site to `page`. Leaves the place unread if the file is.
  void read(page_statements& page, std::string_view url, const call_options& call = {}) {
    const tdmrep_copy copy = get(url, call);
    if (copy.text != nullptr) {
      page.tdmrep(*copy.text);
    } else if (copy.state == tdmrep_state::none) {
      page.mark_read(statement_place::tdmrep);
    }
  }

  /// Returns the number of sites in the table.
  [[nodiscard]] std::size_t size() {
    const std::scoped_lock lock{table_.mutex};
    return table_.sites.size();
  }

 private:
  using entry = cache_detail::tdmrep_table::entry;

  /// Ends the fetch of an entry, also after an exception. `known` is null without an entry.
  struct end_of_fetch {
    cache_detail::tdmrep_table& table;
    entry* known;
    std::unique_lock<std::mutex>& lock;

    ~end_of_fetch() {
      if (!lock.owns_lock()) {
        lock.lock();
      }
      if (known != nullptr) {
        table.end_fetch(*known);
      }
    }
  };

  F fetcher_;
  C clock_;
  cache_detail::tdmrep_table table_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/tdmrep_cache.bodies.hpp>
#endif
