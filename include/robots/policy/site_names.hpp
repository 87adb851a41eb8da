#pragma once

#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::policy_detail {

// A host without a scheme has two origins, https and http. The rules of the origin that responded
// apply to the host. The cache can store these rules under the name of the host or of the origin.

/// Returns the key under which concurrent look-ups of a site share one request. An https origin and
/// its host share a key, since a look-up of the host asks the https origin first.
[[nodiscard]] inline std::string flight_key(site asked) {
  if (asked.scheme == url_scheme::https) {
    asked.scheme.reset();
  }
  return asked.key();
}

/// Returns the host if `asked` is an origin, or the https origin if `asked` is a host.
[[nodiscard]] inline site counterpart_of(const site& asked) {
  site other = asked;
  other.scheme = asked.scheme ? std::optional<url_scheme>{} : std::optional{url_scheme::https};
  return other;
}

/// Returns the names under which the rules of a site can be stored: first `asked`, then the two
/// origins if `asked` is a host, or the host if `asked` is an origin.
[[nodiscard]] inline std::vector<site> names_of(const site& asked) {
  std::vector<site> names;
  names.reserve(3);
  names.push_back(asked);
  names.push_back(counterpart_of(asked));
  if (!asked.scheme) {
    names.push_back({url_scheme::http, asked.host, asked.port});
  }
  return names;
}

/// Returns the URL of the robots.txt of `asked`, or that of the https origin if `asked` is a host.
[[nodiscard]] inline std::string first_robots_url(const site& asked) {
  return to_string(asked.origin_under(asked.scheme.value_or(url_scheme::https))) + "/robots.txt";
}

/// Returns true if `answered` came from `asked`, or from the https origin if `asked` is a host. If
/// true, `answered` is valid for `asked`, even if stored under `counterpart_of(asked)`.
[[nodiscard]] inline bool answers_for(const site& asked, const detail::source_view& answered) {
  return answered.status != 0 && answered.url.is(first_robots_url(asked));
}
[[nodiscard]] inline bool answers_for(const site& asked, const record_head& answered) {
  return answered.status != 0 && answered.url == first_robots_url(asked);
}

/// Calls `answers_for` with the answer that `last` keeps for failures, or with the newest answer if
/// `last` keeps none. The kept answer can come from another origin than the newest.
[[nodiscard]] inline bool answers_for(const site& asked,
                                      const std::shared_ptr<const policy>& last) {
  const auto last_kept = policy::last_successful(last);
  return answers_for(asked, last_kept ? last_kept->source_view() : last->source_view());
}

/// Returns the newest complete answer of `known`: `known` itself, or the answer that it keeps if it
/// is about a failure. The result can be null.
[[nodiscard]] inline std::shared_ptr<const policy> newest_answer(
    const std::shared_ptr<const policy>& known) {
  return known && is_failure(known->outcome()) ? policy::last_successful(known) : known;
}

/// Returns true if both policies have answers of the same origin, and that of `other` is not older
/// than that of `one`.
[[nodiscard]] inline bool can_replace(const std::shared_ptr<const policy>& one,
                                      const std::shared_ptr<const policy>& other) {
  const auto first = newest_answer(one);
  const auto second = newest_answer(other);
  return first && second && first->fetched_at() <= second->fetched_at() &&
         first->source_view().url == second->source_view().url;
}

/// Returns true if `answer`, stored under `key`, is valid for `asked`. If `key` is another name of
/// `asked`, an `answer` with an HTTP status is valid only if `answers_for` returns true.
[[nodiscard]] inline bool is_answer_for(const std::optional<site>& asked, std::string_view key,
                                        const policy& answer) {
  if (!asked) {
    return key.empty();
  }
  const auto names = names_of(*asked);
  if (key == asked->key() || std::none_of(names.begin(), names.end(),
                                          [&](const site& name) { return name.key() == key; })) {
    return key == asked->key();
  }
  const detail::source_view source = answer.source_view();
  return source.status == 0 || answers_for(*asked, source);
}

}  // namespace robots::policy_detail
