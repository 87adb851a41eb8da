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

// A bare host and the origin that answered for it have the same rules, which may be kept under
// either name.

/// What flights are told apart by: a bare host asks its https origin first, so the two share one.
[[nodiscard]] inline std::string flight_key(site where) {
  if (where.scheme == url_scheme::https) {
    where.scheme.reset();
  }
  return where.key();
}

/// The names under which the rules of a site may be kept: its own; for a bare host, those of its
/// origins; for an origin, that of its bare host.
[[nodiscard]] inline std::vector<site> names_of(const site& where) {
  std::vector<site> names{where};
  for (const auto scheme : {std::optional<url_scheme>{}, std::optional{url_scheme::https},
                            std::optional{url_scheme::http}}) {
    if (scheme != where.scheme && !(scheme && where.scheme)) {
      names.push_back({scheme, where.host, where.port});
    }
  }
  return names;
}

/// The name that may share its rules with `where`: of an origin its bare host, of a bare host its
/// https origin.
[[nodiscard]] inline site counterpart_of(const site& where) {
  site other = where;
  other.scheme = where.scheme ? std::optional<url_scheme>{} : std::optional{url_scheme::https};
  return other;
}

/// Whether what came of asking the counterpart of `where` holds for `where`, too: whether it came
/// from the origin of the two.
[[nodiscard]] inline bool answers_for(const site& where, const record_head& answered) {
  const site origin = where.scheme ? where : counterpart_of(where);
  return answered.status != 0 && answered.url == origin.robots_urls().front();
}

/// The same for what is kept under the counterpart.
[[nodiscard]] inline bool answers_for(const site& where,
                                      const std::shared_ptr<const policy>& kept) {
  const auto good = policy::good(kept);
  return answers_for(where, good ? good->source() : kept->source());
}

/// Returns true if `answer`, the policy of the site of `key`, holds for `where`: for the same site,
/// or for its bare host or origin unless another origin answered.
[[nodiscard]] inline bool is_answer_for(const std::optional<site>& where, std::string_view key,
                                        const policy& answer) {
  if (!where) {
    return key.empty();
  }
  const auto names = names_of(*where);
  const auto asked =
      std::find_if(names.begin(), names.end(), [&](const site& name) { return name.key() == key; });
  if (asked == names.end() || *asked == *where) {
    return asked != names.end();
  }
  const record_head source = answer.source();
  return source.status == 0 || answers_for(*where, source);
}

}  // namespace robots::policy_detail
