#pragma once

#include <robots/base/enum_text.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots {

/// The rules that a page states about itself, in `X-Robots-Tag` and `Robots-Tag` headers and in
/// robots meta elements (documentation of Google, Bing and MDN; draft-illyes-repext-03).
enum class page_rule_kind : std::uint8_t {
  noindex,
  nofollow,
  none,  ///< `noindex` and `nofollow`
  noarchive,
  nocache,  ///< Bing's name of `noarchive`
  nosnippet,
  notranslate,
  noimageindex,
  indexifembedded,
  max_snippet,
  max_image_preview,
  max_video_preview,
  unavailable_after,
  permissive,  ///< `all`, `index`, `follow` and their kin: what is the case without a rule
  unknown,
};

/// Returns the spelling of a rule; `all` for `permissive`.
[[nodiscard]] constexpr std::string_view to_string(page_rule_kind kind) noexcept {
  return base::enum_text<page_rule_kind::unknown>(
      kind, {"noindex", "nofollow", "none", "noarchive", "nocache", "nosnippet", "notranslate",
             "noimageindex", "indexifembedded", "max-snippet", "max-image-preview",
             "max-video-preview", "unavailable_after", "all", "unknown"});
}

/// The size of the images that a result may show.
enum class image_preview : std::uint8_t { none, standard, large };

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(image_preview preview) noexcept {
  return base::enum_text<image_preview::large>(preview, {"none", "standard", "large"});
}

/// One rule of a header or a meta element. The views point into the text that was read.
struct page_rule {
  page_rule_kind kind = page_rule_kind::unknown;  ///< the rule, `unknown` for any other text
  std::string_view addressee{};  ///< a product token as written; empty means every crawler
  std::string_view name{};       ///< the rule as written, such as `NoIndex`
  std::string_view value{};      ///< the value as written, such as `20` of `max-snippet:20`
  /// The value of `max_snippet` and `max_video_preview`; -1 means no limit.
  std::optional<int> number{};
  std::optional<image_preview> preview{};          ///< of `max_image_preview`
  std::optional<std::chrono::sys_seconds> time{};  ///< of `unavailable_after`
  std::string_view problem{};  ///< why the rule states nothing; empty if it states something
};

/// The maximum number of octets that are read of one header or meta element. After that, only whole
/// members are read.
inline constexpr std::size_t max_page_rule_bytes = 65'536;

/// Reads one `X-Robots-Tag` header value. Takes linear time, and accepts any octets.
///
///     value = [ bot ":" ] rule *( "," rule )
///
/// A `bot:` prefix is for the rules up to the next prefix or the end of the value. `*:` and an
/// empty prefix mean every crawler. Rules with a value, such as `max-snippet: 10`, do not end a
/// prefix. Rules are also separated by blanks and `;`, and can have quotes around them. The syntax
/// of `Robots-Tag` is read, too: `*;nosnippet, ExampleBot;noindex`.
[[nodiscard]] std::vector<page_rule> parse_x_robots_tag(std::string_view value);

/// Reads the content of a robots meta element. It has the rules of an `X-Robots-Tag` header, but no
/// prefixes: the name of the element is the addressee. Takes linear time, and accepts any octets.
[[nodiscard]] std::vector<page_rule> parse_robots_meta(std::string_view content);

/// Reads a `Robots-Tag` header (draft-illyes-repext-03): a List of RFC 9651, whose members are
/// product tokens, and whose parameters are rules, as in `*;nosnippet, ExampleBot;noindex`. Several
/// headers of a response form one List: join them with commas. A value with a wrong syntax states
/// nothing as a whole. `;noindex=?0` states nothing. If a member repeats a rule, its last value
/// counts. Takes linear time.
[[nodiscard]] std::vector<page_rule> parse_robots_tag(std::string_view value);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/page_rule.bodies.hpp>
#endif
