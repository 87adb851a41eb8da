#pragma once

#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/time/wall_time.hpp>

#include <functional>
#include <memory>
#include <variant>

namespace robots::detail {

class retrieval;

}  // namespace robots::detail

namespace robots {

class policy;

namespace cache_detail {

class cache_engine;
class site_look_up;

}  // namespace cache_detail

/// A look-up in steps, for programs that do their own network I/O, such as an event loop. A look-up
/// returns the next step, and the caller does the step and reports the result:
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
/// Look-ups in steps and blocking calls for one site share one fetch. If a look-up is destroyed,
/// its work is cancelled, and other callers that wait for this work start again. A look-up must not
/// outlive its cache. Only one thread at a time may use a look-up. A step takes constant time, or
/// linear time if it parses a file.
class look_up {
 public:
  /// A wait before the next try. It lasts until the time `until`, or until a stop is requested
  /// through `stop`. After the wait, call `on_wait_over`.
  using retry_wait = detail::retry_wait;

  /// A wait for news, while another look-up, call or thread works on the policy.
  struct news_wait {};

  /// The next step. It is a request, a wait for a time, a wait for news, or the policy at the end.
  using step =
      std::variant<fetch_request, retry_wait, news_wait, std::shared_ptr<const robots::policy>>;

  /// Moves a look-up. The other look-up is then empty, without a policy and without a step.
  look_up(look_up&&) noexcept;
  /// Destroys this look-up and takes over the other look-up.
  look_up& operator=(look_up&&) noexcept;
  ~look_up();

  /// Returns the next step. Only the functions below change the next step. Once the step is the
  /// policy, it never changes. Send a request only once; any thread may send it. If a stop is
  /// requested through the token of a step, nobody waits for the response any more.
  [[nodiscard]] step next() const;

  /// Returns the policy, or null if the look-up has not ended. If there is a ruling on the site,
  /// such as a halt, the policy has this ruling.
  [[nodiscard]] const std::shared_ptr<const robots::policy>& policy() const noexcept;

  /// Returns true if the policy came from the cache.
  [[nodiscard]] bool from_cache() const noexcept;

  /// Returns true if this look-up did at least a part of the fetch.
  [[nodiscard]] bool led() const noexcept;

  /// Handles the response to the request of `next()`. Has no effect if `next()` is not a request.
  void on_response(fetch_response response);

  /// Ends the wait of `next()` after its time has come or its token got a stop request. Has no
  /// effect earlier, or if `next()` is not a wait.
  void on_wait_over();

  /// Ends the wait of `next()`, if there is one, early. The last try gives the result.
  void cut_short();

  /// Handles the news that `next()` waits for. Has no effect if there is no news yet.
  void resume();

  /// Calls `wake` when there is news for `resume`, in the thread that causes the news, or at once
  /// if there is news already. `wake` must return soon and must not throw. It replaces the function
  /// of an earlier call. After the look-up is destroyed, `wake` is not
  /// called, unless another thread has already begun the call.
  void call_on_news(std::function<void()> wake);

  /// Stops waiting for the policy. Returns true if this look-up does the fetch. Then the caller
  /// must drive it until `next()` is a null policy. If nobody else needs the fetch, the token of
  /// the step gets a stop request.
  bool leave() noexcept;

 private:
  friend class cache_controls;

  look_up(cache_detail::cache_engine& engine, std::unique_ptr<cache_detail::site_look_up> begun);

  /// Returns the fetch that this look-up drives, or null.
  [[nodiscard]] detail::retrieval* fetch() const noexcept;

  /// If this look-up drives a fetch, calls `handle(fetch, now)` and then `resume`. If `handle`
  /// throws, drops the fetch.
  void report(const std::function<void(detail::retrieval& fetch, const wall_anchor& now)>& handle);

  cache_detail::cache_engine* engine_;
  std::unique_ptr<cache_detail::site_look_up> work_;  // null after a move
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/look_up.ipp>
#endif
