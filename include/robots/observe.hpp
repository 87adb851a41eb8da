#pragma once

/// Includes `JsonLog`, which logs events, `Metrics`, which counts events, and `Observer`.
#include <robots/base/config.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/observer.hpp>
