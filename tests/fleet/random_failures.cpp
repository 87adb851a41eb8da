// Three caches share one store while sites, the store, the network and operators change at random.
// The test knows every answer of each site and its time, and checks every decision and request
// against that. A failure prints the seed and the last operations, to repeat it.
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/decision.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::decision_reason;
using robots::fallback_policy;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::LruStorage;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::time_point;

namespace {

using memory_store = robots::MemoryStore<ManualClock>;
using tiered = robots::TieredStorage<LruStorage<64>, memory_store>;
using shared_cache = robots::basic_robots_cache<ScriptedFetcher, ManualClock, tiered,
                                                robots::NullObserver, robots::SiteRulings>;

constexpr std::size_t processes = 3;
constexpr std::size_t sites = 6;
constexpr std::size_t short_limit = 2'000;  // the octets of a file that the last process reads
constexpr auto fresh_for = 24h;             // the longest lifetime of a policy
constexpr auto last_good_for = 24h * 30;    // the longest lifetime of a last good copy

enum class answer { open, guarded, hostile, missing, forbidden, failing, page, long_file, moved };

constexpr int answers = 9;

[[nodiscard]] std::string name_of(std::size_t site) {
  return "https://site-" + std::to_string(site) + ".example";
}

[[nodiscard]] std::size_t site_of(std::string_view url) {
  const std::string_view start = "site-";
  return static_cast<std::size_t>(url.at(url.find(start) + start.size()) - '0');
}

/// Returns the target of the redirect in `answer::moved`. Redirects can form chains, or a loop of
/// all sites.
[[nodiscard]] std::size_t next_site(std::size_t site) { return (site + 1) % sites; }

[[nodiscard]] fetch_response respond(std::size_t site, answer said) {
  switch (said) {
    case answer::open:
      return ScriptedFetcher::ok("User-agent: *\nDisallow:\n");
    case answer::guarded:
      return ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n");
    case answer::hostile:
      return ScriptedFetcher::ok("User-agent: *\nDisallow: /\n");
    case answer::missing:
      return ScriptedFetcher::status(404);
    case answer::forbidden:
      return ScriptedFetcher::status(403);
    case answer::failing:
      return ScriptedFetcher::status(503);
    case answer::page:
      return ScriptedFetcher::ok("<!DOCTYPE html><html><body>Hello</body></html>\n",
                                 {{"Content-Type", "text/html"}});
    case answer::long_file:
      return ScriptedFetcher::ok("User-agent: *\n" + std::string(2 * short_limit, '#') +
                                 "\nDisallow: /private\n");
    case answer::moved:
      return ScriptedFetcher::redirect(301, name_of(next_site(site)) + "/robots.txt");
  }
  return {};
}

/// One span of time in which a site gave the same answer.
struct span {
  answer said;
  time_point begin;
  time_point end = time_point::max();
};

struct asked {
  std::size_t process;
  std::size_t site;
  std::size_t operation;
  time_point when;
  answer said;
};

/// Runs random operations, and checks every decision and request.
class simulation {
 public:
  simulation(std::uint64_t seed, bool strict) : random_(seed), strict_(strict) {
    for (std::size_t site = 0; site < sites; ++site) {
      history_[site].push_back({answer::guarded, clock_.now()});
      forgotten_[site].fill(time_point::min());
    }
    for (std::size_t process = 0; process < processes; ++process) {
      webs_[process].otherwise_call(
          [this, process](const fetch_request& request) { return serve(process, request); });
      start(process);
    }
  }

  void run(int operations) {
    for (int i = 0; i < operations; ++i) {
      {
        const std::scoped_lock lock{mutex_};
        ++operation_;
      }
      step();
    }
  }

 private:
  [[nodiscard]] std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>{0, count - 1}(random_);
  }

