#pragma once

/// Includes the bodies of the library's ordinary functions. If ROBOTS_COMPILED is defined, the
/// other headers only declare these functions. Then include this header in exactly one source file
/// of the program. The target robots::compiled defines the macro and compiles such a source file.
#ifndef ROBOTS_COMPILED
#error "robots/src.hpp needs ROBOTS_COMPILED: define the macro in all files of the program"
#else
#include <robots/base/site_nodes.ipp>
#include <robots/base/text_nodes.ipp>
#include <robots/cache/basic_robots_cache.ipp>
#include <robots/cache/cache_options.ipp>
#include <robots/cache/page.ipp>
#include <robots/cache/tdmrep_cache.ipp>
#include <robots/client/detail/page_visit.ipp>
#include <robots/client/page_result.ipp>
#include <robots/fetch/one_exchange.ipp>
#include <robots/fetch/redirect_chain.ipp>
#include <robots/fetch/retrieval.ipp>
#include <robots/fetch/run_retrieval.ipp>
#include <robots/http/charset.ipp>
#include <robots/http/site.ipp>
#include <robots/observe/event_text.ipp>
#include <robots/observe/json_log.ipp>
#include <robots/observe/metrics.ipp>
#include <robots/observe/metrics_snapshot.ipp>
#include <robots/policy/codec.ipp>
#include <robots/policy/decision.ipp>
#include <robots/policy/judge.ipp>
#include <robots/policy/page_of.ipp>
#include <robots/policy/policy.ipp>
#include <robots/polite/host_gate.ipp>
#include <robots/rep/diff/diff.ipp>
#include <robots/rep/document/editable_file.ipp>
#include <robots/rep/extensions/usage_editing.ipp>
#include <robots/rep/rules/explanation.ipp>
#include <robots/rulings/site_rulings.ipp>
#include <robots/store/lru_storage.ipp>
#include <robots/usage/license_link.ipp>
#include <robots/usage/page_rule.ipp>
#include <robots/usage/page_rules.ipp>
#include <robots/usage/page_statements.ipp>
#include <robots/usage/permission.ipp>
#include <robots/usage/tdm_reservation.ipp>
#include <robots/usage/usage_lines.ipp>
#include <robots/usage/usage_statements.ipp>
#endif
