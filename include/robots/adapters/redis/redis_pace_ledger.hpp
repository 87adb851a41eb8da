#pragma once

#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/redis/detail/client.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/longest_delay.hpp>
#include <robots/base/process.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace robots {

/// A `PaceLedger` in Redis for any number of machines. Set it as `gate_options::ledger`.
///
/// Each call is one round trip, takes at most as long as a call of a `RedisStore`, and uses the
/// time of the server. The key of a host is `redis_options::key_prefix`, `pace:` and the host. The
/// key expires about a minute after the host may get its next request. An ACL in Redis must permit
/// the commands eval, time, hget, hmget, hset and pexpire. Any thread may call the ledger.
class RedisPaceLedger final : public PaceLedger {
 public:
  /// Does not open a connection yet. Throws `std::invalid_argument` for a bad URL or a limit of 0.
  explicit RedisPaceLedger(const redis_options& options = {})
      : prefix_{options.key_prefix + "pace:"},
        client_{base::make_home<adapters_detail::redis_client>(options, "RedisPaceLedger")} {}

  /// See `PaceLedger`. Throws `store_error` if Redis does not answer as expected.
  [[nodiscard]] std::chrono::nanoseconds take_turn(std::string_view host,
                                                   const claim& asked) override {
    return ask(take_turn_script, host,
               {asked.least, asked.after, asked.last_asked.value_or(longest_delay), asked.lateness},
               asked.turn);
  }

  /// See `PaceLedger`. Throws like `take_turn`.
  void hold(std::string_view host, std::chrono::nanoseconds pause) override {
    static_cast<void>(ask(hold_script, host, {pause}));
  }

 private:
  // Times are in microseconds. `last` is the time of the host's last turn. `turn` has the process
  // and the number of the last turn. `next` is the earliest time of the next turn. `longest` is the
  // longest delay of all processes, and `owner` is the process with this delay. Only `owner` can
  // reduce `longest` before the time `until`. If a process repeats its claim of the last turn, the
  // script grants this turn again, unless `hold` has changed `next`.
  static constexpr const char* take_turn_script = R"(
local time = redis.call('time')
local now = time[1] * 1000000 + time[2]
local owner, turn, minute = ARGV[1], ARGV[1] .. ' ' .. ARGV[2], 60000000
local least, after, last_asked = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local start = now + tonumber(ARGV[6])
local known = redis.call('hmget', KEYS[1], 'last', 'next', 'longest', 'owner', 'until', 'turn')
local last, next = tonumber(known[1]), tonumber(known[2])
if not next and last_asked < math.max(minute, after) then
  last, next = start, start + after
end
local longest, longest_by = tonumber(known[3]) or 0, known[4]
local longest_until = tonumber(known[5]) or 0
if longest_by == owner or least >= longest or now >= longest_until then
  longest, longest_by, longest_until = least, owner, now + minute
end
next = next or 0
local wait = math.max(next - now, last and last + longest - now or 0, 0)
if ARGV[2] ~= '0' and known[6] == turn and next == last + after then
  wait = 0
end
local text = function(number) return string.format('%.0f', number) end
if wait == 0 then
  last, next = start, start + after
  redis.call('hset', KEYS[1], 'turn', turn)
end
redis.call('hset', KEYS[1], 'next', text(next), 'longest', text(longest),
           'owner', longest_by, 'until', text(longest_until))
if last then
  redis.call('hset', KEYS[1], 'last', text(last))
end
redis.call('pexpire', KEYS[1], text((math.max(next - now, longest, 0) + minute) / 1000))
return wait
)";
  static constexpr const char* hold_script = R"(
local time = redis.call('time')
local now = time[1] * 1000000 + time[2]
local next = tonumber(redis.call('hget', KEYS[1], 'next')) or 0
next = math.max(next, now + tonumber(ARGV[3]))
redis.call('hset', KEYS[1], 'next', string.format('%.0f', next))
redis.call('pexpire', KEYS[1], string.format('%.0f', (next - now + 60000000) / 1000))
return 0
)";

  [[nodiscard]] std::chrono::nanoseconds ask(
      const char* script, std::string_view host,
      std::initializer_list<std::chrono::nanoseconds> arguments, std::uint64_t turn = 0) {
    using std::chrono::microseconds;
    adapters_detail::redis_command command{
        "EVAL", script, "1", std::string{prefix_}.append(host), owner_, std::to_string(turn)};
    for (const std::chrono::nanoseconds argument : arguments) {
      const auto bounded = std::clamp(argument, std::chrono::nanoseconds{0}, longest_delay);
      command.push_back(std::to_string(std::chrono::ceil<microseconds>(bounded).count()));
    }
    using kind = adapters_detail::redis_reply::kind;
    const adapters_detail::redis_reply reply = client_->ask_one(command, kind::integer);
    if (reply.type == kind::nil || reply.integer < 0) {
      throw store_error{
          "RedisPaceLedger: the reply to EVAL is not a wait: check that redis_options::url "
          "names a Redis server"};
    }
    constexpr auto most = std::chrono::floor<microseconds>(longest_delay);
    return microseconds{(std::min)(reply.integer, std::int64_t{most.count()})};
  }

  std::string prefix_;
  base::home_ptr<adapters_detail::redis_client> client_;
  std::string owner_ = adapters_detail::store_token();
};

}  // namespace robots
