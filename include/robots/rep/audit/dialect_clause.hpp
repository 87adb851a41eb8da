#pragma once

#include <robots/base/enum_text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots {

/// The points on which the dialects disagree.
enum class dialect_clause : std::uint8_t {
  rule_normal_form,           ///< what of a pattern is percent-encoded and decoded
  target_normal_form,         ///< what of a target is percent-encoded and decoded
  robots_txt_always_allowed,  ///< whether /robots.txt itself can be denied
  key_prefixes,               ///< whether `Disallowed:` is a Disallow
  nul_ends_line,              ///< what becomes of a line with a NUL octet
  ignores_keyless_lines,      ///< whether `User-agent a b` begins a group, though of nobody
  keeps_cut_allow,            ///< whether an Allow line cut for its length counts
  partial_byte_order_mark,    ///< whether a part of a UTF-8 byte order mark is skipped
  index_html_is_directory,    ///< whether `Allow: /x/index.html` allows `/x/` too
  lenient_targets,            ///< what of a target that is no URL is its path
};

/// Every clause, in the order of the enumerators.
inline constexpr auto all_dialect_clauses = [] {
  std::array<dialect_clause, static_cast<std::size_t>(dialect_clause::lenient_targets) + 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<dialect_clause>(i);
  }
  return all;
}();

/// The name of a clause, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(dialect_clause clause) noexcept {
  return base::enum_text<dialect_clause::lenient_targets>(
      clause, {"rule_normal_form", "target_normal_form", "robots_txt_always_allowed",
               "key_prefixes", "nul_ends_line", "ignores_keyless_lines", "keeps_cut_allow",
               "partial_byte_order_mark", "index_html_is_directory", "lenient_targets"});
}

/// A sentence on what the dialects do differently, and on whose authority.
[[nodiscard]] constexpr std::string_view describe(dialect_clause clause) noexcept {
  return base::enum_text<dialect_clause::lenient_targets>(
      clause,
      {"RFC 9309, section 2.2.2, compares patterns with unreserved octets decoded and others "
       "encoded, and section 2.2.3 has %2A and %24 for literal * and $; google/robotstxt "
       "only encodes octets outside ASCII and writes escapes in upper case.",
       "RFC 9309, section 2.2.2, brings targets into the same percent-encoded form as "
       "patterns; google/robotstxt compares them as they are given.",
       "RFC 9309, section 2.2.2, allows /robots.txt implicitly; google/robotstxt applies the "
       "rules to it like to any other target.",
       "RFC 9309, section 2.2, names the keys whole; google/robotstxt takes any key that "
       "begins with one, so that `Disallowed` is a Disallow.",
       "RFC 9309, section 2.2, has no place for a NUL octet, so the line is skipped; "
       "google/robotstxt reads the line up to it.",
       "RFC 9309, section 2.2.1, has groups begin at User-agent lines, so the rules behind a "
       "broken one are nobody's; google/robotstxt gives them to the group above.",
       "RFC 9309, section 2.5, knows limits but no cut rules, so an Allow line cut for its "
       "length is skipped; google/robotstxt applies what is left, which allows more.",
       "RFC 9309, section 2.3, asks for UTF-8, in which only a whole byte order mark has a "
       "meaning, and several are skipped like one; google/robotstxt skips one only, and the "
       "first octets of one on their own as well.",
       "RFC 9309, section 2.2.2, compares paths octet by octet; google/robotstxt lets a rule "
       "that allows /x/index.html allow /x/ too.",
       "RFC 9309, section 2.2.2, compares the path and query of a URI; google/robotstxt also "
       "finds them in //host/path and host/path and ends them at a semicolon before any "
       "slash."});
}

}  // namespace robots
