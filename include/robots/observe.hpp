#pragma once

/// Includes `JsonLog`, which logs events, and `Metrics`, which counts events.
#include <robots/base/config.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>
