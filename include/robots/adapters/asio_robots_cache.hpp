#pragma once

#include <robots/adapters/detail/asio_look_ups.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <string>
#include <utility>

namespace robots {

/// Asks a `basic_robots_cache` without blocking: what it must fetch, it fetches through an
/// `AsyncFetcher`, on the threads that run an executor.
///
///     asio_robots_cache loop{context.get_executor(), cache,
///     AsioCurlFetcher{context.get_executor()}}; decision made = co_await loop.async_check(url,
///     boost::asio::use_awaitable);
///
/// Each operation takes any completion token of Boost.Asio. Like the calls that block, operations
/// fail for no reason of the network: a site that cannot be reached is answered for by the fallback
/// policy. An operation that is cancelled (any type of cancellation), or under way when this ends,
/// completes with `boost::asio::error::operation_aborted`; what was fetched for it is fetched for
/// as long as another operation or a call that blocks waits for it. Handlers are called through
/// their associated executor, or the one given here, never by the initiating function or under a
/// lock.
///
/// Operations may be started from any thread, and any number of threads may run the executor: its
/// own work is done on a strand. Waits between tries are by the cache's clock: a timer, or, for a
/// `ManualClock`, a move of its time. An observer of the cache must not destroy it.
///
/// The cache and the executor's context must be there for longer. Destroying it waits for at most
/// one of its steps, and gives up what it fetches: others who wait for that begin anew.
template <class Cache, AsyncFetcher F>
class asio_robots_cache {
 public:
  /// Operations run on `executor`, and fetch through `fetcher`.
  asio_robots_cache(boost::asio::any_io_executor executor, Cache& cache, F fetcher)
      : look_ups_(std::make_shared<look_ups>(std::move(executor), cache, std::move(fetcher))) {}

  asio_robots_cache(const asio_robots_cache&) = delete;
  asio_robots_cache& operator=(const asio_robots_cache&) = delete;
  ~asio_robots_cache() { look_ups_->close(); }

  /// `basic_robots_cache::check`. Signature: `void(boost::system::error_code, decision)`.
  template <boost::asio::completion_token_for<void(boost::system::error_code, decision)> Token>
  auto async_check(std::string url, Token&& token) {
    return ask<decision>(
        std::move(url),
        [](Cache& cache, const std::string& about, const look_up& at) {
          return cache.check(about, at);
        },
        std::forward<Token>(token));
  }

  /// `basic_robots_cache::allowed`. Signature: `void(boost::system::error_code, bool)`.
  template <boost::asio::completion_token_for<void(boost::system::error_code, bool)> Token>
  auto async_allowed(std::string url, Token&& token) {
    return ask<bool>(
        std::move(url),
        [](Cache& cache, const std::string& about, const look_up& at) {
          return cache.check(about, at).allowed;
        },
        std::forward<Token>(token));
  }

  /// `basic_robots_cache::get`. Signature: `void(boost::system::error_code,
  /// std::shared_ptr<const policy>)`; the policy is null only with an error.
  template <boost::asio::completion_token_for<void(boost::system::error_code,
                                                   std::shared_ptr<const policy>)>
                Token>
  auto async_get(std::string host_or_url, Token&& token) {
    return ask<std::shared_ptr<const policy>>(
        std::move(host_or_url),
        [](Cache&, const std::string&, const look_up& at) { return at.policy(); },
        std::forward<Token>(token));
  }

 private:
  using look_ups = adapters_detail::asio_look_ups<Cache, F>;

  // async_initiate takes every token by reference, and moves it itself.
  template <class Result, class Answer, class Token>
  auto ask(std::string url, Answer answer,
           Token&& token) {  // NOLINT(cppcoreguidelines-missing-std-forward)
    return boost::asio::async_initiate<Token, void(boost::system::error_code, Result)>(
        [all = look_ups_, answer](auto handler, std::string about) {
          const auto answered = [answer, about](Cache& cache, const look_up& at) -> Result {
            return answer(cache, about, at);
          };
          all->begin(about, answered, std::move(handler));
        },
        token, std::move(url));
  }

  std::shared_ptr<look_ups> look_ups_;
};

}  // namespace robots
