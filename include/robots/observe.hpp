#pragma once

/// Includes `JsonLog`, `Metrics` and the text of events, which log and count the events of a cache.
#include <robots/base/config.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>
