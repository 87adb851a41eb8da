#pragma once

#include <algorithm>
#include <chrono>

namespace robots {

/// The retries of a retrieval after a 5xx, a 429 or a network error. By default, the wait doubles
/// with each retry from 1 s to 8 s, with jitter (source: the pipeline guide). No retry follows a
/// refused connection.
struct retry_options {
  /// The maximum number of tries; 1 means no retry. For a host without a scheme, one try asks both
  /// https and http.
  int attempts = 3;
  /// The maximum wait before the second try. This limit doubles with each further try.
  std::chrono::milliseconds base{1'000};
  /// The maximum wait before any try, unless `Retry-After` asks for more.
  std::chrono::milliseconds cap{8'000};
  /// The share of each wait that is random, from 0 to 1. With 0, waits are exact. With 1, a wait is
  /// anything from 0 to its limit ("full jitter").
  double jitter = 0.5;
  /// The maximum `Retry-After`. A failed response with a longer `Retry-After` ends the retrieval.
  std::chrono::seconds max_retry_after{30};
};

}  // namespace robots

namespace robots::detail {

/// Returns the wait after `failed` failed tries. `failed` must be at least 1. The wait is `base`
/// after the first failure, and doubles with each further failure. It is at most `cap`, and at most
/// one day. A random share is subtracted, so that callers that failed together do not retry
/// together. `random` is from 0 (shortest wait) to 1.
[[nodiscard]] constexpr std::chrono::nanoseconds backoff(const retry_options& options, int failed,
                                                         double random) noexcept {
  std::chrono::milliseconds most = (std::min)(options.base, options.cap);
  for (int i = 1; i < failed && most < options.cap && most.count() > 0; ++i) {
    most = most > options.cap / 2 ? options.cap : 2 * most;
  }
  const std::chrono::duration<double, std::milli> chosen =
      (1 - options.jitter * (1 - std::clamp(random, 0.0, 1.0))) *
      (std::min)(most, std::chrono::milliseconds{std::chrono::days{1}});
  return std::chrono::duration_cast<std::chrono::nanoseconds>(chosen);
}

}  // namespace robots::detail
