#pragma once

#include <robots/adapters/redis/detail/client.hpp>
#include <robots/base/random.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::adapters_detail {

/// The `watch_state` of a `RedisStore`. Any thread may use it.
class redis_watch_state {
 public:
  void accept() {
    const std::scoped_lock lock{mutex_};
    state_.failure.clear();
  }
  void refuse(std::string_view why) {
    const std::scoped_lock lock{mutex_};
    ++state_.refusals;
    state_.failure = why;
  }
  [[nodiscard]] watch_state get() const {
    const std::scoped_lock lock{mutex_};
    return state_;
  }

 private:
  mutable std::mutex mutex_;
  watch_state state_;
};

/// Returns the pause before the next try to subscribe. `refusals` is the number of refusals in a
/// row, or 0 if the connection was lost. `random`, from 0 to 1, keeps workers from reconnecting all
/// at once.
[[nodiscard]] inline std::chrono::milliseconds redis_watch_pause(int refusals, double random) {
  using std::chrono::milliseconds;
  constexpr milliseconds shortest{100};
  constexpr milliseconds second{1'000};
  constexpr milliseconds longest{30'000};
  milliseconds most = second;
  for (int i = 1; i < refusals && most < longest; ++i) {
    most = (std::min)(2 * most, longest);
  }
  const milliseconds least = refusals > 1 ? most / 2 : shortest;
  return least +
         milliseconds{static_cast<int>(random * static_cast<double>((most - least).count()))};
}

/// Reports the messages of a channel until a stop is requested. Opens the subscription again after
/// each failure, and then calls `on_change("")`, since messages may be lost. Messages that begin
/// with `sender` are the process's own. Ends the wait for `tried` after the first try.
inline void follow_redis_channel(const stop_token& stop, const std::shared_ptr<redis_client>& from,
                                 const std::string& channel, std::chrono::milliseconds timeout,
                                 const std::string& sender,
                                 const std::shared_ptr<redis_watch_state>& seen,
                                 const std::function<void(std::string_view)>& on_change,
                                 std::optional<std::promise<void>> tried) {
  constexpr std::chrono::milliseconds quiet{1'000};  // then PING tests the connection
  base::counter_random random{std::nullopt};
  int refusals = 0;  // in a row
  while (!stop.stop_requested()) {
    try {
      const unsigned demotions = from->demotions();
      const auto connection = from->connect(stop);
      connection->send({"SUBSCRIBE", channel});
      for (bool is_new = true, is_asked = true; !stop.stop_requested();) {
        const std::optional<redis_reply> got =
            connection->receive(redis_deadline(is_asked ? timeout : quiet));
        if (!got && !is_asked) {
          connection->send({"PING"});
          if (from->demotions() != demotions) {
            connection->fail("is no longer a master");
          }
        } else if (got && is_new && got->type == redis_reply::kind::error) {
          const redis_command subscribe{"SUBSCRIBE"};
          throw store_refusal{redis_client::refusal_text(subscribe, *got) + redis_advice(*got)};
        } else if (!got || got->type != redis_reply::kind::list || got->list.empty()) {
          connection->fail("does not answer in time, or stops to report changes");
        }
        is_asked = !got;
        if (std::exchange(is_new, false)) {
          refusals = 0;
          seen->accept();
          tried ? tried.reset() : on_change("");  // `reset` ends the wait of `watch`
        }
        if (got && got->list.size() == 3 && got->list[0].text == "message") {
          const std::string_view message = got->list[2].text;
          if (message.empty() || (message.size() > sender.size() && !message.starts_with(sender))) {
            on_change(message.substr((std::min)(sender.size(), message.size())));
          }
        }
      }
    } catch (const store_refusal& refused) {
      refusals = (std::min)(refusals + 1, 100);
      seen->refuse(refused.what());
      on_change("");
      tried.reset();
    } catch (const std::exception&) {  // the subscription is lost, or never began
      tried.reset();
    }
    const auto pause = redis_watch_pause(refusals, random.draw());
    SteadyClock{}.sleep_until(redis_deadline(pause), stop);
  }
}

}  // namespace robots::adapters_detail
