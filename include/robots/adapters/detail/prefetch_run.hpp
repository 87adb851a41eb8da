#pragma once

#include <robots/adapters/curl_multi_fetcher.hpp>
#include <robots/adapters/curl_options.hpp>
#include <robots/adapters/prefetch_options.hpp>
#include <robots/base/on_move.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace robots::adapters_detail {

/// Collects what `look_up::call_on_news` reports, from any thread, for the one thread that asks.
/// May end before the look-ups do.
template <class T>
class news_queue {
 public:
  /// `wake` is called, from any thread, when there is something to take; it must not throw.
  explicit news_queue(std::function<void()> wake) : box_(std::make_shared<box>(std::move(wake))) {}
  news_queue(const news_queue&) = delete;
  news_queue& operator=(const news_queue&) = delete;
  ~news_queue() {
    const std::scoped_lock lock{box_->mutex};
    box_->wake = nullptr;
  }

  /// Has `item` reported when there is news for `at`. `item` stays until it was taken.
  void expect(look_up& at, T& item) {
    // A report moves the node, and so allocates nothing.
    at.call_on_news([box = box_, node = std::list<T*>{&item}]() mutable {
      const std::scoped_lock lock{box->mutex};
      if (box->wake) {
        box->reported.splice(box->reported.end(), node);
        box->wake();
      }
    });
  }

  [[nodiscard]] std::list<T*> take() {
    const std::scoped_lock lock{box_->mutex};
    return std::exchange(box_->reported, {});
  }

 private:
  struct box {
    explicit box(std::function<void()> how) : wake(std::move(how)) {}
    std::mutex mutex;
    std::function<void()> wake;  // none once nobody asks any more
    std::list<T*> reported;
  };

  std::shared_ptr<box> box_;
};

template <class Cache, std::ranges::input_range Hosts>
class prefetch_run {
 public:
  prefetch_run(Cache& cache, Hosts&& hosts, const prefetch_options& options)
      : cache_(cache),
        hosts_(std::forward<Hosts>(hosts)),
        options_(options),
        web_(web_options(options)) {
    if constexpr (std::ranges::sized_range<Hosts>) {
      total_ = static_cast<std::size_t>(std::ranges::size(hosts_));
    }
  }

  prefetch_run(const prefetch_run&) = delete;
  prefetch_run& operator=(const prefetch_run&) = delete;

  /// Gives up what is under way.
  ~prefetch_run() = default;

  [[nodiscard]] prefetch_summary operator()() {
    const std::stop_callback stopped{options_.stop, [this]() noexcept { web_.wake(); }};
    [[maybe_unused]] const auto moves = base::on_move(cache_.clock(), [this] { web_.wake(); });
    auto next = std::ranges::begin(hosts_);
    const auto end = std::ranges::end(hosts_);
    while (next != end || !items_.empty()) {
      if (is_over()) {
        end_waits();
        summary_.abandoned = items_.size();
        summary_.complete = false;
        break;
      }
      take_news();
      end_due_waits();
      send();
      for (int left = batch; left > 0 && next != end && has_room(); --left) {
        begin(std::string(std::string_view(*next)));
        ++next;
        send();
      }
      if (next == end && items_.empty()) {
        break;
      }
      wait(next != end && has_room());
    }
    return summary_;
  }

 private:
  struct item {
    std::string host;
    look_up at;
    typename std::list<item>::iterator self{};
  };
  using waits = std::multimap<time_point, item*>;