  /// Runs a call of a cache. The call can wait for the lease of another process. Then only the
  /// clock ends the wait.
  template <class Call>
  auto within_time(const Call& call) {
    auto result = std::async(std::launch::async, call);
    while (result.wait_for(2s) != std::future_status::ready) {
      clock_.advance(50ms);
    }
    return result.get();
  }

  void log(std::string line) {
    lines_.push_back(std::move(line));
    if (lines_.size() > 60) {
      lines_.pop_front();
    }
  }

  /// Returns the last operations, oldest first.
  [[nodiscard]] std::string recent() const {
    std::string text;
    for (const std::string& line : lines_) {
      text += "\n  " + line;
    }
    return text;
  }

  /// Returns the answers of a site, and the time at which this process had to forget the site.
  [[nodiscard]] std::string history_of(std::size_t process, std::size_t site) const {
    std::string text = name_of(site) + " gave these answers, until N seconds ago:";
    for (const span& one : history_[site]) {
      const auto ago = one.end == time_point::max() ? 0s : (clock_.now() - one.end) / 1s * 1s;
      text += " " + std::to_string(static_cast<int>(one.said)) + " until " +
              std::to_string(ago.count());
    }
    if (forgotten_[site][process] != time_point::min()) {
      text += ", forgotten " + std::to_string((clock_.now() - forgotten_[site][process]) / 1s);
    }
    return text;
  }

  void start(std::size_t process) {
    cache_options options{
        .user_agent = "FooBot/1.0 (+https://foo.example/bot)",
        .fallback = strict_ ? robots::detail::any_fallback_policy{fallback_policy::strict()}
                            : fallback_policy::rfc9309()};
    options.seed = 1;
    if (process + 1 == processes) {
      options.parse.max_bytes = short_limit;
    }
    overrides_[process].fill(robots::site_override::none);
    for (std::size_t site = 0; site < sites; ++site) {
      is_known_[site] = is_known_[site] && process != operator_of(site);
    }
    caches_[process].reset();
    halts_[process].fill(false);
    if (!store_is_up_) {
      for (auto& of_site : forgotten_) {
        of_site[process] = time_point::min();  // invalidations that the store did not get are lost
      }
    }
    for (std::size_t site = 0; site < sites; ++site) {
      if (std::exchange(late_[process][site], false)) {
        disturb(site);
      }
    }
    robots::SiteRulings rulings{
        {.ledger = std::make_shared<robots::MemoryRulingLedger>(ledger_), .poll = 0ms}};
    // A process that learns the end of a halt or a quarantine asks the site again.
    endings_[process] = rulings.on_order([this, process](const robots::ruling_order& order) {
      const std::size_t ruled = site_of(order.site);
      if (!order.is_in_force()) {
        disturb(ruled);
      }
      const std::scoped_lock lock{mutex_};
      last_order_[process][ruled] = clock_.now();
    });
    last_order_[process].fill(std::nullopt);
    caches_[process] = std::make_unique<shared_cache>(std::move(options), webs_[process], clock_,
                                                      tiered{LruStorage<64>{}, store_},
                                                      robots::NullObserver{}, std::move(rulings));
  }

  /// Answers a request as the site does, and stores the request.
  [[nodiscard]] fetch_response serve(std::size_t process, const fetch_request& request) {
    const std::scoped_lock lock{mutex_};
    const std::size_t site = site_of(request.url);
    if (is_slow_) {
      clock_.advance(200ms);
    }
    if (offline_[process]) {
      return ScriptedFetcher::failure(fetch_error::resolve);
    }
    const answer said = history_[site].back().said;
    if (halts_[process][site]) {
      broke_halt_ = true;
    }
    requests_.push_back({process, site, operation_, clock_.now(), said});
    return respond(site, said);
  }

