#pragma once

#include <array>
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
inline constexpr std::array all_dialect_clauses{
    dialect_clause::rule_normal_form,
    dialect_clause::target_normal_form,
    dialect_clause::robots_txt_always_allowed,
    dialect_clause::key_prefixes,
    dialect_clause::nul_ends_line,
    dialect_clause::ignores_keyless_lines,
    dialect_clause::keeps_cut_allow,
    dialect_clause::partial_byte_order_mark,
    dialect_clause::index_html_is_directory,
    dialect_clause::lenient_targets,
};

/// The name of a clause, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(dialect_clause clause) noexcept {
  switch (clause) {
    case dialect_clause::rule_normal_form:
      return "rule_normal_form";
    case dialect_clause::target_normal_form:
      return "target_normal_form";
    case dialect_clause::robots_txt_always_allowed:
      return "robots_txt_always_allowed";
    case dialect_clause::key_prefixes:
      return "key_prefixes";
    case dialect_clause::nul_ends_line:
      return "nul_ends_line";
    case dialect_clause::ignores_keyless_lines:
      return "ignores_keyless_lines";
    case dialect_clause::keeps_cut_allow:
      return "keeps_cut_allow";
    case dialect_clause::partial_byte_order_mark:
      return "partial_byte_order_mark";
    case dialect_clause::index_html_is_directory:
      return "index_html_is_directory";
    case dialect_clause::lenient_targets:
      return "lenient_targets";
  }
  return "unknown";
}

/// A sentence on what the dialects do differently, and on whose authority.
[[nodiscard]] constexpr std::string_view describe(dialect_clause clause) noexcept {
  switch (clause) {
    case dialect_clause::rule_normal_form:
      return "RFC 9309, section 2.2.2, compares patterns with unreserved octets decoded and others "
             "encoded, and section 2.2.3 has %2A and %24 for literal * and $; google/robotstxt "
             "only encodes octets outside ASCII and writes escapes in upper case.";
    case dialect_clause::target_normal_form:
      return "RFC 9309, section 2.2.2, brings targets into the same percent-encoded form as "
             "patterns; google/robotstxt compares them as they are given.";
    case dialect_clause::robots_txt_always_allowed:
      return "RFC 9309, section 2.2.2, allows /robots.txt implicitly; google/robotstxt applies the "
             "rules to it like to any other target.";
    case dialect_clause::key_prefixes:
      return "RFC 9309, section 2.2, names the keys whole; google/robotstxt takes any key that "
             "begins with one, so that `Disallowed` is a Disallow.";
    case dialect_clause::nul_ends_line:
      return "RFC 9309, section 2.2, has no place for a NUL octet, so the line is skipped; "
             "google/robotstxt reads the line up to it.";
    case dialect_clause::ignores_keyless_lines:
      return "RFC 9309, section 2.2.1, has groups begin at User-agent lines, so the rules behind a "
             "broken one are nobody's; google/robotstxt gives them to the group above.";
    case dialect_clause::keeps_cut_allow:
      return "RFC 9309, section 2.5, knows limits but no cut rules, so an Allow line cut for its "
             "length is skipped; google/robotstxt applies what is left, which allows more.";
    case dialect_clause::partial_byte_order_mark:
      return "RFC 9309, section 2.3, asks for UTF-8, in which only a whole byte order mark has a "
             "meaning, and several are skipped like one; google/robotstxt skips one only, and the "
             "first octets of one on their own as well.";
    case dialect_clause::index_html_is_directory:
      return "RFC 9309, section 2.2.2, compares paths octet by octet; google/robotstxt lets a rule "
             "that allows /x/index.html allow /x/ too.";
    case dialect_clause::lenient_targets:
      return "RFC 9309, section 2.2.2, compares the path and query of a URI; google/robotstxt also "
             "finds them in //host/path and host/path and ends them at a semicolon before any "
             "slash.";
  }
  return "";
}

}  // namespace robots
