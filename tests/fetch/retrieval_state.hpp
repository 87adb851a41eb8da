// The next request of a retrieval, and its result.
#pragma once

#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/retrieval.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace robots::test {

inline constexpr std::string_view https_url = "https://example.com/robots.txt";
inline constexpr std::string_view http_url = "http://example.com/robots.txt";

/// Returns the URL that `work` asks for next, or "nothing".
[[nodiscard]] inline std::string asked(const robots::detail::retrieval& work) {
  const auto* request = std::get_if<fetch_request>(&work.next());
  return request != nullptr ? request->url : "nothing";
}

[[nodiscard]] inline const robots::detail::retrieval_result& result(
    const robots::detail::retrieval& work) {
  return std::get<robots::detail::retrieval_result>(work.next());
}

}  // namespace robots::test
