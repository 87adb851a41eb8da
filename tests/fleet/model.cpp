// A plain reference of what must hold for several caches over one store, checked at random.
//
//   sites          change their robots.txt, redirect, fail, answer 304
//     |
//   processes      2 to 4: look-ups in the middle of each step, orders, restarts; their clocks
//     |            differ by up to 30 s, and messages of the store come up to a second late; some
//     |            compress what they publish, as RedisStore and SqliteStore do
//   store          fails, recovers, loses its data, and the messages that it has not yet sent
//
// All steps run in one thread, in an order that the seed decides. A look-up can stand still between
// two of its steps while anything else happens. Each answer of a site states a number, which grows
// with each change of the site. So the test knows from which answer a decision comes.
//
// The invariants:
//
// 1. No process allows what a newer answer denies. After an `invalidate`, a `refresh` or a
//    `report_response`, this holds at once in the process that called it. It holds in the other
//    processes as soon as the store has the order and its messages have arrived.
// 2. No process goes back to an older answer than it has used.
// 3. After a `refresh` of a site that redirects, the answer of the target is new, too, except for
//    the limit of one such request in `cache_options::min_ttl`.
// 4. Each call ends after a bounded number of steps.
// 5. While the store works, a site gets at most one request in the lifetime of its answer, except
//    for the orders above, for leases that have expired, and for a process that has an answer
//    that it has not published yet, or that has a later date than the answer of the store.
//
// The exceptions from the first two invariants:
//
// - `fallback_policy::permissive` allows after failures, and an override allows. The model uses
//   neither. `cache_options::stale_while_revalidate` is 0 here.
// - If a site redirects to a failing site, the last good copy from before the redirect can answer.
//   But this copy must not be older than the last `invalidate`.
// - A fresh copy that nobody ordered to be renewed answers until its lifetime ends.
// - A process that cannot get a lease, or loses it, or cannot publish, fetches for itself and does
//   not share the answer. Another process can share an older answer until the store has an order.
// - Not modelled: a storage that drops an entry between the end of its fetch and its publication,
//   which is the next call to the store. Then the older record of the store can answer until the
//   publication has ended. So `forget` publishes first.
//
// ROBOTS_MODEL_STEPS=100000000 and ROBOTS_MODEL_SEED=1 in the environment choose the steps and the
// first seed. A failure prints its seed.
#include <robots/adapters/detail/stored_value.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/site_look_up.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/cache/detail/store_side.hpp>
#include <robots/cache/detail/store_work.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_detail::look_up_step;
using robots::cache_detail::site_look_up;
using robots::cache_detail::site_work;
using robots::cache_detail::store_side;
using robots::cache_detail::store_work;
using robots::cache_detail::store_work_of;
using robots::cache_detail::work_step;

namespace {

using memory_store = robots::MemoryStore<robots::ManualClock>;

constexpr std::size_t hosts = 4;
constexpr std::size_t origins = 2 * hosts;  // first the https origins, then the http origins
constexpr int number_offset = 100'000;      // so that the lifetime of each answer is the longest

enum class file : std::uint8_t { open, guarded, hostile, missing, forbidden, moved };
constexpr std::size_t files = 6;

[[nodiscard]] std::string origin_of(std::size_t origin) {
  return (origin < hosts ? "https://site-" : "http://site-") + std::to_string(origin % hosts) +
         ".example";
}

/// Returns the number of the origin of a URL.
[[nodiscard]] std::size_t number_of(std::string_view url) {
  const bool is_plain = url.starts_with("http://");
  return static_cast<std::size_t>(url.at(url.find('-') + 1) - '0') + (is_plain ? hosts : 0);
}

/// Returns a robots.txt with one rule, which is long enough to be compressed.
[[nodiscard]] std::string long_file(std::string_view rule) {
  return "User-agent: *\n" + std::string{rule} + "\n# " + std::string(300, 'x') + '\n';
}

/// Returns the origins whose rules an order for a name is about.
[[nodiscard]] std::vector<std::size_t> origins_of(std::string_view name) {
  const std::size_t found = number_of(name);
  return name.starts_with("http") ? std::vector{found} : std::vector{found, found + hosts};
}

/// One state of a site. Its number is its index in `site_history::states`.
struct site_state {
  file has = file::guarded;
  std::size_t target = 0;  // the origin to which `file::moved` redirects
};

struct site_history {
  std::vector<site_state> states{{}};
  bool fails = false;

  [[nodiscard]] std::size_t newest() const { return states.size() - 1; }
};

/// A clock that shows the time of all, and a date that is a little ahead or behind.
struct SkewedClock : robots::ManualClock {
  SkewedClock(const robots::ManualClock& all, std::chrono::seconds its_skew)
      : ManualClock(all), skew(its_skew) {}
  [[nodiscard]] robots::wall_time wall_now() const noexcept {
    return ManualClock::wall_now() + skew;
  }
  std::chrono::seconds skew;
};

/// The contents of the store that all processes share: the answers, and the leases that have
/// neither expired nor been taken or erased.
struct shared_facts {
  struct held {
    std::string token;
    robots::time_point since;
    robots::time_point until;
  };

