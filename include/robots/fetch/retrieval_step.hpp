#pragma once

#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/retry_wait.hpp>
#include <robots/http/message.hpp>

#include <variant>

namespace robots::detail {

/// The next step of a retrieval, which is a request, a wait, or the end.
using retrieval_step = std::variant<fetch_request, retry_wait, retrieval_result>;

}  // namespace robots::detail
