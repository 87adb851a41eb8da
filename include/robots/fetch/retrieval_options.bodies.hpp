#pragma once

#include <robots/base/config.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/printable.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/http/header.hpp>

#include <stdexcept>

namespace robots::detail {

ROBOTS_INLINE void validate(const retrieval_options& options) {
  const std::string_view name = options.user_agent;
  if (name.empty()) {
    throw std::invalid_argument{
        "user_agent \"\" is empty: name your crawler, as in FooBot/1.0 (+https://foo.example/bot)"};
  }
  if (!is_header_value(name)) {
    throw std::invalid_argument{"user_agent \"" + base::printable(name) +
                                "\" has a control character: remove it"};
  }
  base::require(options.max_redirects >= 0, "max_redirects", options.max_redirects,
                ": use 0 or more; with 0, none is followed");
  base::require(options.timeout.count() >= 0, "timeout", options.timeout.count(),
                " ms: use 0 or more; with 0, there is no limit");
  const retry_options& retry = options.retry;
  base::require(retry.attempts >= 1, "retry.attempts", retry.attempts,
                ": use 1 or more; with 1, there is no retry");
  base::require(retry.base.count() >= 0, "retry.base", retry.base.count(), " ms: use 0 or more");
  base::require(retry.cap.count() >= 0, "retry.cap", retry.cap.count(), " ms: use 0 or more");
  base::require(retry.max_retry_after.count() >= 0, "retry.max_retry_after",
                retry.max_retry_after.count(), " s: use 0 or more");
  base::require(retry.jitter >= 0 && retry.jitter <= 1, "retry.jitter", retry.jitter,
                ": use a share from 0 to 1");
}

}  // namespace robots::detail
