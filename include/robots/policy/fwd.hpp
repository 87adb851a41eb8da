#pragma once

#include <cstdint>

/// Declarations of the types of `policy/`, and the concept `PolicySource`.
namespace robots {

struct call_options;
class fallback_policy;
class policy;
struct decision;
struct order_reference;
struct record;
struct record_head;
struct ruling_number;

enum class decision_reason : std::uint8_t;
enum class fallback_action : std::uint8_t;
enum class halt_reason : std::uint8_t;
enum class policy_basis : std::uint8_t;
enum class site_override : std::uint8_t;

}  // namespace robots
