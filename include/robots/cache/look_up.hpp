#pragma once

#include <robots/fetch/outcome.hpp>
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
/// again. A look-up must not outlive its cache. Only one thread at a time may use a look-up. A step
/// takes constant time, or linear time if it parses a file.
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

  /// Returns the next step. Only the functions below change the step. A policy is the last step.
  /// Send a request only once; any thread may send it. If the `stop` of a step gets a stop request,
  /// nobody waits for the response any more.
  [[nodiscard]] step next() const;

  /// Returns the policy, or null if the look-up has not ended. If there is a ruling on the site,
  /// such as a halt, the policy follows this ruling.
  [[nodiscard]] const std::shared_ptr<const robots::policy>& policy() const noexcept;

  /// Returns true if the policy came from the cache.
  [[nodiscard]] bool from_cache() const noexcept;

  /// Returns true if this look-up did at least a part of the fetch.
  [[nodiscard]] bool led() const noexcept;

  /// Handles the response to the request of `next()`. Has no effect if `next()` is not a request.
  void on_response(fetch_response response);

  /// Ends a `retry_wait` whose time has come or whose `stop` got a request. Otherwise, has no
  /// effect.
  void on_wait_over();

  /// Ends a `retry_wait` early, so that there is no retry. The last try gives the result.
  void cut_short();

  /// Ends a `news_wait` if there is news. Otherwise, has no effect.
  void resume();

  /// Calls `wake` when there is news for `resume`, in the thread that causes the news. If there is
  /// news already, calls `wake` at once. `wake` must return soon and must not throw. A later
  /// `call_on_news` replaces `wake`. Shortly after the look-up is destroyed, a call of `wake` can
  /// still come from another thread.
  void call_on_news(std::function<void()> wake);

  /// Stops waiting for the policy. Returns true if this look-up does the fetch. If the result is
  /// true, continue to drive this look-up until `next()` is a null policy. If nobody needs the
  /// fetch any more, the `stop` of the step gets a stop request.
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
