#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <variant>

namespace robots::detail {

/// A wait before the next try.
struct retry_wait {
  time_point until{};  ///< the end of the wait; then call `on_wait_over`
  stop_token stop{};   ///< a stop request ends the wait
};

/// The next step of a retrieval, which is a request, a wait, or the end.
using retrieval_step = std::variant<fetch_request, retry_wait, retrieval_result>;

}  // namespace robots::detail
