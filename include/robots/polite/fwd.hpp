#pragma once

#include <cstdint>

/// Declares the public types of polite/, except the templates, which `robots/fwd.hpp` declares.
namespace robots {

class PaceLedger;
class any_host_gate;
enum class start_limit : std::uint8_t;
struct admission_result;
struct computed_delay;
struct delay_options;
struct gate_options;
struct request_report;
struct slow_down_options;
struct start_plan;
struct start_result;

}  // namespace robots
