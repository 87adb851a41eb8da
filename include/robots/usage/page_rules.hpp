#pragma once

#include <robots/http/header.hpp>
#include <robots/usage/page_rule.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace robots {

/// A meta element of an HTML page, as an HTML parser delivers it: character references are decoded.
struct meta_element {
  std::string_view name{};     ///< the attribute `name`, in any case
  std::string_view content{};  ///< the attribute `content`
};

/// The rules of a page for one crawler. Of all rules that are addressed to the crawler or to
/// everyone, the most restrictive ones apply.
struct page_rules {
  bool index = true;             ///< false: do not list the page in results
  bool follow = true;            ///< false: do not follow the links of the page
  bool archive = true;           ///< false: do not offer a copy of the page
  bool snippet = true;           ///< false: do not show any text of the page
  bool translate = true;         ///< false: do not offer a translation
  bool image_index = true;       ///< false: do not index the images of the page
  bool indexifembedded = false;  ///< true: noindex does not apply where the page is in an iframe
  std::optional<int> max_snippet{};        ///< characters; -1: no limit; nullopt: nothing said
  std::optional<int> max_video_preview{};  ///< seconds; -1: no limit; nullopt: nothing said
  std::optional<image_preview> max_image_preview{};  ///< nullopt: nothing said
  /// The earliest time from which the page must not be listed. `index` does not depend on it.
  std::optional<std::chrono::system_clock::time_point> unavailable_after{};

  [[nodiscard]] friend bool operator==(const page_rules&, const page_rules&) = default;
};

/// Returns the rules of a page for one crawler, from all its `X-Robots-Tag` and `Robots-Tag`
/// headers, and from its meta elements named `robots` or like the crawler. `user_agent` is a
/// product token or a whole `User-Agent` header value; for "*", only rules for everyone apply.
///
/// Accepts any octets, and never throws because of them. Ignores what it cannot read; see
/// `page_statements` for all that was said. Takes linear time.
[[nodiscard]] page_rules read_page_rules(std::span<const http_header> headers,
                                         std::span<const meta_element> meta,
                                         std::string_view user_agent);

/// Returns the same for a crawler with several product tokens. Without any, only rules for everyone
/// apply.
[[nodiscard]] page_rules read_page_rules(std::span<const http_header> headers,
                                         std::span<const meta_element> meta,
                                         std::span<const std::string_view> tokens);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/page_rules.bodies.hpp>
#endif
