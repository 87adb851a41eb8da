#pragma once

/// The bodies that the other headers leave out where ROBOTS_COMPILED is defined: to be included in
/// one source file of such a program. The target robots::compiled does both.
#include <robots/cache/cache_controls.ipp>
#include <robots/cache/cache_options.ipp>
#include <robots/cache/look_up.ipp>
#include <robots/fetch/origin_breakers.ipp>
#include <robots/fetch/retrieval.ipp>
#include <robots/fetch/retrieval_options.ipp>
#include <robots/http/cache_control.ipp>
#include <robots/http/excluded_hosts.ipp>
#include <robots/http/freshness.ipp>
#include <robots/http/ip_address.ipp>
#include <robots/http/origin.ipp>
#include <robots/http/retry_after.ipp>
#include <robots/http/site.ipp>
#include <robots/http/url.ipp>
#include <robots/http/validators.ipp>
#include <robots/observe/event_json.ipp>
#include <robots/observe/json_log.ipp>
#include <robots/observe/metric_families.ipp>
#include <robots/observe/metrics.ipp>
#include <robots/policy/codec.ipp>