  [[nodiscard]] bool holds(const robots::store_lease& lease) const {
    const auto found = leases.find(lease.key);
    return found != leases.end() && found->second.token == lease.token &&
           clock.now() < found->second.until;
  }
  /// Returns true if no time has passed since a process got a lease that it still holds.
  [[nodiscard]] bool is_new(const robots::store_lease& lease) const {
    return holds(lease) && leases.find(lease.key)->second.since == clock.now();
  }

  robots::ManualClock clock;
  std::map<std::string, held, std::less<>> leases{};
  // Until this time, the store has an answer of the origin for all. Orders end this time.
  std::array<robots::time_point, origins> usable_until{};
};

/// The connection of one process to the store. Messages wait until `deliver`. All processes read
/// compressed values, and some write them.
struct LateStore : memory_store {
  LateStore(const memory_store& store, shared_facts& all_facts)
      : memory_store(store), facts(&all_facts) {}

  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    memory_store::publish(key, robots::adapters_detail::stored_value(value, compresses), lifetime);
  }
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const robots::store_lease& lease) override {
    return memory_store::publish(key, robots::adapters_detail::stored_value(value, compresses),
                                 lifetime, lease);
  }

  [[nodiscard]] std::vector<robots::store_reply> load_or_lease(
      std::span<const robots::store_question> questions,
      std::chrono::milliseconds duration) override {
    auto replies = memory_store::load_or_lease(questions, duration);
    for (robots::store_reply& reply : replies) {
      for (std::optional<std::string>* const value : {&reply.value, &reply.other_value}) {
        if (*value) {
          *value = robots::adapters_detail::original_value(*std::exchange(*value, {}), 1'000'000);
        }
      }
      if (reply.lease) {
        const robots::time_point now = facts->clock.now();
        facts->leases[reply.lease->key] = {reply.lease->token, now, now + duration};
      }
    }
    return replies;
  }
  void erase(std::string_view key) override {
    memory_store::erase(key);
    facts->leases.erase(std::string{key});
    for (const std::size_t origin : origins_of(key)) {
      facts->usable_until[origin] = {};
    }
  }

  void watch(std::function<void(std::string_view)> on_change) override {
    listener = std::move(on_change);
    memory_store::watch(listener ? [this](std::string_view key) { inbox.emplace_back(key); }
                                 : std::function<void(std::string_view)>{});
  }
  void deliver() {
    for (const std::string& key : std::exchange(inbox, {})) {
      listener(key);
    }
  }

  shared_facts* facts;
  bool compresses = false;
  std::function<void(std::string_view)> listener;
  std::vector<std::string> inbox;
};

/// A response on its way, with the number of the answer.
struct sent_response {
  robots::fetch_response response;
  std::size_t origin = 0;
  std::optional<std::size_t> number{};  // empty for a failure
};

/// Work on a site that no look-up does now.
struct left_work {
  std::shared_ptr<site_work> work;
  std::optional<sent_response> sent{};
};

/// For each origin, the number of the oldest answer that may be used.
struct numbers {
  std::array<std::size_t, origins> any{};        // newer answers are known
  std::array<std::size_t, origins> last_good{};  // older answers were erased by an `invalidate`

  void raise(const numbers& other) {
    for (std::size_t origin = 0; origin < origins; ++origin) {
      any[origin] = std::max(any[origin], other.any[origin]);
      last_good[origin] = std::max(last_good[origin], other.last_good[origin]);
    }
  }
};

/// For each origin, the number of the newest answer that a process has got or used. If a process
/// does not share an answer, all processes forget these numbers, and `contests` grows.
struct seen_answers {
  std::array<std::size_t, origins> newest{};
  std::array<std::uint64_t, origins> contests{};
};

/// A look-up in the middle of its steps.
struct task {
  task(robots::cache_detail::look_up_environment& cache, std::string host_or_url, bool renews,
       const numbers& at_start)
      : look(cache, robots::cache_detail::keys_of(host_or_url), {.refreshes = renews}),
        text(std::move(host_or_url)),
        least(at_start) {}

  site_look_up look;
  std::string text;
  numbers least;      // the oldest answers that the call may use
  seen_answers seen;  // by the process, before the call
  numbers
      reached;  // the same as `least` by the orders of other processes, if the store can be asked
  bool can_ask_store = false;
  std::uint64_t store_failures = 0;           // before the call
  std::array<std::size_t, origins> newest{};  // for a refresh: the newest answers at its start
  std::optional<sent_response> sent{};
  int steps = 0;
};

