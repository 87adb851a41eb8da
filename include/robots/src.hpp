#pragma once

/// Includes the bodies of the library's ordinary functions. If ROBOTS_COMPILED is defined, the
/// other headers only declare these functions. Then include this header in exactly one source file
/// of the program. The target robots::compiled defines the macro and compiles such a source file.
#ifndef ROBOTS_COMPILED
#error "robots/src.hpp needs ROBOTS_COMPILED: define the macro in all files of the program"
#else
#include <robots/base/site_nodes.bodies.hpp>
#include <robots/base/text_nodes.bodies.hpp>
#include <robots/cache/basic_robots_cache.bodies.hpp>
#include <robots/cache/cache_options.bodies.hpp>
#include <robots/cache/detail/valid_options.bodies.hpp>
#include <robots/cache/page.bodies.hpp>
#include <robots/cache/tdmrep_cache.bodies.hpp>
#include <robots/cache/tiered_storage.bodies.hpp>
#include <robots/client/detail/page_visit.bodies.hpp>
#include <robots/client/page_result.bodies.hpp>
#include <robots/fetch/one_exchange.bodies.hpp>
#include <robots/fetch/redirect_chain.bodies.hpp>
#include <robots/fetch/retrieval.bodies.hpp>
#include <robots/fetch/retrieval_options.bodies.hpp>
#include <robots/fetch/run_retrieval.bodies.hpp>
#include <robots/http/charset.bodies.hpp>
#include <robots/http/site.bodies.hpp>
#include <robots/observe/event_text.bodies.hpp>
#include <robots/observe/json_log.bodies.hpp>
#include <robots/observe/metrics.bodies.hpp>
#include <robots/observe/metrics_snapshot.bodies.hpp>
#include <robots/policy/codec.bodies.hpp>
#include <robots/policy/decision.bodies.hpp>
#include <robots/policy/judge.bodies.hpp>
#include <robots/policy/judge_options.bodies.hpp>
#include <robots/policy/lifetime.bodies.hpp>
#include <robots/policy/page_of.bodies.hpp>
#include <robots/policy/policy.bodies.hpp>
#include <robots/polite/detail/host_state.bodies.hpp>
#include <robots/polite/host_gate.bodies.hpp>
#include <robots/rep/diff/diff.bodies.hpp>
#include <robots/rep/document/editable_file.bodies.hpp>
#include <robots/rep/extensions/usage_editing.bodies.hpp>
#include <robots/rep/rules/explanation.bodies.hpp>
#include <robots/rulings/old_records.bodies.hpp>
#include <robots/rulings/site_rulings.bodies.hpp>
#include <robots/store/lru_storage.bodies.hpp>
#include <robots/usage/license_link.bodies.hpp>
#include <robots/usage/page_rule.bodies.hpp>
#include <robots/usage/page_rules.bodies.hpp>
#include <robots/usage/page_statements.bodies.hpp>
#include <robots/usage/permission.bodies.hpp>
#include <robots/usage/tdm_reservation.bodies.hpp>
#include <robots/usage/usage_lines.bodies.hpp>
#include <robots/usage/usage_statements.bodies.hpp>
#endif
