#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/checked_parts.hpp>
#include <robots/cache/detail/moved_to_rulings.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/retry_wait.hpp>
#include <robots/fwd.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/any_event.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/store/lru_storage.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Where this file stands: the door of a cache.
//
//     check(url) --> first_key: the likely key, if no ruling may decide
//                --> find_fresh: the entry of the key          (a hit: nothing else happens)
//                      | none
//                      v
//                    parse the URL once --> blocking_driver::load --> site_look_up: see there
//                      |
//                      v
//                    decide: the policy, the target, the age --> report: counts, event
//
//     begin(url) --> the same as `look_up`, in steps
//
// Almost all of a cache is in `any_robots_cache`, which does not depend on the user's types and is
// compiled once. `basic_robots_cache` is derived from it. It makes the parts of the user's types,
// and adds the functions that return them. `any_robots_cache` owns, in this order: the parts, what
// the look-ups share, the threads.

namespace robots {

class page_statements;

namespace detail {

class retrieval;

}  // namespace detail

namespace cache_detail {

template <class Cache, class Hosts, class F>
class prefetch_run;

}  // namespace cache_detail

/// A look-up of a policy in steps, for programs that do their own network I/O, such as an event
/// loop. `next` returns a step. The caller does the step and reports the result:
///
///     look_up asking = cache.begin(url);
///     while (!asking.policy()) {
///       const look_up::step step = asking.next();
///       if (const auto* request = std::get_if<fetch_request>(&step)) {
///         asking.on_response(send(*request));
///       } else if (const auto* pause = std::get_if<look_up::retry_wait>(&step)) {
///         sleep_until(pause->until, pause->stop);
///         asking.on_wait_over();
///       } else {
///         wait_for_news(asking);  // see `call_on_news`
///         asking.resume();
///       }
///     }
///     const decision result = cache.check(url, asking);
///
/// Look-ups in steps and blocking calls for one site share one fetch. If the look-up that does the
/// fetch is destroyed, the fetch is cancelled, and other callers that wait for the result start
/// again. A look-up must not outlive its cache. Only one thread at a time may use a look-up. A call
/// takes constant time, or time linear in the file if it parses the file.
class look_up {
 public:
  /// A wait before the next try. It lasts until the time `until`, or until a stop is requested
  /// through `stop`. After the wait, call `on_wait_over`.
  using retry_wait = detail::retry_wait;

  /// A wait while another look-up or thread works on the policy. When there is news, call `resume`.
  /// The next step is then the policy, a request or another wait.
  struct news_wait {};

  /// A step: a request, a wait before a retry, a wait for news, or, at the end, the policy.
  using step =
      std::variant<fetch_request, retry_wait, news_wait, std::shared_ptr<const robots::policy>>;

  /// Moves a look-up. The moved-from look-up has no policy, and its `next` returns a null policy.
  look_up(look_up&&) noexcept;
  /// Ends this look-up as the destructor does, and takes over the other look-up.
  look_up& operator=(look_up&&) noexcept;
  ~look_up();

  /// Returns the next step. Only the functions below change the step. If the step is a policy, the
  /// look-up has ended. Send a request only once, from any thread. When the response is no longer
  /// needed, a stop is requested through `fetch_request::stop`.
  [[nodiscard]] step next() const;

  /// Returns the policy, or null if the look-up has not ended. If there is a ruling on the site,
  /// such as a halt, the policy follows this ruling.
  [[nodiscard]] const std::shared_ptr<const robots::policy>& policy() const noexcept;

  /// Returns true if the policy came from the cache.
  [[nodiscard]] bool from_cache() const noexcept;

  /// Returns true if this look-up did at least a part of the fetch.
  [[nodiscard]] bool has_fetched() const noexcept;

  /// Handles the response to the request of `next()`. Has no effect if `next()` is not a request.
  void on_response(fetch_response response);

  /// Ends a `retry_wait` if its time has come or its `stop` got a stop request. Otherwise, has no
  /// effect.
  void on_wait_over();

