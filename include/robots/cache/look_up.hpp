#pragma once

#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/decision_reason.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace robots {

class policy;
class retrieval;

namespace cache_detail {

class look_up_runner;
struct look_up_state;

}  // namespace cache_detail

/// News to wait for: another look-up, call or thread is at work on the policy.
struct news_wait {};

/// What a look-up wants done next: a request sent, a time or news waited for, or nothing more.
using look_up_step =
    std::variant<fetch_request, retry_wait, news_wait, std::shared_ptr<const policy>>;

/// A look-up in steps, for those who drive the network themselves: an event loop, or one thread
/// that asks for thousands of sites. A value without I/O that says what to do next and is told what
/// came of it, as `retrieval` does:
///
///     look_up at = cache.begin(url);
///     while (!at.policy()) {
///       const look_up_step step = at.next();
///       if (const auto* request = std::get_if<fetch_request>(&step)) {
///         at.on_response(send(*request));
///       } else if (const auto* pause = std::get_if<retry_wait>(&step)) {
///         sleep_until(pause->until, pause->stop);
///         at.on_wait_over();
///       } else {
///         wait_for_news(at);  // see `call_on_news`
///         at.resume();
///       }
///     }
///     decision made = cache.check(url, at);
///
/// Look-ups and calls that block share what is under way. One that is dropped waits no more, and
/// gives up what it has begun: others who wait for that begin anew. It must not outlive its cache.
/// One thread at a time. A step takes constant time, but for one that brings a file: that is
/// parsed, in linear time.
class look_up {
 public:
  /// Leaves the other one without policy and without anything to do.
  look_up(look_up&&) noexcept;
  /// The same; what this one was is dropped.
  look_up& operator=(look_up&&) noexcept;
  ~look_up();

  /// What to do now; the same until one of the functions below is called. The policy, once it is
  /// there, stays. A request is to be made once, and may be sent by any thread; when its stop token
  /// is requested, nobody waits for it any more.
  [[nodiscard]] look_up_step next() const;

  /// The policy; null while it is to be brought. Where the site was halted, or otherwise ruled on,
  /// before it was there, it is one that says so.
  [[nodiscard]] const std::shared_ptr<const robots::policy>& policy() const noexcept;

  /// Whether the policy was kept in the cache, so that nothing had to be brought.
  [[nodiscard]] bool from_cache() const noexcept;

  /// Whether this look-up brought the policy, at least in part.
  [[nodiscard]] bool led() const noexcept;

  /// Why the site may not be asked: `decision_reason::excluded`, `halted`, `needs_sign_off` or
  /// `invalid_url`; nothing for one that may, and while there is no policy.
  [[nodiscard]] std::optional<decision_reason> refusal() const noexcept;

  /// Tells what came of the request that `next()` asked for. Without effect when it asked for none.
  void on_response(fetch_response response);

  /// Tells that the time has come that `next()` waits for, or its stop token was requested. Without
  /// effect before that, and when it waits for no time.
  void on_wait_over();

  /// Ends the wait for a time: what the last try came to is the result. Without effect when
  /// `next()` waits for no time.
  void cut_short();

  /// Takes over the news that `next()` waits for. Without effect while there is none.
  void resume();

  /// Calls `wake` once there is news for `resume`, from the thread that has it; at once if there
  /// is. `wake` returns soon and does not throw. It takes the place of an earlier one, and is not
  /// called once the look-up is dropped, unless another thread has begun to by then.
  void call_on_news(std::function<void()> wake);

  /// Waits no more. What it has begun it goes on with, for others who wait for that: true then, and
  /// it is to be driven until `next()` is a policy, a null one. When nobody waits, the stop token
  /// of the step is requested.
  bool leave() noexcept;

 private:
  friend class cache_controls;

  /// One that `runner` brings to its end; without a runner, one that is answered.
  look_up(cache_detail::look_up_state&& begun, cache_detail::look_up_runner* runner);

  [[nodiscard]] const cache_detail::look_up_state& state() const noexcept;

  /// The fetch that this look-up is to drive, or null.
  [[nodiscard]] retrieval* fetch() const noexcept;

  std::unique_ptr<cache_detail::look_up_state> state_;  // null once it was moved
  cache_detail::look_up_runner* runner_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/look_up.ipp>
#endif
