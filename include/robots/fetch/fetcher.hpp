#pragma once

#include <robots/http/message.hpp>

#include <concepts>

namespace robots {

/// Fetches one robots.txt over the network.
///
/// A model makes exactly one exchange per call. A model follows no redirect and does not retry,
/// since the library does both. A call keeps at most `max_bytes` octets of the decoded body, and
/// sets `truncated` if the body has more. A call ends within `timeout`, or soon after `stop` is
/// requested. Several threads may call a model at the same time. Network failures are values, never
/// exceptions.
///
/// A model returns the decoded body, without the codings that `Content-Encoding` names. If such a
/// body is still coded, the library takes the exchange as failed. A body must be whole: a length,
/// the last chunk, the end of the connection in order, or the end mark of a compressed stream
/// proves this. A body that nothing proves whole is an error, since the missing part can deny more.
/// A body above `max_bytes` is no error. `tests/fetch/fetcher_conformance.hpp` tests these promises
/// for any model.
///
/// Example: given `const fetch_request r`, `f.fetch(r)` returns a `fetch_response`. If the exchange
/// failed, `error` is set and `status` is 0. Otherwise, `error` is `fetch_error::none` and `status`
/// is not 0.
///
/// Models: `CurlFetcher`, `CprFetcher`, `ScriptedFetcher`.
template <class F>
concept Fetcher = std::movable<F> && requires(F& fetcher, const fetch_request& request) {
  { fetcher.fetch(request) } -> std::same_as<fetch_response>;
};

}  // namespace robots