  /// Ends a `retry_wait` early, without a retry. The fetch ends with the result of its last try.
  void cut_short();

  /// Ends a `news_wait` if there is news. Otherwise, has no effect.
  void resume();

  /// Makes the cache call `wake` once, when it is time to call `resume`. If there is news already,
  /// the call comes at once. Otherwise, any thread can make the call later. `wake` must return soon
  /// and must not throw. A later call of `call_on_news` replaces `wake`. Shortly after the look-up
  /// is destroyed, another thread can still call `wake`.
  void call_on_news(std::function<void()> wake);

  /// Stops waiting for the policy. Returns true if this look-up does a fetch. If true, do the steps
  /// of `next()` until it returns a null policy. If no caller needs the fetch and
  /// `cache_options::finish_abandoned` is false, the `stop` of the steps gets a stop request.
  bool leave() noexcept;

 private:
  friend class any_robots_cache;

  look_up(cache_detail::cache_threads& threads, std::unique_ptr<cache_detail::site_look_up> begun);

  cache_detail::cache_threads* threads_;
  std::unique_ptr<cache_detail::site_look_up> machine_;  // null after a move
  std::string counted_url_;  // the text whose exclusion `any_robots_cache::begin` has counted
};

/// The part of `basic_robots_cache` without template arguments. Decides whether a crawler may fetch
/// a URL. Code that works with any type of cache, such as an operator's console, can take a
/// `any_robots_cache&`.
///
/// Any thread may call any member function. No function throws because of a network failure or bad
/// content.
class any_robots_cache : public cache_detail::moved_members {
 public:
  any_robots_cache(const any_robots_cache&) = delete;
  any_robots_cache& operator=(const any_robots_cache&) = delete;

  /// Returns the policy of the site that a URL, a host or `host:port` names. The result is never
  /// null. The policy denies everything if the text names no site, or if it names an excluded host.
  /// For an excluded host, the cache also counts and reports a denial.
  ///
  /// If the call is stopped or runs out of time during the fetch, returns the fallback policy for
  /// `outcome::cancelled`. The cache does not keep it. See `cache_options::finish_abandoned`.
  [[nodiscard]] std::shared_ptr<const policy> get(std::string_view host_or_url,
                                                  const call_options& call = {}) {
    return look_up_policy(host_or_url, call, false);
  }

  /// Decides whether the crawler may fetch `url`, with the reason.
  [[nodiscard]] decision check(std::string_view url, const call_options& call = {});

  /// Returns `check(url, call).allowed`, and takes less time. If the cache has no observer, threads
  /// that ask about sites with fresh rules do not wait for each other.
  [[nodiscard]] bool allowed(std::string_view url, const call_options& call = {});

  /// Calls `check(url, call)`, and begins the statements of the page with its decision. `may`
  /// answers for each purpose, after you add the headers and the meta elements of the page.
  /// Include <robots/cache/page.hpp> to call this function. After a look-up in steps, use
  /// `page_of`.
  [[nodiscard]] ROBOTS_INLINE page_statements page(std::string_view url,
                                                   const call_options& call = {});

  /// Begins a look-up in steps, for programs that do their own network I/O: see `look_up`. Never
  /// blocks. Uses only `context` and `user_agent` of `call`. For an excluded host, counts and
  /// reports a denial. A later `check` with this look-up and the same text does not count the
  /// denial again.
  ///
  /// Until the look-up has ended, do not call a blocking function for the same site in the same
  /// thread. The call would wait for the look-up. The cache still does some I/O itself: its
  /// background threads renew stale policies (`cache_options::stale_while_revalidate`) and ask the
  /// shared store.
  [[nodiscard]] look_up begin(std::string_view host_or_url, const call_options& call = {});

  /// Decides whether the crawler may fetch `url`. If there is a ruling on the site, the ruling
  /// decides. Otherwise, the policy of `ended` decides. Throws `std::logic_error` if the look-up
  /// `ended` still runs. Throws `std::invalid_argument` if `ended` is a look-up of another site.
  [[nodiscard]] decision check(std::string_view url, const look_up& ended);

