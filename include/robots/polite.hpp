#pragma once

/// Includes the headers of `polite/`, which pace requests.
#include <robots/base/config.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/fwd.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/polite/start_plan.hpp>
