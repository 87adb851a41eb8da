#pragma once

#include <cstdint>

/// Declares the types of `fetch/`. To use a type, include its own header. `fetch/fetcher.hpp` and
/// `fetch/async_fetcher.hpp` have the concepts of `fetch/`.
namespace robots {

struct breaker_options;
enum class breaker_state : std::uint8_t;
struct call_context;
struct call_options;
enum class outcome : std::uint8_t;
struct retry_options;

}  // namespace robots