  /// Decides on `url` by the ruling on the site. Without a ruling, decides by `given`, a policy
  /// that `get` returned. `url` is a URL of the policy's site, or a path with query. Unlike
  /// `policy::allows`, counts and reports the decision. Fetches nothing. Uses only `context` and
  /// `user_agent` of `call`. Give the user agent that `get` got, since a fixed robots.txt
  /// (`SiteRulings::override_with_text`) can decide differently for each crawler. Throws
  /// `std::invalid_argument` if `given` is null.
  [[nodiscard]] decision check(std::string_view url, const std::shared_ptr<const policy>& given,
                               const call_options& call = {});

  /// Counts and reports a decision that your program made without this cache, for example because a
  /// list of your program excludes the URL. Uses only `context` of `call`.
  void report_decision(std::string_view url, const decision& decided,
                       const call_options& call = {});

  /// The earlier name of `report_decision`.
  [[deprecated("use report_decision")]] void note(std::string_view url, const decision& decided,
                                                  const call_options& call = {}) {
    report_decision(url, decided, call);
  }

  /// Erases the rules of a site and the last good copy of its robots.txt. If the text is a host
  /// without a scheme, also erases the rules of its https and http origins. The next call fetches
  /// the rules again, unless the site is in quarantine or its circuit breaker is open.
  ///
  /// If the stored answer is a redirect to another site, also erases the rules of this other site,
  /// but at most once in `cache_options::min_ttl`.
  ///
  /// Does not block: a background thread erases the rules in the shared store. Other processes
  /// forget the rules at most a second later. `cache_stats::pending_invalidations` counts the sites
  /// that the thread must still erase.
  void invalidate(std::string_view host_or_url);

  /// Fetches the robots.txt of a site again, and returns the new policy. Sends the validators
  /// (`ETag`, `Last-Modified`) of the last response. Unlike `invalidate`, keeps the last good copy.
  /// Other processes with the same shared store use the answer, too. If the site redirects to
  /// another site, also fetches the robots.txt of this other site, but at most once in
  /// `cache_options::min_ttl`. For an excluded host, counts and reports a denial.
  std::shared_ptr<const policy> refresh(std::string_view host_or_url,
                                        const call_options& call = {}) {
    return look_up_policy(host_or_url, call, true);
  }

  /// Replaces the list `cache_options::excluded`. If an entry cannot match any host, throws
  /// `std::invalid_argument` and keeps the old list. A running fetch uses the old list until the
  /// fetch ends.
  void set_excluded(std::span<const std::string> entries);
  /// Accepts a list in braces: `set_excluded({"gov", "mil"})`.
  void set_excluded(std::initializer_list<std::string> entries) {
    set_excluded(std::span<const std::string>{entries.begin(), entries.size()});
  }

  /// Calls `on_denied` when a halt, an override, a quarantine or a withdrawn sign-off begins to
  /// deny a site. The ruling can come from another process. The argument is `site::key` without a
  /// scheme. Any thread can make the call. Destroy the result to end the calls. `on_denied` must
  /// not block, set a ruling, or destroy the result. The cache ignores exceptions of `on_denied`.
  [[nodiscard]] std::shared_ptr<const void> on_denial(
      std::function<void(std::string_view site)> on_denied);

  /// Returns true if a ruling, such as a halt, denies a URL. Does not consider robots.txt. Uses
  /// only `user_agent` of `call`.
  [[nodiscard]] bool is_denied(std::string_view url, const call_options& call = {}) const;

