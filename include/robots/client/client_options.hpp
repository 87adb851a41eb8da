#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/redirect_options.hpp>
#include <robots/http/message.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/usage/page_statements.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Reads the meta elements and the links of a page into `page`. `body` is the start of the page, as
/// the server sent it, and `headers` are the headers of its response. `is_cut` is true if the page
/// has more octets than `body`. A reader that could not read the whole head calls
/// `page.mark_unread(statement_place::meta)`. Any thread may call a reader. `html_reader` of the
/// adapter `robots::html` is one.
using page_reader = std::function<void(page_statements& page, std::string_view body,
                                       const std::vector<http_header>& headers, bool is_cut)>;

/// The options of a `basic_polite_client`.
struct client_options {
  /// The maximum number of redirects of one call. Each redirect needs a new permission.
  int max_redirects = 10;
  /// The redirects of pages that are refused.
  redirect_options redirects{};
  /// The maximum number of answers 429 and 503 in one call. After such an answer, the client waits
  /// for its next turn at the host, and asks again. With 1, it never asks again.
  int tries = 3;
  /// The maximum `Retry-After` for which a call waits. A longer one ends the call
  /// (`page_end::overloaded`). The gate obeys it in any case.
  std::chrono::seconds max_retry_after{60};
  /// The timeout of each exchange; 0 means no limit.
  std::chrono::milliseconds timeout{30'000};
  /// The maximum number of octets of a page; 0 means no limit. The rest of a longer page is cut.
  std::size_t max_bytes = 10'000'000;
  /// The header `Accept` of each request.
  std::string accept = "text/html, application/xhtml+xml, */*";
  /// The function that reads HTML. Without it, the meta elements of an HTML page are unread, and
  /// could forbid any use.
  page_reader reader{};
};

/// A range of the octets of a page.
struct byte_range {
  std::uint64_t first = 0;              ///< the first octet, from 0 on
  std::optional<std::uint64_t> last{};  ///< the last octet; empty means the end of the page
};

/// The options of one call of a `basic_polite_client`, besides those of every call. The deadline,
/// the stop token and the user agent count for the robots.txt, for the turn at the host, and for
/// the page.
struct page_options : call_options {
  /// The part of the page to ask for (RFC 9110, section 14.2). A server may send the whole page.
  std::optional<byte_range> range{};
  /// The maximum number of octets of the page. Empty means `client_options::max_bytes`.
  std::optional<std::size_t> max_bytes{};
  /// The purpose for which `page_result::permission` answers.
  std::optional<robots::purpose> purpose{};
};

/// Throws `std::invalid_argument` if an option is invalid. The message says what to change.
inline void validate(const client_options& options) {
  using base::require;
  require(options.max_redirects >= 0, "max_redirects", options.max_redirects,
          ": use 0 or more; with 0, none is followed");
  require(options.tries >= 1, "tries", options.tries, ": use 1 or more; with 1, none is repeated");
  require(options.max_retry_after.count() >= 0, "max_retry_after", options.max_retry_after.count(),
          " s: use 0 or more");
  require(options.timeout.count() >= 0, "timeout", options.timeout.count(),
          " ms: use 0 or more; with 0, there is no limit");
  require(detail::is_header_value(options.accept), "accept has a control character: remove it");
}

/// Throws `std::invalid_argument` for a range whose last octet is before its first.
inline void validate(const page_options& options) {
  if (options.range && options.range->last) {
    base::require(*options.range->last >= options.range->first, "range: last", *options.range->last,
                  ", before first: give the numbers of the first and the last octet");
  }
}

}  // namespace robots
