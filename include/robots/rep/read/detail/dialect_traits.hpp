#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

namespace robots::rep_detail {

/// All differences between the dialects, as data.
struct dialect_traits {
  const normal_form* rule_form;    ///< normal form of patterns
  const normal_form* target_form;  ///< normal form of targets
  bool robots_txt_always_allowed;  ///< RFC 9309, section 2.2.2
  bool key_prefixes;               ///< `Disallowed:` means `Disallow:`
  bool nul_ends_line;              ///< a NUL octet ends its line; otherwise the line is dropped
  bool ignores_keyless_lines;      ///< if false, `User-agent a b` is a User-agent line without name
  bool keeps_cut_allow;            ///< an Allow line that is too long is cut and obeyed
  bool partial_byte_order_mark;    ///< skips one UTF-8 BOM or its start; else skips whole BOMs
  bool index_html_is_directory;    ///< `Allow: /x/index.html` allows `/x/` too
  bool lenient_targets;            ///< reads `host/path` as host and path
};

inline constexpr dialect_traits rfc9309_traits{
    .rule_form = &rfc9309_rule_form,
    .target_form = &rfc9309_target_form,
    .robots_txt_always_allowed = true,
    .key_prefixes = false,
    .nul_ends_line = false,
    .ignores_keyless_lines = false,
    .keeps_cut_allow = false,
    .partial_byte_order_mark = false,
    .index_html_is_directory = false,
    .lenient_targets = false,
};

inline constexpr dialect_traits google_traits{
    .rule_form = &google_rule_form,
    .target_form = &google_target_form,
    .robots_txt_always_allowed = false,
    .key_prefixes = true,
    .nul_ends_line = true,
    .ignores_keyless_lines = true,
    .keeps_cut_allow = true,
    .partial_byte_order_mark = true,
    .index_html_is_directory = true,
    .lenient_targets = true,
};

[[nodiscard]] constexpr const dialect_traits& traits_of(dialect value) noexcept {
  return value == dialect::google ? google_traits : rfc9309_traits;
}

}  // namespace robots::rep_detail
