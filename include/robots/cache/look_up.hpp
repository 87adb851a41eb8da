#pragma once

#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/decision_reason.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace robots::detail {

class retrieval;

}  // namespace robots::detail

namespace robots {

class policy;

namespace cache_detail {

class look_up_runner;
struct look_up_state;

}  // namespace cache_detail

/// News to wait for: another look-up, call or thread is at work on the policy.
struct news_wait {};

/// The next step of a look-up: send a request, wait for a time or for news, or nothing more.
using look_up_step =
    std::variant<fetch_request, retry_wait, news_wait, std::shared_ptr<const policy>>;

/// A look-up in steps, for programs that drive the network themselves: an event loop, or one thread
/// that asks for thousands of sites. A value without I/O: it returns the next step, and the caller
/// reports the result, as with `retrieval`:
///
///     look_up asking = cache.begin(url);
///     while (!asking.policy()) {
///       const look_up_step step = asking.next();
///       if (const auto* request = std::get_if<fetch_request>(&step)) {
///         asking.on_response(send(*request));
///       } else if (const auto* pause = std::get_if<retry_wait>(&step)) {
///         sleep_until(pause->until, pause->stop);
///         asking.on_wait_over();
///       } else {
///         wait_for_news(asking);  // see `call_on_news`
///         asking.resume();
///       }
///     }
///     const decision result = cache.check(url, asking);
///
/// Look-ups in steps and blocking calls for one site share one fetch. The destruction of a look-up
/// cancels its work: the other callers that wait for it start their own. It must not outlive its
/// cache. For one thread at a time. A step takes constant time, or linear time if it parses a file.
class look_up {
 public:
  /// Leaves the other look-up empty: without a policy and without a step.
  look_up(look_up&&) noexcept;
  /// Destroys this look-up and takes the other one.
  look_up& operator=(look_up&&) noexcept;
  ~look_up();

  /// Returns the step to do now. It changes only when one of the functions below is called, and no
  /// more once it is the policy. Send a request once, from any thread. If its stop token is
  /// requested, nobody waits for the response any more.
  [[nodiscard]] look_up_step next() const;

  /// Returns the policy, or null while the look-up is under way. If there is a ruling on the site,
  /// such as a halt, the policy says so.
  [[nodiscard]] const std::shared_ptr<const robots::policy>& policy() const noexcept;

  /// Returns true if the policy came from the cache.
  [[nodiscard]] bool from_cache() const noexcept;

  /// Returns true if this look-up did at least a part of the fetch.
  [[nodiscard]] bool led() const noexcept;

  /// Returns why the site must not be asked: `decision_reason::excluded`, `halted`,
  /// `needs_sign_off` or `invalid_url`. Returns nothing for other sites, and without a policy.
  [[nodiscard]] std::optional<decision_reason> refusal() const noexcept;

  /// Takes the response to the request of `next()`. Has no effect if `next()` is not a request.
  void on_response(fetch_response response);

  /// Ends the wait of `next()`, once its time has come or its stop token was requested. Has no
  /// effect before that, or if `next()` is not a wait.
  void on_wait_over();

  /// Ends the wait of `next()` early, with the result of the last try. Has no effect if `next()` is
  /// not a wait.
  void cut_short();

  /// Takes the news that `next()` waits for. Has no effect before it has come.
  void resume();

  /// Calls `wake` once there is news for `resume`, from the thread that has it; at once if there
  /// is. `wake` returns soon and does not throw. It takes the place of an earlier one, and is not
  /// called once the look-up is dropped, unless another thread has begun to by then.
  void call_on_news(std::function<void()> wake);

  /// Stops waiting. If other callers wait for its requests, it returns true, and the caller must
  /// drive it until `next()` is a policy, which is null then. When nobody waits, the stop token of
  /// the step is requested.
  bool leave() noexcept;

 private:
  friend class cache_controls;

  /// One that `runner` brings to its end; without a runner, one that is answered.
  look_up(cache_detail::look_up_state&& begun, cache_detail::look_up_runner* runner);

  [[nodiscard]] const cache_detail::look_up_state& state() const noexcept;

  /// The fetch that this look-up is to drive, or null.
  [[nodiscard]] detail::retrieval* fetch() const noexcept;

  std::unique_ptr<cache_detail::look_up_state> state_;  // null once it was moved
  cache_detail::look_up_runner* runner_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/look_up.ipp>
#endif