  void step() {
    const std::size_t process = pick(processes);
    const std::size_t site = pick(sites);
    switch (pick(24)) {
      case 0:
      case 1:
        return change(site, static_cast<answer>(pick(answers)));
      case 2:
      case 3: {
        constexpr std::array<std::chrono::seconds, 6> pauses{1s, 60s, 10min, 2h, 13h, 25h};
        const auto pause = pauses[pick(pauses.size())];
        log("wait " + std::to_string(pause.count()) + " s");
        return clock_.advance(pause);
      }
      case 4:
        log("process " + std::to_string(process) + " invalidates " + name_of(site));
        forget(process, site);
        caches_[process]->invalidate(name_of(site));
        return settle(process, site);
      case 5:
        log("process " + std::to_string(process) + " refreshes " + name_of(site));
        note_change_by(process, site);
        within_time([&] { return caches_[process]->refresh(name_of(site)); });
        return;
      case 6:
        return disturb_store();
      case 7:
        log("process " + std::to_string(process) + " starts again");
        restarted_[process] = operation_;
        return start(process);
      case 8:
        return rule(site);
      case 9:
        return hurry(process, site);
      case 10:
        offline_[process] = !offline_[process];
        log("process " + std::to_string(process) + (offline_[process] ? " loses" : " regains") +
            " its network");
        if (offline_[process]) {
          outages_[process].push_back({clock_.now(), time_point::max()});
        } else {
          outages_[process].back().second = clock_.now();
        }
        return;
      default:
        return check(process, site, pick(2) == 0 ? "/private/x" : "/");
    }
  }

  /// Returns the process whose operator rules on a site. The other processes learn of it later.
  [[nodiscard]] static std::size_t operator_of(std::size_t site) { return site % processes; }

  /// Makes or lifts a ruling on a site.
  void rule(std::size_t site) {
    const std::size_t process = operator_of(site);
    was_ruled_on_[site] = is_known_[site] = true;
    shared_cache& cache = *caches_[process];
    const std::string text = "process " + std::to_string(process) + " sets ruling ";
    const auto choice = static_cast<int>(pick(5));
    log(text + std::to_string(choice) + " for " + name_of(site));
    switch (choice) {
      case 0:
        overrides_[process][site] = robots::site_override::allow;
        cache.rulings().override_with(name_of(site), robots::site_override::allow);
        return;
      case 1:
        overrides_[process][site] = robots::site_override::deny;
        cache.rulings().override_with(name_of(site), robots::site_override::deny);
        return;
      case 2:
        set_halt(process, site, true);
        cache.rulings().halt(name_of(site));
        return;
      default:
        overrides_[process][site] = robots::site_override::none;
        set_halt(process, site, false);
        cache.rulings().end_override(name_of(site));
        cache.rulings().end_quarantine(name_of(site));
        cache.rulings().resume(name_of(site));
    }
  }

  /// Waits until the store has received the invalidations of a process. Notes if it does not.
  void settle(std::size_t process, std::size_t site) {
    for (int i = 0; store_is_up_ && i < 1'000; ++i) {
      if (caches_[process]->stats().pending_invalidations == 0) {
        return;
      }
      std::this_thread::sleep_for(1ms);
    }
    late_[process][site] = true;
  }

  void set_halt(std::size_t process, std::size_t site, bool halted) {
    const std::scoped_lock lock{mutex_};
    halts_[process][site] = halted;
  }

  /// Makes three calls with less time than the slow site takes, then a call that waits.
  void hurry(std::size_t process, std::size_t site) {
    is_slow_ = true;
    disturb(site);  // the clock can advance before a thread of the cache publishes
    for (int call = 0; call < 3; ++call) {
      const decision answer = within_time([&] {
        return caches_[process]->check(name_of(site) + "/private/x",
                                       {.deadline = clock_.now() + 50ms});
      });
      log("process " + std::to_string(process) + " hurries " + name_of(site) + ": " +
          robots::explain(answer));
    }
    check(process, site, "/private/x");
    is_slow_ = false;
  }

  void change(std::size_t site, answer said) {
    log(name_of(site) + " says " + std::to_string(static_cast<int>(said)));
    const std::scoped_lock lock{mutex_};
    history_[site].back().end = clock_.now();
    history_[site].push_back({said, clock_.now()});
  }

