#pragma once

#include <robots/cache/basic_robots_cache.hpp>
#include <robots/client/client_options.hpp>
#include <robots/client/detail/page_visit.hpp>
#include <robots/client/page_result.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/fwd.hpp>
#include <robots/http/message.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/time/clock.hpp>

#include <string_view>
#include <utility>
#include <variant>

namespace robots {

/// Fetches pages politely, each with one call.
///
///     robots::basic_polite_client client{cache, gate, robots::CurlFetcher{}};
///     const robots::page_result page = client.fetch("https://example.com/");
///     if (page) {
///       use(page.response->body);
///     }
///
/// A call asks the cache if the page may be fetched, waits for its turn at the host, and decides
/// again when the turn comes. It sends the request with the `User-Agent` of the crawler, and
/// reports the response to the gate and to the cache. It follows redirects: each next URL needs a
/// new permission and a new turn. After 429 and 503, it waits for its next turn and asks again.
/// It never sends a request that the rules of a site, a ruling or an exclusion forbid.
///
/// The result has the response, every hop with its decision, and what the site says about the use
/// of the page. Any thread may call any member. No function throws because of a network failure or
/// bad content. The cache and the gate must outlive the client, and they need the same clock.
template <class Cache, class Gate, Fetcher F>
class basic_polite_client {
 public:
  /// Uses `cache` for the rules, `gate` for the pace and `fetcher` for the pages. Give the fetcher
  /// the same settings as that of the cache. Throws `std::invalid_argument` for invalid options.
  basic_polite_client(Cache& cache, Gate& gate, F fetcher = {}, client_options options = {})
      : cache_{cache},
        fetcher_{std::move(fetcher)},
        options_{std::move(options)},
        front_{cache, gate} {
    validate(options_);
  }

  /// Fetches a page, and blocks until it has come, or a reason not to fetch it.
  ///
  /// Throws `std::invalid_argument` for invalid options of the call, and for a `user_agent` that
  /// the cache does not know.
  [[nodiscard]] page_result fetch(std::string_view url, const page_options& call = {}) {
    auto& clock = cache_.clock();
    client_detail::page_visit visit{url, call, options_, cache_.names(call), clock.now()};
    while (!visit.has_ended()) {
      if (const auto* const request = std::get_if<fetch_request>(&visit.next())) {
        fetch_response response = detail::exchange_within(fetcher_, clock, *request, call);
        visit.on_response(std::move(response), clock.now(), wall_now(clock));
      } else {
        admission_result admitted = front_.admit(visit.url(), call);
        visit.on_admission(std::move(admitted), clock.now());
      }
    }
    return std::move(visit).result();
  }

  /// Returns the options that the constructor got.
  [[nodiscard]] const client_options& options() const noexcept { return options_; }

 private:
  Cache& cache_;
  F fetcher_;
  client_options options_;
  basic_admission<Cache> front_;
};

}  // namespace robots
