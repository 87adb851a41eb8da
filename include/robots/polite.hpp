#pragma once

/// Includes the headers of `polite/`, which pace requests.
#include <robots/base/config.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