struct process {
  process(std::chrono::seconds skew, const memory_store& store, shared_facts& facts,
          robots::cache_options options)
      : parts({}, SkewedClock{facts.clock, skew}, storage{LateStore{store, facts}}, {}),
        cache(std::move(options), parts) {
    side().store().watch([this](std::string_view key) { side().on_message(key); }, [] {});
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process() { side().store().unwatch(); }

  [[nodiscard]] store_side& side() { return dynamic_cast<store_side&>(*cache.far_tier); }

  using storage = robots::TieredStorage<robots::LruStorage<64>, LateStore>;
  robots::cache_detail::own_parts<robots::ScriptedFetcher, SkewedClock, storage,
                                  robots::NullObserver>
      parts;
  LateStore& connection = parts.storage.shared();
  robots::cache_detail::look_up_environment cache;
  std::list<left_work> works{};
  std::list<task> tasks{};
};

class model {
 public:
  explicit model(std::uint64_t its_seed)
      : seed_(its_seed), random_(its_seed), strict_(pick(2) == 0), processes_(2 + pick(3)) {
    store_.on_call([this](std::string_view) {
      if (!is_up_ || std::exchange(fails_once_, false)) {
        ++store_failures_;
        facts_.usable_until = {};
        throw robots::store_error{"it is down"};
      }
    });
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      start(i);
    }
  }

