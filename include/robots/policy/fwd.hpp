#pragma once

#include <cstdint>

/// Declarations of the types of `policy/`.
namespace robots {

class fallback_policy;
class policy;
struct decision;
struct record;
struct record_head;

enum class decision_reason : std::uint8_t;
enum class fallback_action : std::uint8_t;
enum class halt_reason : std::uint8_t;
enum class policy_basis : std::uint8_t;
enum class site_override : std::uint8_t;

}  // namespace robots