  // Hosts begun between two looks at the network, which may all be in the cache already.
  static constexpr int batch = 64;
  // A clock may run at any speed; it is looked at this often.
  static constexpr std::chrono::milliseconds longest_sleep{1'000};

  [[nodiscard]] static curl_multi_options web_options(const prefetch_options& options) {
    if (options.max_in_flight == 0) {
      throw std::invalid_argument("robots::prefetch_options: max_in_flight must be above 0");
    }
    curl_multi_options result{.curl = options.curl, .max_connections = options.max_in_flight};
    result.curl.max_idle_handles = options.max_in_flight;
    return result;
  }

  [[nodiscard]] time_point now() { return cache_.clock().now(); }

  [[nodiscard]] bool is_over() {
    return options_.stop.stop_requested() || (options_.deadline && *options_.deadline <= now());
  }

  [[nodiscard]] bool has_room() const noexcept {
    return ready_.empty() && web_.in_flight() < options_.max_in_flight &&
           items_.size() < std::max(options_.max_pending, options_.max_in_flight);
  }

  void begin(std::string host) {
    look_up at = cache_.begin(host);
    items_.push_back({std::move(host), std::move(at)});
    items_.back().self = std::prev(items_.end());
    proceed(items_.back());
  }

  /// Does what a look-up wants done next.
  void proceed(item& which) {
    const look_up_step step = which.at.next();
    if (std::holds_alternative<fetch_request>(step)) {
      ready_.push_back(&which);
    } else if (const auto* const pause = std::get_if<retry_wait>(&step)) {
      if (options_.deadline && *options_.deadline <= pause->until) {
        return end_wait(which);
      }
      waits_.emplace(pause->until, &which);
    } else if (std::holds_alternative<news_wait>(step)) {
      news_.expect(which.at, which);
    } else {
      finish(which);
    }
  }

  void send() {
    while (!ready_.empty() && web_.in_flight() < options_.max_in_flight) {
      item* const which = ready_.front();
      ready_.pop_front();
      web_.start(std::get<fetch_request>(which->at.next()), [this, which](fetch_response response) {
        which->at.on_response(std::move(response));
        proceed(*which);
      });
    }
  }

  void take_news() {
    for (item* const which : news_.take()) {
      which->at.resume();
      proceed(*which);
    }
  }

  void end_due_waits() {
    while (!waits_.empty() && waits_.begin()->first <= now()) {
      item& which = *waits_.begin()->second;
      waits_.erase(waits_.begin());
      which.at.on_wait_over();
      proceed(which);
    }
  }

  /// What the last try came to is the result.
  void end_wait(item& which) {
    which.at.cut_short();
    proceed(which);
  }

  void end_waits() {
    while (!waits_.empty()) {
      item& which = *waits_.begin()->second;
      waits_.erase(waits_.begin());
      end_wait(which);
    }
  }

  void wait(bool more_to_begin) {
    using std::chrono::milliseconds;
    if (more_to_begin) {
      web_.run_once();
      return;
    }
    std::optional<time_point> until = options_.deadline;
    if (!waits_.empty() && (!until || waits_.begin()->first < *until)) {
      until = waits_.begin()->first;
    }
    if constexpr (NotifyingClock<clock_type>) {
      // Such a clock moves when somebody moves it, which may be whoever sleeps by it.
      if (!waits_.empty() && web_.in_flight() == 0) {
        return cache_.clock().sleep_until(*until, options_.stop);
      }
      until = std::nullopt;
    }
    milliseconds most = longest_sleep;
    if (until) {
      const time_point from = now();
      most = *until <= from ? milliseconds{0}
                            : std::chrono::ceil<milliseconds>(
                                  std::min<time_point::duration>(*until - from, most));
    }
    web_.run_once(most);
  }

  void finish(item& which) {
    std::list<item> done;
    done.splice(done.begin(), items_, which.self);
    const prefetch_outcome outcome = outcome_of_item(which);
    ++count(outcome);
    if (options_.progress) {
      options_.progress({.done = summary_.done(),
                         .total = total_,
                         .host = which.host,
                         .outcome = outcome,
                         .policy = which.at.policy()});
    }
  }

  [[nodiscard]] static prefetch_outcome outcome_of_item(const item& which) {
    if (const auto refusal = which.at.refusal()) {
      return *refusal == decision_reason::invalid_url ? prefetch_outcome::invalid
                                                      : prefetch_outcome::excluded;
    }
    if (which.at.from_cache()) {
      return prefetch_outcome::kept;
    }
    if (!which.at.led()) {
      return prefetch_outcome::joined;
    }
    return is_successful(which.at.policy()->source().outcome) ? prefetch_outcome::fetched
                                                              : prefetch_outcome::failed;
  }

  [[nodiscard]] std::size_t& count(prefetch_outcome outcome) noexcept {
    constexpr std::array counts{&prefetch_summary::kept,     &prefetch_summary::fetched,
                                &prefetch_summary::joined,   &prefetch_summary::failed,
                                &prefetch_summary::excluded, &prefetch_summary::invalid};
    return summary_.*counts.at(static_cast<std::size_t>(outcome));
  }

  using clock_type = std::remove_cvref_t<decltype(std::declval<Cache&>().clock())>;

  Cache& cache_;
  Hosts&& hosts_;
  const prefetch_options& options_;
  std::optional<std::size_t> total_{};
  prefetch_summary summary_{};
  std::list<item> items_{};
  std::deque<item*> ready_{};  // have a request and no place in flight yet
  waits waits_{};              // by the end of the wait
  curl_multi_fetcher web_;     // ends before the items that its callbacks go to
  news_queue<item> news_{[this]() noexcept { web_.wake(); }};
};

template <class Cache, class Hosts>
prefetch_run(Cache&, Hosts&&, const prefetch_options&) -> prefetch_run<Cache, Hosts>;

}  // namespace robots::adapters_detail