  /// From now on, this process must not use earlier answers of the site.
  void forget(std::size_t process, std::size_t site) {
    forgotten_[site][process] = clock_.now();
    note_change_by(process, site);
  }

  /// Notes that a process asks the others to forget a site. Without the store, they learn it later.
  void note_change_by(std::size_t process, std::size_t site) {
    disturb(site);
    if (!store_is_up_) {
      late_[process][site] = true;
    }
  }

  /// Permits new requests for all sites, since redirects can connect them with this site.
  void disturb(std::size_t site) {
    const std::scoped_lock lock{mutex_};
    for (std::size_t from = site, hops = 0; hops < sites; from = next_site(from), ++hops) {
      disturbed_[from] = operation_;
    }
  }

  void disturb_store() {
    store_disturbed_ = operation_;
    switch (pick(4)) {
      case 0:
        log("the store fails");
        store_is_up_ = false;
        return store_.fail("it is down");
      case 1:
        log("the store recovers");
        store_is_up_ = true;
        store_.recover();
        clock_.advance(10s);  // until every process uses the store again
        return store_.lose_changes();
      case 2:
        log("the store loses everything");
        store_.clear();
        return store_.lose_changes();
      default:
        log("the store floods");
        for (int i = 0; i < 50; ++i) {
          store_.lose_changes();
        }
    }
  }

  /// A decision that is to be explained by answers of sites.
  struct claim {
    std::size_t process;
    bool allowed;
    bool is_private;
    time_point oldest;       // answers that ended before this time are too old
    time_point oldest_good;  // like `oldest`, for a last good copy
    bool is_good = false;    // true if the decision depends on a last good copy
    bool is_file = false;    // true if only a robots.txt can explain the decision
    // True if the decision is said to obey the last good copy, since the newest answer is a page.
    bool is_challenged = false;
  };

  /// Returns true if an answer of the site, or of its target, explains the decision. `path` has the
  /// sites that redirect to the site, in order.
  [[nodiscard]] bool possible(std::size_t site, const claim& answer,
                              std::vector<std::size_t> path = {}) const {
    path.push_back(site);
    if (path.size() > 6) {
      // More than five redirects count as 'unavailable'.
      return !answer.is_file && answer.allowed != strict_;
    }
    // A site that redirects still uses the answer of its target after the target was invalidated.
    const time_point from =
        path.size() > 1 ? answer.oldest : std::max(answer.oldest, forgotten_[site][answer.process]);
    return std::any_of(history_[site].begin(), history_[site].end(), [&](const span& one) {
      if (one.end < from) {
        return false;
      }
      if (answer.is_challenged && one.said != answer::page && one.said != answer::moved) {
        return false;
      }
      switch (one.said) {
        case answer::open:
          return answer.allowed;
        case answer::missing:
          return !answer.is_file && answer.allowed;
        case answer::guarded:
          return answer.allowed != answer.is_private;
        case answer::hostile:
          return !answer.allowed;
        case answer::long_file:
          // The last process does not read as far as the rule.
          return answer.allowed || answer.is_private;
        case answer::page:
          // Where a robots.txt was known, a page is `outcome::challenged`: the robots.txt decides.
          // It can permit or deny, by either fallback policy.
          if (answer.is_challenged) {
            return std::any_of(path.begin(), path.end(), [&](std::size_t candidate) {
              return possible_good(candidate, answer);
            });
          }
          return !answer.is_file && answer.allowed != strict_;
        case answer::forbidden:
          return !answer.is_file && answer.allowed != strict_;
        case answer::failing:
          return (!answer.is_file && !answer.allowed) ||
                 (!answer.is_good &&
                  std::any_of(path.begin(), path.end(), [&](std::size_t candidate) {
                    return possible_good(candidate, answer);
                  }));
        case answer::moved:
          return possible(next_site(site), answer, path);
      }
      return false;
    });
  }

