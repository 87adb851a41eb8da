#pragma once

#include <robots/base/config.hpp>
#include <robots/base/printable.hpp>
#include <robots/client/page_result.hpp>

#include <chrono>

namespace robots {

ROBOTS_INLINE std::string explain(const page_hop& hop) {
  std::string text = base::printable(hop.url) + ": ";
  if (hop.reason == admission_reason::go || !hop.decision.allowed) {
    text += explain(hop.decision);
  } else {
    text += explain(hop.reason);
  }
  if (hop.waited >= std::chrono::milliseconds{1}) {
    text += "; waited " + polite_detail::seconds_text(hop.waited);
  }
  if (hop.reason != admission_reason::go) {
    return text;
  }
  if (hop.error != fetch_error::none) {
    text += "; failed: " + std::string{to_string(hop.error)};
    text += hop.error_text.empty() ? "" : " (" + base::printable(hop.error_text) + ')';
  } else {
    text += "; " + std::to_string(hop.status);
  }
  return text + " after " + polite_detail::seconds_text(hop.took);
}

ROBOTS_INLINE std::string end_text(const page_result& result) {
  std::string text{to_string(result.end)};
  if (result.end == page_end::answered) {
    text += " with " + std::to_string(result.response->status);
  } else if (result.end == page_end::redirect_refused || result.end == page_end::redirect_limit) {
    text += ": " + base::printable(result.why);
  } else if (result.end == page_end::overloaded && result.retry_after) {
    text += ": come back in " + std::to_string(result.retry_after->count()) + " s";
  }
  return text;
}

ROBOTS_INLINE std::string explain(const page_result& result) {
  return end_text(result) + "; " + explain(result.hops.back());
}

}  // namespace robots
