#pragma once

/// Includes `JsonLog`, which logs events, `Metrics`, which counts events, `Observer` and
/// `observers`.
#include <robots/base/config.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/observer.hpp>
#include <robots/observe/observers.hpp>