  /// Returns true if a last good copy of the site, or of its target, explains the decision.
  [[nodiscard]] bool possible_good(std::size_t site, const claim& answer) const {
    const time_point known = std::max(answer.oldest_good, forgotten_[site][answer.process]);
    return possible(site, {answer.process, answer.allowed, answer.is_private, known, known, true,
                           answer.is_challenged});
  }

  /// Returns true if the process had no network at some time within `window` before now.
  [[nodiscard]] bool had_outage(std::size_t process, std::chrono::seconds window) {
    return std::any_of(outages_[process].begin(), outages_[process].end(),
                       [&](const auto& one) { return one.second >= clock_.now() - window; });
  }

  /// Returns true if the site can redirect to a site that this process must not ask, or could not
  /// ask while the answer about the redirect was new.
  [[nodiscard]] bool may_lead_to_ruled(std::size_t process, std::size_t site) {
    constexpr auto longest_failure = 2h;
    const std::scoped_lock lock{mutex_};
    for (std::size_t hops = 0; hops < sites; ++hops) {
      const bool has_moved = std::ranges::any_of(history_[site], [&](const span& one) {
        return one.said == answer::moved && one.end >= clock_.now() - last_good_for - 1h;
      });
      if (!has_moved) {
        return false;
      }
      site = next_site(site);
      const auto& ruled_at = last_order_[process][site];
      if (!caches_[process]->rulings().find(name_of(site)).may_ask() ||
          (ruled_at && *ruled_at >= clock_.now() - longest_failure)) {
        return true;
      }
    }
    return false;
  }

  void check(std::size_t process, std::size_t site, std::string_view path) {
    const std::size_t before = count_requests();
    if (pick(2) == 0) {
      CHECK(caches_[process]->rulings().catch_up());
    }
    const decision answer =
        within_time([&] { return caches_[process]->check(name_of(site) + std::string{path}); });
    const std::string text = "process " + std::to_string(process) + " checks " + name_of(site) +
                             std::string{path} + ": " + robots::explain(answer) + ", " +
                             std::to_string(count_requests() - before) + " requests";
    log(text);
    INFO(recent());
    INFO(history_of(process, site));
    INFO(history_of(process, next_site(site)));
    CHECK_FALSE(broke_halt_.exchange(false));
    check_requests();
    if (halts_[process][site]) {
      CHECK(answer.reason == decision_reason::halted);
      CHECK_FALSE(answer.allowed);
      return;
    }
    if (answer.reason == decision_reason::halted) {
      // The site has turned hostile, or an operator has halted it or the site that it redirects to.
      CHECK((strict_ || std::ranges::find(was_ruled_on_, true) != was_ruled_on_.end()));
      return;
    }
    if (overrides_[process][site] != robots::site_override::none) {
      CHECK(answer.reason == decision_reason::by_hand);
      CHECK(answer.allowed == (overrides_[process][site] == robots::site_override::allow));
      return;
    }
    if (answer.reason == decision_reason::by_hand) {
      CHECK(was_ruled_on_[site]);
      CHECK_FALSE((is_known_[site] && process == operator_of(site)));  // this process lifted it
      return;
    }
    if (!answer.allowed && may_lead_to_ruled(process, site)) {
      return;
    }
    if (answer.policy->last_retrieval().outcome == robots::outcome::circuit_open) {
      return;  // the site has just failed
    }
    const bool is_private = path != "/";
    const time_point from = clock_.now() - fresh_for - 1min;
    const time_point good_from = clock_.now() - last_good_for - 1h;
    // A process without a network uses its last good copy, or the fallback.
    const bool own_failure = had_outage(process, 2h);
    if (own_failure) {
      CHECK((!answer.allowed ||
             possible(site, {process, true, is_private, good_from, good_from, true})));
    } else {
      const bool is_challenged =
          answer.policy->basis() == robots::policy_basis::last_good &&
          answer.policy->last_retrieval().outcome == robots::outcome::challenged;
      CHECK(possible(site, {process, answer.allowed, is_private, from, good_from, false, false,
                            is_challenged}));
    }
  }