  /// Handles the response that you got for a page. Pass true as `is_challenge` if you got a
  /// challenge, such as a CAPTCHA, instead of the page. Returns true if the site revoked access:
  /// the response is 401, 403 or a challenge, but no ruling and no stored rule denies the URL. Then
  /// the observer gets an `access_revoked_event`, and `rulings_options::halt_revoked` applies.
  ///
  /// After a 4xx, a 5xx or a challenge for an allowed URL, the next look-up fetches the rules again
  /// (source: the pipeline guide). If the rules come from a redirect to another site, the rules of
  /// this other site are fetched again, too. Rules younger than `cache_options::min_ttl` stay. A
  /// 429 has no effect, since it concerns only the pace of requests. Sends no request. Uses only
  /// `user_agent` and `context` of `call`.
  ///
  /// `reservation::complete` of a `basic_admission` calls this function. For the same URL and
  /// status, the observer gets at most one event in 10 seconds.
  bool report_response(std::string_view url, int status, bool is_challenge = false,
                       const call_options& call = {});

  /// Handles a response as the function above does, but also reads its headers. If the server
  /// demands a licence (`licence_demand`), the result is `page_outcome::licence_demanded`, and the
  /// observer gets a `licence_demanded_event`. Then access is not revoked: the site is not halted,
  /// and its rules stay.
  page_outcome report_response(std::string_view url, int status,
                               std::span<const http_header> headers, bool is_challenge = false,
                               const call_options& call = {});

  /// Erases all entries of this process. The shared store keeps its records.
  void clear();

  /// Returns the options that the constructor got.
  [[nodiscard]] const cache_options& options() const noexcept;

  /// Returns the names of the crawler of a call: `cache_options::names`, or the entry of
  /// `cache_options::other_agents` that `call.user_agent` selects. Throws `std::invalid_argument`
  /// for any other crawler.
  [[nodiscard]] const crawler_names& names(const call_options& call = {}) const;

 protected:
  /// Throws `std::invalid_argument` for invalid options.
  any_robots_cache(cache_options&& options, std::unique_ptr<cache_detail::cache_parts> parts);
  /// Stops the cache's own threads and waits for them.
  ~any_robots_cache();

  /// Returns the statistics of the cache, except `size` and `evictions` of the storage.
  [[nodiscard]] cache_stats counted() const;

  /// Returns the parts that the constructor got.
  [[nodiscard]] cache_detail::cache_parts& parts() noexcept { return *parts_; }

 private:
  template <class Cache, class Hosts, class F>
  friend class cache_detail::prefetch_run;

  [[nodiscard]] cache_detail::blocking_driver driver() const noexcept;

  /// See `blocking_driver::wait_for_rulings`.
  void wait_for_rulings(const call_options& limits);

  /// Guesses the key of a site with `detail::possible_site_key`. Returns an empty text if a ruling
  /// may apply to the site. The caller must then check the rulings.
  [[nodiscard]] std::string_view first_key(std::string_view host_or_url) const;

  /// Returns the number of the crawler `call.user_agent`: 0 for `cache_options::user_agent`, 1 for
  /// the first of `cache_options::other_agents`. Throws `std::invalid_argument` for any other
  /// crawler.
  [[nodiscard]] std::size_t agent_of(const call_options& call) const;

  [[nodiscard]] std::shared_ptr<const policy> look_up_policy(std::string_view host_or_url,
                                                             const call_options& call,
                                                             bool refreshes);

  /// Decides on `url` for crawler number `agent` if there are no fresh rules for its site.
  [[nodiscard]] decision check_after_load(std::string_view url, const call_options& call,
                                          std::size_t agent);

  [[nodiscard]] decision decide(std::string_view target, cache_detail::found_policy answer) const;

  /// Counts and reports `decided`. `key` is the key of the site; empty if `url` names no site.
  void report(const decision& decided, std::string_view url, std::string_view key,
              const std::shared_ptr<const call_context>& context, std::size_t agent = 0) const;

  /// If `ended` has the policy of an excluded host, counts and reports a denial, and returns true.
  bool note_exclusion(std::string_view host_or_url, std::string_view key,
                      const cache_detail::found_policy& ended, const call_options& call);

