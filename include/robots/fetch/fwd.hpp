#pragma once

#include <cstdint>

/// Declares the types of `fetch/`. Its concepts are in `fetcher.hpp` and `async_fetcher.hpp`.
namespace robots {

struct breaker_options;
enum class breaker_state : std::uint8_t;
struct call_context;
struct call_options;
enum class outcome : std::uint8_t;
struct redirect_options;
struct retry_options;

}  // namespace robots