  [[nodiscard]] std::size_t count_requests() {
    const std::scoped_lock lock{mutex_};
    return requests_.size();
  }

  /// Checks that no request repeats an earlier one whose answer was still usable.
  void check_requests() {
    const std::scoped_lock lock{mutex_};
    for (; checked_ < requests_.size(); ++checked_) {
      const asked& now = requests_[checked_];
      std::size_t in_operation = 0;
      for (std::size_t i = checked_; i-- > 0;) {
        const asked& earlier = requests_[i];
        if (earlier.site != now.site) {
          continue;
        }
        if (earlier.operation == now.operation) {
          ++in_operation;
          continue;
        }
        if (now.when - earlier.when >= 4min || disturbed_[now.site] > earlier.operation) {
          break;
        }
        // After a failure of the store, different processes can repeat each other's requests.
        const bool is_same_process =
            earlier.process == now.process && restarted_[now.process] < earlier.operation;
        // A page can be `outcome::challenged`. This is no answer of the site to all processes, so
        // it is not shared.
        const bool is_shared = earlier.said != answer::page &&
                               store_disturbed_ < earlier.operation &&
                               now.process + 1 != processes && earlier.process + 1 != processes;
        const bool is_late = std::any_of(
            late_.begin(), late_.end(), [&](const auto& candidate) { return candidate[now.site]; });
        INFO("process ", now.process, " asks site ", now.site, " again after process ",
             earlier.process, ", ", (now.when - earlier.when) / 1s, " s later");
        CHECK((is_late || !(is_same_process || (is_shared && store_is_up_))));
        break;
      }
      CHECK(in_operation < (now.said == answer::failing ? 3 : 1));
    }
  }

  std::mt19937_64 random_;
  bool strict_;
  ManualClock clock_;
  memory_store store_{clock_};
  robots::MemoryRulingLedger ledger_;
  bool store_is_up_ = true;
  std::array<ScriptedFetcher, processes> webs_;
  std::array<std::unique_ptr<shared_cache>, processes> caches_;
  std::array<std::shared_ptr<const void>, processes> endings_;
  std::deque<std::string> lines_;

  std::array<std::array<robots::site_override, sites>, processes> overrides_{};
  std::array<std::array<bool, sites>, processes> halts_{};
  // The time at which a process learned the last order about a site.
  std::array<std::array<std::optional<time_point>, sites>, processes> last_order_{};
  std::array<bool, sites> was_ruled_on_{};  // an operator ruled on the site at least once
  std::array<bool, sites> is_known_{};      // the operator's process has not restarted since
  // The changes that other processes do not know yet, since the store was down.
  std::array<std::array<bool, sites>, processes> late_{};
  std::atomic<bool> is_slow_ = false;
  std::atomic<bool> broke_halt_ = false;

  std::mutex mutex_;
  std::size_t operation_ = 0;
  std::array<std::vector<span>, sites> history_;
  std::vector<asked> requests_;
  std::size_t checked_ = 0;
  std::array<std::atomic<bool>, processes> offline_{};
  std::array<std::vector<std::pair<time_point, time_point>>, processes> outages_;
  std::array<std::size_t, processes> restarted_{};
  std::array<std::size_t, sites> disturbed_{};
  std::size_t store_disturbed_ = 0;
  std::array<std::array<time_point, processes>, sites> forgotten_{};
};

}  // namespace

TEST_CASE(
    "Three caches over a failing store allow nothing that is denied, and request nothing twice") {
  for (std::uint64_t seed = 1; seed <= ROBOTS_SIMULATIONS; ++seed) {
    for (const bool strict : {false, true}) {
      CAPTURE(seed);
      CAPTURE(strict);
      simulation run{seed, strict};
      run.run(400);
    }
  }
}
