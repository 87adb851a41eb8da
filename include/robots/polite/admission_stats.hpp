#pragma once

#include <robots/base/enum_counts.hpp>
#include <robots/observe/admission_reason.hpp>

namespace robots {

/// How often each reason was the answer: `stats[admission_reason::busy]`, `stats.total()`.
using admission_stats = base::enum_counts<admission_reason::too_late>;

namespace polite_detail {

/// Counts answers, from any thread.
using admission_counters = base::enum_counters<admission_reason::too_late>;

}  // namespace polite_detail

}  // namespace robots