  // Each uses those before it.
  std::unique_ptr<cache_detail::cache_parts> parts_;
  std::unique_ptr<cache_detail::look_up_environment> environment_;
  std::unique_ptr<cache_detail::cache_threads> threads_;
};

/// Decides for any URL whether a crawler may fetch it now, with the reason.
///
/// Fetches the robots.txt of a site at the first call about the site. Keeps the rules that apply to
/// the crawler. Fetches the file again after the rules expire (sources: the crawler SPYDER; RFC
/// 9309, sections 2.3 and 2.4). Threads that ask for one site at the same time share one fetch. The
/// site of a URL is its origin. A host without a scheme means the https origin of the host. If the
/// https origin cannot be reached, the cache uses the http origin of the host.
///
/// With a `TieredStorage`, all processes of a crawl share answers, so that only one process fetches
/// the file of a site. If the store fails, each process fetches for itself. Circuit
/// breakers are not shared.
///
/// Any thread may call any member function. No function throws because of a network failure or bad
/// content. A look-up without a fetch takes constant time on average, plus the time of
/// `rule_set::match`. The destructor stops the background threads and waits for them.
template <Fetcher F, Clock C, Storage S, Observer O, Rulings R>
class basic_robots_cache : public any_robots_cache {
 public:
  /// Throws `std::invalid_argument` for invalid options. The message says what to change.
  explicit basic_robots_cache(cache_options options, F fetcher = {}, C clock = {}, S storage = {},
                              O observer = {}, R rulings = {})
      : basic_robots_cache(
            std::move(options),
            std::make_unique<own_parts>(std::move(fetcher), std::move(clock), std::move(storage),
                                        std::move(observer), std::move(rulings))) {}

  /// Drops the expired entries, and returns their number. Without this call, an expired entry stays
  /// until its site is looked up or another entry needs the room. Has an effect only if the storage
  /// has `remove_expired`, as `LruStorage` does. Takes linear time in the number of entries.
  std::size_t remove_expired() {
    if constexpr (requires { own_.storage.remove_expired(own_.clock.now()); }) {
      return own_.storage.remove_expired(own_.clock.now());
    } else {
      return 0;
    }
  }

  /// Returns the statistics of the cache. The counts are read one after another, so other threads
  /// can change some of them meanwhile.
  [[nodiscard]] cache_stats stats() const {
    const S& storage = own_.storage;
    cache_stats result = counted();
    result.size = storage.size();
    if constexpr (requires { storage.evictions(); }) {
      result.evictions = storage.evictions();
    }
    return result;
  }

  /// Returns the octets of memory that the rules use, or an empty optional if the storage does not
  /// count the octets.
  [[nodiscard]] std::optional<std::size_t> memory_bytes() const {
    const S& storage = own_.storage;
    if constexpr (requires { storage.memory_bytes(); }) {
      return storage.memory_bytes();
    } else {
      return std::nullopt;
    }
  }

  /// Returns the clock of the cache.
  [[nodiscard]] C& clock() noexcept { return own_.clock; }

  /// Returns the rulings of the cache, for operators: `cache.rulings().halt("example.com")`. An
  /// observer must not give orders while it handles an event about an order, such as `halt_event`.
  [[nodiscard]] R& rulings() noexcept { return own_.rulings; }

 private:
  using own_parts = cache_detail::own_parts<F, C, S, O, R>;

  basic_robots_cache(cache_options&& options, std::unique_ptr<own_parts> parts)
      : any_robots_cache(std::move(options), std::move(parts)),
        own_(static_cast<own_parts&>(this->parts())) {
    if constexpr (detail::ObserverOf<O, drop_event> && requires { own_.storage.on_drop({}); }) {
      own_.storage.on_drop([&own = own_](std::string_view key, bool expired) {
        own.tell(drop_event{own.about(key), expired});
      });
    }
  }

  own_parts& own_;
};

/// Deduces nothing that the constructor does not, but checks each part: see `checked_parts`.
template <class... Parts>
basic_robots_cache(cache_options, Parts...)
    -> basic_robots_cache<typename cache_detail::checked_parts<Parts...>::fetcher>;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/basic_robots_cache.bodies.hpp>
#endif
