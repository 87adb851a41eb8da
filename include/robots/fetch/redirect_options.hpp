#pragma once

#include <robots/http/origin.hpp>

#include <string>

namespace robots {

/// The redirects that a crawler refuses to follow, though the rules of the sites would permit them.
/// By default, it refuses none of these.
struct redirect_options {
  /// If true, refuses a redirect from https to http. Over http, any machine between the crawler
  /// and the site can read the request and change the response.
  bool refuse_http = false;
  /// If true, refuses a redirect to another host. A subdomain is another host.
  bool refuse_other_hosts = false;
};

}  // namespace robots

namespace robots::detail {

/// Returns the reason why `limits` refuse a redirect between two origins, or an empty text.
[[nodiscard]] inline std::string refusal_by(const redirect_options& limits, const origin& from,
                                            const origin& to) {
  if (limits.refuse_http && from.scheme == url_scheme::https && to.scheme == url_scheme::http) {
    return "redirect from https to http, which redirect_options refuse: " + to_string(to);
  }
  if (limits.refuse_other_hosts && from.host != to.host) {
    return "redirect to another host, which redirect_options refuse: " + to_string(to);
  }
  return {};
}

}  // namespace robots::detail
