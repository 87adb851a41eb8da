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

// A bare host and the origin that answered have the same rules, which may be stored under either
// name.

/// Returns the key of the flight of a site. A bare host asks its https origin first, so the two
/// share a flight.
[[nodiscard]] inline std::string flight_key(site asked) {
  if (asked.scheme == url_scheme::https) {
    asked.scheme.reset();
  }
  return asked.key();
}

/// The names under which the rules of a site may be kept: its own; for a bare host, those of its
/// origins; for an origin, that of its bare host.
[[nodiscard]] inline std::vector<site> names_of(const site& asked) {
  std::vector<site> names{asked};
  for (const auto scheme : {std::optional<url_scheme>{}, std::optional{url_scheme::https},
                            std::optional{url_scheme::http}}) {
    if (scheme != asked.scheme && !(scheme && asked.scheme)) {
      names.push_back({scheme, asked.host, asked.port});
    }
  }
  return names;
}

/// Returns the name that may share the rules of `asked`: the bare host of an origin, or the https
/// origin of a bare host.
[[nodiscard]] inline site counterpart_of(const site& asked) {
  site other = asked;
  other.scheme = asked.scheme ? std::optional<url_scheme>{} : std::optional{url_scheme::https};
  return other;
}

/// Returns true if an answer for the counterpart of `asked` holds for `asked`, too: it came from
/// the origin of the two.
[[nodiscard]] inline bool answers_for(const site& asked, const record_head& answered) {
  const site origin = asked.scheme ? asked : counterpart_of(asked);
  return answered.status != 0 && answered.url == origin.robots_urls().front();
}

/// Decides that for the policy that is kept under the counterpart.
[[nodiscard]] inline bool answers_for(const site& asked,
                                      const std::shared_ptr<const policy>& last) {
  const auto good = policy::good(last);
  return answers_for(asked, good ? good->source() : last->source());
}

/// Returns true if `answer`, the policy of the site of `key`, holds for `asked`: for the same site,
/// or for its bare host or origin unless another origin answered.
[[nodiscard]] inline bool is_answer_for(const std::optional<site>& asked, std::string_view key,
                                        const policy& answer) {
  if (!asked) {
    return key.empty();
  }
  const auto names = names_of(*asked);
  const auto named =
      std::find_if(names.begin(), names.end(), [&](const site& name) { return name.key() == key; });
  if (named == names.end() || *named == *asked) {
    return named != names.end();
  }
  const record_head source = answer.source();
  return source.status == 0 || answers_for(*asked, source);
}

}  // namespace robots::policy_detail