  void run(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      step_ = i;
      step();
    }
  }

 private:
  [[nodiscard]] std::size_t pick(std::size_t count) { return random_() % count; }
  [[nodiscard]] bool in(std::size_t one_of) { return pick(one_of) == 0; }

  void log(std::string line) {
    if (is_logging) {
      line += " @" + std::to_string((clock_.now() - start_) / 1s);
      lines_.push_back(std::move(line));
      if (lines_.size() > 600) {
        lines_.pop_front();
      }
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    std::string text =
        "seed " + std::to_string(seed_) + ", step " + std::to_string(step_) + ": " + why;
    for (const std::string& line : lines_) {
      text += "\n  " + line;
    }
    throw std::logic_error{text};
  }

  void start(std::size_t number) {
    processes_[number].reset();
    const std::chrono::seconds skew{static_cast<int>(pick(61)) - 30};
    robots::cache_options options{
        .user_agent = "FooBot/1.0",
        .fallback = strict_ ? robots::detail::any_fallback_policy{robots::fallback_policy::strict()}
                            : robots::fallback_policy::rfc9309(),
        .seed = 1};
    options.retry.attempts = 1;
    options.breaker.failures = 0;
    processes_[number] = std::make_unique<process>(skew, store_, facts_, std::move(options));
    processes_[number]->connection.compresses = (seed_ + number) % 2 == 0;
    least_[number] = {};
    seen_[number] = {};
    reached_[number] = shared_least_;
    pending_[number] = {};
    has_pending_[number] = false;
    ordered_[number] = {};
    renewed_[number] = {};
    facts_.usable_until = {};
    log("process " + std::to_string(number) + " starts, " + std::to_string(skew.count()) +
        " s ahead");
  }

  void step() {
    const std::size_t number = pick(processes_.size());
    switch (pick(32)) {
      case 0:
      case 1:
        return change(pick(origins));
      case 2: {
        site_history& site = sites_[pick(origins)];
        site.fails = !site.fails && in(2);
        return;
      }
      case 3:
        return wait();
      case 4:
        return invalidate(number, name());
      case 5:
        return begin(number, name(), true);
      case 6:
        return report(number, name());
      case 7:
        if (in(4)) {
          log("process " + std::to_string(number) + " ends");
          return start(number);
        }
        return forget(number);
      case 8:
        return disturb_store();
      case 9:
      case 10:
      case 11:
        return catch_up(number);
      case 12:
        return deliver(number);
      case 13:
      case 14:
      case 15:
      case 16:
        return continue_some(number);
      default:
        return begin(number, name(), false);
    }
  }

  [[nodiscard]] std::string name() {
    const std::size_t host = pick(hosts);
    switch (pick(6)) {
      case 0:
        return "site-" + std::to_string(host) + ".example";
      case 1:
        return origin_of(host + hosts);
      default:
        return origin_of(host);
    }
  }

  void change(std::size_t origin) {
    site_state next{.has = static_cast<file>(pick(files))};
    const std::size_t host = origin % hosts;
    if (next.has == file::moved && host + 1 == hosts) {
      next.has = file::open;  // redirects lead to a later host, so there are no loops
    }
    if (next.has == file::moved) {
      next.target = host + 1 + pick(hosts - host - 1);
    }
    sites_[origin].states.push_back(next);
    log(origin_of(origin) + " has file " + std::to_string(static_cast<int>(next.has)) +
        ", number " + std::to_string(sites_[origin].newest()));
  }

  void wait() {
    constexpr std::array<std::chrono::seconds, 7> pauses{1s, 1s, 7s, 61s, 10min, 2h, 25h};
    const auto pause = pauses[pick(pauses.size())];
    log("wait " + std::to_string(pause.count()) + " s");
    clock_.advance(pause);
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      catch_up(i);
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      deliver(i);  // the messages of the store come within a second
    }
  }

  void disturb_store() {
    facts_.usable_until = {};
    switch (pick(8)) {
      case 0:
        log("the store fails");
        is_up_ = false;
        return;
      case 1:
        log("the store fails for a moment");
        fails_once_ = true;
        return;
      case 2:
        if (!is_up_) {
          return;
        }
        log("the store loses everything");
        store_.clear();
        facts_.leases.clear();
        return store_.lose_changes();
      case 3:
        return store_.lose_changes();
      default:
        if (!std::exchange(is_up_, true)) {
          log("the store recovers");
          store_.lose_changes();
        }
    }
  }

  /// Lets a process forget entries, as a full storage does. First, the process publishes what it
  /// has fetched. See the exceptions at the beginning of this file.
  void forget(std::size_t number) {
    process& one = *processes_[number];
    const auto publish_ended = [&](site_work* work) {
      if (work != nullptr && work->next() == work_step::publish) {
        publish(number, *work);
      }
    };
    for (const left_work& left : one.works) {
      publish_ended(left.work.get());
    }
    for (const task& other : one.tasks) {
      publish_ended(other.look.work().get());
    }
    if (in(8)) {
      one.cache.clear();
    } else {
      one.parts.erase(robots::parse_site(name())->key());
    }
  }

  void invalidate(std::size_t number, const std::string& name) {
    log("process " + std::to_string(number) + " invalidates " + name);
    processes_[number]->cache.invalidate_with_targets(*robots::parse_site(name));
    note_renewals(number, name);
    for (const std::size_t origin : origins_of(name)) {
      order(number, origin, sites_[origin].newest(), true);
    }
  }

  void report(std::size_t number, const std::string& name) {
    log("process " + std::to_string(number) + " reports a response of " + name);
    processes_[number]->cache.policies.suspect(*robots::parse_site(name), 5min);
  }

  /// Notes that an order has possibly renewed the targets of the redirects of a site. Then another
  /// refresh in the process need not renew them. `refresh` is the order if it is a refresh.
  void note_renewals(std::size_t number, const std::string& name, const task* refresh = nullptr) {
    const std::size_t host = number_of(name) % hosts;
    for (const std::size_t first : {host, host + hosts}) {  // the name of the host joins both
      for (std::size_t to = 0; to < origins; ++to) {
        if (leads(first, to, {})) {
          renewed_[number][to] = clock_.now();
          facts_.usable_until[to] = {};
          for (task& other : processes_[number]->tasks) {
            other.newest[to] = &other == refresh ? other.newest[to] : 0;
          }
        }
      }
    }
  }

  /// From now on, the process must not use an older answer, and later nor must the others.
  void order(std::size_t number, std::size_t origin, std::size_t least, bool erases) {
    contest(origin);  // until the store has the order, others can go back to what they had
    ordered_[number][origin] = contests_[origin];
    numbers now;
    now.any[origin] = least;
    now.last_good[origin] = erases ? least : 0;
    least_[number].raise(now);
    pending_[number].raise(now);
    has_pending_[number] = true;
  }

  /// From now on, the process must not use an older answer.
  void raise(std::size_t number, std::size_t origin, std::size_t used) {
    if (!is_contested_[origin]) {
      std::size_t& least = seen_[number].newest[origin];
      least = std::max(least, used);
    }
  }

  /// Notes that a process has an answer that it does not share. So the store can have an older
  /// answer. A process that has forgotten its newer answer can use the older one.
  void contest(std::size_t origin) {
    is_contested_[origin] = true;
    ++contests_[origin];
    for (seen_answers& seen : seen_) {
      seen.newest[origin] = 0;
    }
  }

  /// Lets a process do the work that nobody waits for.
  void catch_up(std::size_t number) {
    process& one = *processes_[number];
    for (auto next = one.works.begin(); next != one.works.end();) {
      next = advance(number, *next) ? std::next(next) : one.works.erase(next);
    }
    one.side().store().deliver();
    if (is_up_ && one.side().store().owed() == 0 && !has_unpublished(one)) {
      shared_least_.raise(pending_[number]);
      for (std::size_t origin = 0; origin < origins; ++origin) {
        if (std::exchange(ordered_[number][origin], 0) == contests_[origin]) {
          is_contested_[origin] = false;
        }
      }
      if (std::exchange(has_pending_[number], false)) {
        facts_.usable_until = {};
      }
      pending_[number] = {};
    }
  }

  /// Returns true if the process has an answer of a site that it has not published yet. Until then,
  /// it does not use older records of the store.
  [[nodiscard]] static bool has_unpublished(const process& one, std::size_t origin) {
    const auto is_about = [&](const site_work* work) {
      return work != nullptr && work->has_ended() && !store_work_of(*work).value().empty() &&
             number_of(work->own_flight().site_key()) % hosts == origin % hosts;
    };
    return std::any_of(one.works.begin(), one.works.end(),
                       [&](const left_work& left) { return is_about(left.work.get()); }) ||
           std::any_of(one.tasks.begin(), one.tasks.end(),
                       [&](const task& other) { return is_about(other.look.work().get()); });
  }

  [[nodiscard]] static bool has_unpublished(const process& one) {
    return std::any_of(one.works.begin(), one.works.end(),
                       [](const left_work& left) { return left.work->has_ended(); }) ||
           std::any_of(one.tasks.begin(), one.tasks.end(), [](const task& other) {
             return other.look.work() && other.look.work()->has_ended();
           });
  }

  /// Returns true while a process renews the answer of an origin and has not shared it yet.
  [[nodiscard]] bool is_renewed(std::size_t origin) const {
    const auto renews = [&](const std::shared_ptr<site_work>& work) {
      return work && store_work_of(*work).announces() &&
             number_of(work->own_flight().site_key()) % hosts == origin % hosts;
    };
    return std::any_of(processes_.begin(), processes_.end(), [&](const auto& one) {
      return std::any_of(one->works.begin(), one->works.end(),
                         [&](const left_work& left) { return renews(left.work); }) ||
             std::any_of(one->tasks.begin(), one->tasks.end(),
                         [&](const task& other) { return renews(other.look.work()); });
    });
  }

  void deliver(std::size_t number) {
    // Ten seconds pass, since few messages about one site lead to questions without a pause.
    clock_.advance(11s);
    processes_[number]->connection.deliver();
    reached_[number] = shared_least_;
  }

  /// Returns true if a process has an own answer with a later date than that of the store,
  /// as after a refresh that failed. The clock of the process can be ahead. So it asks the site.
  [[nodiscard]] bool has_later_date(std::size_t number, const site_work& work) {
    const std::string& key = work.own_flight().site_key();
    const auto own = robots::policy_detail::newest_answer(
        processes_[number]->parts.find(key, clock_.now()).policy);
    const auto value = fails_once_ ? std::nullopt : shared_value(key);
    const auto shared = value ? robots::detail::decode_site(*value).value : std::nullopt;
    return own && shared && shared->latest.fetched_at < own->last_retrieval().fetched_at;
  }

  /// Returns the value of the store, as processes read it.
  [[nodiscard]] std::optional<std::string> shared_value(std::string_view key) {
    auto stored = store_.load(key);
    return stored ? std::optional{robots::adapters_detail::original_value(*std::move(stored),
                                                                          1'000'000)}
                  : std::nullopt;
  }

  static void ask_store(process& one, site_work& work) {
    store_work& half = store_work_of(work);
    const robots::store_question question = half.question(one.parts.now());
    auto replies = one.side().store().ask({&question, 1});
    work.on_decision(half.on_reply(std::move(replies.front()), one.parts.moment()),
                     one.parts.now());
  }

  /// Does one step of the fetch of a work: sends the request, or handles the response.
  void fetch(std::size_t number, site_work& work, std::optional<sent_response>& sent) {
    const store_work& half = store_work_of(work);
    const auto* const request = std::get_if<robots::fetch_request>(&work.fetch().next());
    if (request == nullptr) {
      fail("the fetch has no request");
    }
    if (!sent) {
      const std::size_t origin = number_of(request->url);
      const bool is_ordinary = half.lease() && facts_.is_new(*half.lease()) && !half.announces() &&
                               !work.own_flight().detached && work.own_flight().asked().scheme;
      const bool is_settled =
          is_up_ && !is_renewed(origin) &&
          std::find(has_pending_.begin(), has_pending_.end(), true) == has_pending_.end();
      if (is_ordinary && is_settled && clock_.now() < facts_.usable_until[origin] &&
          !has_later_date(number, work) && !has_unpublished(*processes_[number], origin)) {
        fail("process " + std::to_string(number) + " asks " + origin_of(origin) + " again");
      }
      sent = respond(number, *request);
      return;
    }
    process& one = *processes_[number];
    const sent_response got = *std::exchange(sent, std::nullopt);
    const bool announces = half.announces();
    work.fetch().on_response(got.response, one.parts.now(), one.parts.wall());
    work.settle(one.parts.moment());
    if (got.number) {
      if (work.own_flight().detached ||
          (!announces && !(half.lease() && facts_.holds(*half.lease())))) {
        contest(got.origin);
      }
      log("process " + std::to_string(number) + " gets number " + std::to_string(*got.number) +
          " of " + origin_of(got.origin) + (announces ? ", for all" : ""));
      raise(number, got.origin, *got.number);
      if (announces && !work.own_flight().detached) {
        order(number, got.origin, *got.number, false);
      }
    }
  }

  [[nodiscard]] sent_response respond(std::size_t number, const robots::fetch_request& request) {
    const std::size_t origin = number_of(request.url);
    sent_response sent{{}, origin, {}};
    if (in(16)) {
      log("process " + std::to_string(number) + " does not reach " + request.url);
      sent.response = robots::ScriptedFetcher::failure(robots::fetch_error::connect);
      return sent;
    }
    const site_history& site = sites_[origin];
    if (site.fails) {
      log("process " + std::to_string(number) + " gets 503 of " + request.url);
      sent.response = robots::ScriptedFetcher::status(503);
      return sent;
    }
    sent.number = site.newest();
    const std::string tag = '"' + std::to_string(*sent.number) + '"';
    const std::vector<robots::http_header> headers{
        {"Cache-Control",
         "max-age=" + std::to_string(number_offset + static_cast<int>(*sent.number))},
        {"ETag", tag}};
    if (robots::detail::find_header(request.headers, "If-None-Match") == tag) {
      sent.response = robots::ScriptedFetcher::status(304, headers);
      return sent;
    }
    const site_state& now = site.states.back();
    switch (now.has) {
      case file::open:
        sent.response = robots::ScriptedFetcher::ok(long_file("Disallow:"), headers);
        break;
      case file::guarded:
        sent.response = robots::ScriptedFetcher::ok(long_file("Disallow: /private"), headers);
        break;
      case file::hostile:
        sent.response = robots::ScriptedFetcher::ok(long_file("Disallow: /"), headers);
        break;
      case file::missing:
        sent.response = robots::ScriptedFetcher::status(404, headers);
        break;
      case file::forbidden:
        sent.response = robots::ScriptedFetcher::status(403, headers);
        break;
      case file::moved:
        sent.response =
            robots::ScriptedFetcher::redirect(301, origin_of(now.target) + "/robots.txt");
        sent.response.headers.insert(sent.response.headers.end(), headers.begin(), headers.end());
    }
    return sent;
  }

  void publish(std::size_t number, site_work& work) {
    const store_work& half = store_work_of(work);
    const std::string value = half.value();
    note_order(work.own_flight().asked(), value);
    const bool announces = half.announces();
    const std::size_t origin = number_of(work.own_flight().site_key());
    const bool is_shared = half.lease() && !value.empty() && work.own_flight().asked().scheme &&
                           is_up_ && !fails_once_ && !work.own_flight().detached;
    processes_[number]->side().publish(work);
    if (announces) {
      for (const std::size_t origin_index : origins_of(work.own_flight().site_key())) {
        facts_.usable_until[origin_index] = {};
      }
    }
    const bool can_read = is_up_ && !fails_once_;
    if (!announces && (!can_read || shared_value(work.own_flight().site_key()) != value)) {
      for (const std::size_t origin_index : origins_of(work.own_flight().site_key())) {
        contest(origin_index);
      }
    }
    if (is_shared && shared_value(work.own_flight().site_key()) == value &&
        !robots::is_failure(robots::detail::decode_site(value).value->latest.outcome)) {
      const auto age = processes_[number]->parts.wall() -
                       robots::detail::decode_site(value).value->latest.fetched_at;
      facts_.usable_until[origin] = clock_.now() + 24h - 61s -  // the clocks differ by up to 60 s
                                    std::chrono::duration_cast<std::chrono::seconds>(age);
    }
  }

  /// Notes an answer that comes too late. The names of a host have leases of their own. So a
  /// process can publish the answer of an http origin for the host after another process got a
  /// newer one.
  void note_order(const robots::site& asked, const std::string& value) {
    const auto records = robots::detail::decode_site(value).value;
    if (asked.scheme || !records || !records->latest.server_lifetime) {
      return;
    }
    const std::size_t origin = number_of(records->latest.url);
    const auto number =
        static_cast<std::size_t>(records->latest.server_lifetime->count() - number_offset);
    if (std::any_of(seen_.begin(), seen_.end(),
                    [&](const seen_answers& seen) { return seen.newest[origin] > number; })) {
      contest(origin);
    }
  }

  /// Continues a work that no look-up does. Returns false if nothing remains to be done.
  [[nodiscard]] bool advance(std::size_t number, left_work& left) {
    process& one = *processes_[number];
    site_work& work = *left.work;
    switch (work.next()) {
      case work_step::wait:
        if (store_work_of(work).next_look() <= one.parts.now()) {
          work.on_wait_over();
        }
        return true;
      case work_step::ask_store:
        ask_store(one, work);
        return true;
      case work_step::fetch:
        if (!left.sent && work.own_flight().offer(left.work)) {
          return false;
        }
        fetch(number, work, left.sent);
        return true;
      case work_step::publish:
        publish(number, work);
        return work.next() != work_step::done;
      case work_step::done:
        return false;
    }
    return false;
  }

  /// Does the next step of a look-up. Returns false if it has ended.
  [[nodiscard]] bool advance(std::size_t number, task& one_task) {
    process& one = *processes_[number];
    site_look_up& look = one_task.look;
    if (++one_task.steps > 10'000) {  // three redirects, and at each a wait for another process
      fail("the look-up of " + one_task.text + " does not end");
    }
    look.proceed();
    if (look.refreshes()) {
      note_renewals(number, one_task.text, &one_task);
    }
    for (auto& left : look.take_other_works()) {
      one.works.push_back({std::move(left)});
    }
    if (look.next() == look_up_step::answered) {
      check(number, one_task);
      return false;
    }
    if (look.work()) {
      switch (look.work()->next()) {
        case work_step::ask_store:
          ask_store(one, *look.work());
          break;
        case work_step::fetch:
          fetch(number, *look.work(), one_task.sent);
          break;
        default:
          one.works.push_back({look.pass_work_on()});
      }
    }
    return true;
  }

  void begin(std::size_t number, const std::string& name, bool refreshes) {
    log("process " + std::to_string(number) + (refreshes ? " refreshes " : " looks up ") + name);
    process& one = *processes_[number];
    one.tasks.emplace_back(one.cache, name, refreshes, least_[number]);
    const auto begun = std::prev(one.tasks.end());
    begun->reached = reached_[number];
    begun->seen = seen_[number];
    begun->seen.contests = contests_;
    begun->can_ask_store = one.side().store().is_in_use(clock_.now());
    begun->store_failures = store_failures_;
    if (refreshes) {
      for (std::size_t to = 0; to < origins; ++to) {
        // Only targets that no other order has renewed must be new.
        const bool is_due = renewed_[number][to] + 5min <= clock_.now();
        begun->newest[to] = is_due ? sites_[to].newest() : 0;
      }
      note_renewals(number, name, &*begun);
    }
    if (in(8)) {
      const std::size_t few = pick(5);  // the look-up stands still in the middle
      for (std::size_t i = 0; i < few; ++i) {
        if (!advance(number, *begun)) {
          one.tasks.erase(begun);
          return;
        }
      }
      return;
    }
    while (advance(number, *begun)) {
      if (begun->look.next() == look_up_step::wait) {
        help(number);  // the look-up waits for another one, or for another process
      }
    }
    one.tasks.erase(begun);
  }

  /// Continues everything of a process once, and lets a little time pass.
  void help(std::size_t number) {
    process& one = *processes_[number];
    clock_.advance(10ms);
    for (auto next = one.works.begin(); next != one.works.end();) {
      next = advance(number, *next) ? std::next(next) : one.works.erase(next);
    }
    for (task& other : one.tasks) {
      if (other.look.work()) {
        static_cast<void>(advance(number, other));
      }
    }
  }

  /// Continues one look-up of a process, or ends all of them.
  void continue_some(std::size_t number) {
    process& one = *processes_[number];
    const bool ends_all = one.tasks.size() > 6;
    for (auto next = one.tasks.begin(); next != one.tasks.end();) {
      bool goes_on = true;
      if (ends_all || in(2)) {
        while ((goes_on = advance(number, *next)) && ends_all) {
          if (next->look.next() == look_up_step::wait) {
            help(number);
          }
        }
      }
      next = goes_on ? std::next(next) : one.tasks.erase(next);
    }
  }

  /// Returns true if redirects lead from one origin to another, by answers that are not too old.
  [[nodiscard]] bool leads(std::size_t from, std::size_t to, const numbers& least) const {
    if (from == to) {
      return true;
    }
    const auto& states = sites_[from].states;
    for (std::size_t i = least.any[from]; i < states.size(); ++i) {
      if (states[i].has == file::moved && leads(states[i].target, to, least)) {
        return true;
      }
    }
    return false;
  }

  /// Notes the answers that a process has not published yet and cannot publish any more, or does
  /// not use any more.
  void note_lost_answers(std::size_t number) {
    const auto note = [&](const site_work* work) {
      if (work == nullptr || work->next() != work_step::publish) {
        return;
      }
      const store_work& half = store_work_of(*work);
      if (half.announces()) {
        return;
      }
      const std::string& key = work->own_flight().site_key();
      const bool is_lost = work->own_flight().detached ||
                           !(half.lease() && facts_.holds(*half.lease())) ||
                           !processes_[number]->parts.find(key, clock_.now()).policy;
      if (is_lost) {
        for (const std::size_t origin : origins_of(key)) {
          contest(origin);
        }
      }
    };
    for (const left_work& left : processes_[number]->works) {
      note(left.work.get());
    }
    for (const task& other : processes_[number]->tasks) {
      note(other.look.work().get());
    }
  }

  void check(std::size_t number, task& ended) {
    note_lost_answers(number);
    if (ended.can_ask_store && ended.store_failures == store_failures_ &&
        processes_[number]->side().store().is_in_use(clock_.now())) {
      ended.least.raise(ended.reached);
    }
    for (std::size_t origin_index = 0; origin_index < origins; ++origin_index) {
      if (ended.seen.contests[origin_index] == contests_[origin_index]) {
        ended.least.any[origin_index] =
            std::max(ended.least.any[origin_index], ended.seen.newest[origin_index]);
      }
    }
    if (!ended.look.answer().policy) {
      fail("no answer");
    }
    const robots::policy& got = *ended.look.answer().policy;
    const bool is_open = got.allows("/private/x");
    const bool is_allowed = got.allows("/");
    if (!is_allowed && !is_open) {
      return;
    }
    const robots::record_head source = got.rules_source();
    const std::size_t origin = number_of(source.final_url);
    if (!source.server_lifetime) {
      fail("allowed without an answer: " + ended.text);
    }
    const auto used = static_cast<std::size_t>(source.server_lifetime->count() - number_offset);
    const std::string text = "process " + std::to_string(number) + " uses number " +
                             std::to_string(used) + " of " + origin_of(origin) + " for " +
                             ended.text;
    log(text);
    if (used > sites_[origin].newest()) {
      fail(text + ", which does not exist");
    }
    const file has = sites_[origin].states[used].has;
    const bool may_all =
        has == file::open || has == file::missing || (has == file::forbidden && !strict_);
    if ((is_open && !may_all) || (is_allowed && !may_all && has != file::guarded)) {
      fail(text + ", which denies");
    }
    // A site that redirects to a failing site can fall back to its file before the redirect.
    const auto& states = sites_[origin].states;
    const bool is_before_redirect =
        got.basis() == robots::policy_basis::last_good &&
        std::any_of(states.begin() + static_cast<std::ptrdiff_t>(used), states.end(),
                    [](const site_state& later) { return later.has == file::moved; });
    const std::size_t least =
        is_before_redirect ? ended.least.last_good[origin] : ended.least.any[origin];
    if (ended.look.refreshes() && got.basis() == robots::policy_basis::rules &&
        used < ended.newest[origin]) {
      fail(text + ", but a refresh must find number " + std::to_string(ended.newest[origin]));
    }
    if (used < least) {
      fail(text + ", but must use number " + std::to_string(least) + " or newer");
    }
    const auto firsts = origins_of(ended.text);
    if (std::none_of(firsts.begin(), firsts.end(),
                     [&](std::size_t first) { return leads(first, origin, ended.least); })) {
      fail(text + ", but no redirect leads there");
    }
    if (!is_before_redirect && ended.seen.contests[origin] == contests_[origin]) {
      raise(number, origin, used);
    }
  }

  const std::uint64_t seed_;
  std::mt19937_64 random_;
  const bool strict_;
  robots::ManualClock clock_;
  const robots::time_point start_ = clock_.now();
  memory_store store_{clock_};
  shared_facts facts_{clock_};
  bool is_up_ = true;
  std::array<site_history, origins> sites_{};
  std::array<numbers, 4> least_{};    // what each process may use
  std::array<numbers, 4> pending_{};  // what the others may use, once the store has the orders
  std::array<seen_answers, 4> seen_{};
  std::array<bool, origins> is_contested_{};  // a process has an answer that it has not shared
  std::array<std::uint64_t, origins> contests_{};
  // The value of `contests_` at the last order of each process that the store does not have yet.
  std::array<std::array<std::uint64_t, origins>, 4> ordered_{};
  numbers shared_least_{};  // what all may use, once the messages have arrived
  std::vector<std::unique_ptr<process>> processes_;
  std::array<numbers, 4> reached_{};  // what each process may use by the orders of the others
  std::array<bool, 4> has_pending_{};
  std::array<std::array<robots::time_point, origins>, 4> renewed_{};
  bool fails_once_ = false;
  std::uint64_t store_failures_ = 0;
  std::uint64_t step_ = 0;
  std::deque<std::string> lines_{};

 public:
  bool is_logging = false;
};

[[nodiscard]] std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void run_from(std::uint64_t first, std::uint64_t steps) {
  constexpr std::uint64_t steps_of_one = 2'000;
  for (std::uint64_t done = 0, seed = first; done < steps; done += steps_of_one, ++seed) {
    try {
      model{seed}.run(steps_of_one);
    } catch (const std::logic_error&) {
      model again{seed};
      again.is_logging = true;
      try {
        again.run(steps_of_one);
      } catch (const std::logic_error& why) {
        FAIL(std::string{why.what()});
      }
    }
  }
}

}  // namespace

TEST_CASE("No process of a fleet goes back behind the newest answer of a site") {
  run_from(number_from_environment("ROBOTS_MODEL_SEED", 1),
           number_from_environment("ROBOTS_MODEL_STEPS", ROBOTS_MODEL_STEPS));
}

TEST_CASE("A fleet whose clocks differ does not go back behind an answer of the same minute") {
  // In each of these, two processes date answers of one site within a minute, or a second.
  for (const std::uint64_t seed : {3'558U, 25'815U, 72'631U, 213'979U, 219'874U}) {
    run_from(seed, 1);
  }
}
