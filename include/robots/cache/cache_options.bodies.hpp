#pragma once

#include <robots/base/config.hpp>
#include <robots/base/printable.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/policy/judge.hpp>
#include <robots/rep/read/product_token.hpp>

#include <stdexcept>
#include <string_view>

namespace robots::cache_detail {

ROBOTS_INLINE detail::retrieval_options retrieval_options_of(const cache_options& options) {
  detail::retrieval_options result;
  result.user_agent = options.user_agent;
  result.max_redirects = options.max_redirects;
  result.redirects = options.redirects;
  result.timeout = options.timeout;
  result.max_bytes = options.parse.max_bytes;
  result.retry = options.retry;
  return result;
}

ROBOTS_INLINE detail::judge_options judge_options_of(const cache_options& options) {
  return {.fallback = options.fallback,
          .parse = options.parse,
          .malformed = options.malformed,
          .keep_text = options.keep_text,
          .default_ttl = options.default_ttl,
          .min_ttl = options.min_ttl,
          .max_ttl = options.max_ttl,
          .failure_ttl = options.failure_ttl,
          .unreachable_ttl = options.unreachable_ttl,
          .max_failure_ttl = options.max_failure_ttl,
          .failure_jitter = options.failure_jitter,
          .breaker_cooldown = options.breaker.cooldown,
          .last_good_for = options.last_good_for,
          .no_file_after = options.no_file_after,
          .stale_while_revalidate = options.stale_while_revalidate};
}

ROBOTS_INLINE crawler_names names_of(const cache_options& options) {
  if (!options.names.empty()) {
    return options.names.sent_as(options.user_agent);
  }
  crawler_names names{options.user_agent};
  for (const policy_token& bound : options.names.policy_tokens()) {
    names = names.with_policy_token(bound.token, bound.purpose);
  }
  return names;
}

ROBOTS_INLINE void require_names(const char* option, const crawler_names& names, dialect reading,
                                 bool may_be_everyone) {
  const auto refuse = [option](std::string_view name, const char* problem) {
    throw std::invalid_argument{std::string{option} + " \"" + base::printable(name) + "\" " +
                                problem};
  };
  if (names.empty()) {
    refuse({}, "names nobody: give a product token, as in FooBot");
  }
  for (const std::string_view name : names) {
    const std::string_view token = product_token(name, reading);
    if (is_target(name)) {
      refuse(name, "is a path or a URL: give a product token, as in FooBot");
    } else if (token.empty()) {
      refuse(name,
             "has no product token, or only tokens of browsers and client libraries: begin it with "
             "the crawler's name, as in FooBot/1.0, or set cache_options::names");
    } else if (token == "*" && !may_be_everyone && name.data() == names.begin()->data()) {
      refuse(name, "names every crawler: give the name of yours, as in FooBot/1.0");
    }
  }
}

}  // namespace robots::cache_detail
