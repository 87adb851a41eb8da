#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

namespace robots::rep_detail {

/// All differences between the dialects, as data. The defaults are those of RFC 9309.
struct dialect_traits {
  dialect name = dialect::rfc9309;           ///< identifies the traits
  const normal_form* rule_form = nullptr;    ///< normal form of patterns
  const normal_form* target_form = nullptr;  ///< normal form of targets
  bool robots_txt_always_allowed = true;     ///< RFC 9309, section 2.2.2
  bool key_prefixes = false;                 ///< `Disallowed:` means `Disallow:`
  bool nul_ends_line = false;  ///< a NUL octet ends its line; otherwise the line is dropped
  /// If true, ignores `User-agent a b`. If false, reads the line as `User-agent:` with no name.
  bool ignores_keyless_lines = false;
  bool keeps_cut_allow = false;  ///< an Allow line that is too long is cut and obeyed
  /// If false, skips invisible characters around a key, a name or a value, and `;` behind a name.
  /// If true, they are a part of the key, the name or the value.
  bool keeps_invisible = false;
  /// If true, skips at most one UTF-8 BOM. If false, skips all BOMs. The last can be incomplete.
  bool one_byte_order_mark = false;
  bool index_html_is_directory = false;  ///< `Allow: /x/index.html` allows `/x/` too
  bool lenient_targets = false;          ///< reads `host/path` as host and path
};

inline constexpr dialect_traits rfc9309_traits{
    .rule_form = &rfc9309_rule_form,
    .target_form = &rfc9309_target_form,
};

inline constexpr dialect_traits google_traits{
    .name = dialect::google,
    .rule_form = &google_rule_form,
    .target_form = &google_target_form,
    .robots_txt_always_allowed = false,
    .key_prefixes = true,
    .nul_ends_line = true,
    .ignores_keyless_lines = true,
    .keeps_cut_allow = true,
    .keeps_invisible = true,
    .one_byte_order_mark = true,
    .index_html_is_directory = true,
    .lenient_targets = true,
};

[[nodiscard]] constexpr const dialect_traits& traits_of(dialect value) noexcept {
  return value == dialect::google ? google_traits : rfc9309_traits;
}

/// Refers to the traits of a dialect. A shared library can have its own copy of the traits, so two
/// references are equal if their dialects are.
class dialect_traits_reference {
 public:
  constexpr dialect_traits_reference(  // NOLINT(google-explicit-constructor)
      const dialect_traits& to) noexcept
      : traits_(&to) {}
  [[nodiscard]] constexpr const dialect_traits& operator*() const noexcept { return *traits_; }
  [[nodiscard]] constexpr const dialect_traits* operator->() const noexcept { return traits_; }
  [[nodiscard]] friend constexpr bool operator==(const dialect_traits_reference& a,
                                                 const dialect_traits_reference& b) noexcept {
    return a->name == b->name;
  }

 private:
  const dialect_traits* traits_;
};

}  // namespace robots::rep_detail
