#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// RFC 9309, sections 2.2.1 to 2.2.3, written for clarity instead of speed, as a reference for the
/// library. It shares no code with the library: it has its own normal form, comparison, and choice
/// of groups and rules. It takes quadratic time, and copies everything.
namespace reference {

enum class reading { rfc9309, google };
enum class line_kind { user_agent, allow, disallow, other };

/// One line of a robots.txt, split into key and value.
struct line {
  line_kind kind;
  std::string value;
  std::uint32_t number = 0;
};

struct answer {
  bool allowed = true;
  std::optional<line> rule{};  ///< the rule that decided
  bool falls_back = false;     ///< true if the groups of `*` applied
};

inline bool is_hex(char c) {
  return std::string_view{"0123456789abcdefABCDEF"}.find(c) != std::string_view::npos;
}

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns true for the unreserved characters of RFC 3986, section 2.3.
inline bool is_unreserved(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view{"-._~"}.find(c) != std::string_view::npos;
}

inline std::string lower(std::string_view text) {
  std::string result{text};
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return result;
}

inline std::string escape(unsigned octet) {
  const std::string_view digits = "0123456789ABCDEF";
  return {'%', digits[octet / 16], digits[octet % 16]};
}

/// Returns the octet of a percent-encoding at the start of `text`.
inline std::optional<unsigned> escaped_octet(std::string_view text) {
  if (text.size() < 3 || text[0] != '%' || !is_hex(text[1]) || !is_hex(text[2])) {
    return std::nullopt;
  }
  return static_cast<unsigned>(std::stoul(std::string{text.substr(1, 2)}, nullptr, 16));
}

/// Returns the normal form of RFC 9309, section 2.2.2. It encodes octets outside ASCII, control
/// characters and spaces, and writes encodings in upper case. It decodes unreserved octets. It
/// keeps encoded reserved octets, a `%` without two digits, `*` and `$`. google/robotstxt encodes
/// only octets outside ASCII, and decodes nothing.
inline std::string normal_form(std::string_view text, reading mode) {
  std::string result;
  while (!text.empty()) {
    if (const auto octet = escaped_octet(text)) {
      const char c = static_cast<char>(*octet);
      const bool decode = mode == reading::rfc9309 && is_unreserved(c);
      result += decode ? std::string{c} : escape(*octet);
      text.remove_prefix(3);
      continue;
    }
    const auto octet = static_cast<unsigned char>(text.front());
    const bool control = mode == reading::rfc9309 && (octet <= 0x20 || octet == 0x7F);
    result += control || octet >= 0x80 ? escape(octet) : std::string{text.front()};
    text.remove_prefix(1);
  }
  return result;
}

/// Replaces each `from` in `text` by `to`.
inline std::string replace_all(std::string text, char from, std::string_view to) {
  std::string result;
  for (const char c : text) {
    if (c == from) {
      result += to;
    } else {
      result += c;
    }
  }
  return result;
}

/// Returns path and query of a target in the form in which they are compared. google/robotstxt
/// compares the target as it is, up to its first NUL.
inline std::string comparable_target(std::string_view path, reading mode) {
  if (mode == reading::google) {
    return std::string{path.substr(0, path.find('\0'))};
  }
  return replace_all(replace_all(normal_form(path, mode), '*', "%2A"), '$', "%24");
}

/// Returns true if rules do not apply to a target (RFC 9309, section 2.2.2).
inline bool is_exempt(std::string_view path, reading mode) {
  const std::string compared = comparable_target(path, mode);
  return mode == reading::rfc9309 &&
         (compared == "/robots.txt" || compared.starts_with("/robots.txt?"));
}

/// RFC 9309, section 2.2.3: `*` matches any octets, and `$` at the end of the pattern matches the
/// end of the target.
inline bool matches(std::string_view written, std::string_view path, reading mode) {
  const bool anchored = written.ends_with('$');
  std::string pattern = normal_form(written.substr(0, written.size() - (anchored ? 1 : 0)), mode);
  if (mode == reading::rfc9309) {  // a `$` before the end is not special
    pattern = replace_all(pattern, '$', "%24");
  }
  const std::string target = comparable_target(path, mode);
  std::vector<bool> reached(target.size() + 1, false);  // places where the pattern so far can end
  reached[0] = true;
  for (const char c : pattern) {
    std::vector<bool> next(target.size() + 1, false);
    for (std::size_t i = 0; i <= target.size(); ++i) {
      if (c == '*') {
        next[i] = reached[i] || (i > 0 && next[i - 1]);
      } else {
        next[i] = i > 0 && reached[i - 1] && target[i - 1] == c;
      }
    }
    reached = next;
  }
  return anchored ? reached.back() : std::ranges::find(reached, true) != reached.end();
}

/// Returns the length that section 2.2.2 compares ("the most octets").
inline std::size_t specificity(std::string_view written, reading mode) {
  return normal_form(written, mode).size();
}

/// Returns the product name at the start of a text (RFC 9110, section 10.1.5) in lower case.
inline std::string product_of(std::string_view text) {
  while (!text.empty() &&
         std::string_view{" \t\v\f"}.find(text.front()) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  return lower(text.substr(0, text.find_first_of(" \t\v\f\r\n/(;,)")));
}

/// Returns true for a header that is one product without a comment, such as `FooBot/2.1`.
inline bool is_one_product(std::string_view user_agent) {
  const bool is_path_or_url = user_agent.starts_with('/') ||
                              lower(user_agent).starts_with("http:/") ||
                              lower(user_agent).starts_with("https:/");
  return !is_path_or_url && !lower(user_agent).starts_with("mozilla/") &&
         user_agent.find_first_of(" \t\v\f\r\n(;,)") == std::string_view::npos;
}

/// Returns the token of a crawler: the name of its first product. If this name is Mozilla, the
/// token is the name after `compatible;`, as in an example of RFC 9309, section 2.2.1. The library
/// searches a header with several products for a better token, except with `dialect::google`.
inline std::string token_of(std::string_view user_agent) {
  const std::string first = product_of(user_agent);
  const auto mark = lower(user_agent).find("compatible;");
  if (first != "mozilla" || mark == std::string::npos) {
    return first;
  }
  const std::string posing = product_of(user_agent.substr(mark + 11));
  return posing.empty() ? first : posing;
}

/// Returns the octets of a blank or an invisible character at the start of `text`, or 0.
inline std::size_t unseen_at_start(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  if (std::string_view{" \t\v\f"}.find(text.front()) != std::string_view::npos) {
    return 1;
  }
  const auto begins = [&](std::string_view octets) { return text.starts_with(octets); };
  const auto third = static_cast<unsigned char>(text.size() > 2 ? text[2] : '\0');
  if (begins("\xC2\xA0") || begins("\xC2\xAD")) {  // U+00A0, U+00AD
    return 2;
  }
  if (begins("\xE1\x9A\x80") || begins("\xE1\xA0\x8E") || begins("\xE3\x80\x80") ||
      begins("\xEF\xBB\xBF")) {  // U+1680, U+180E, U+3000, U+FEFF
    return 3;
  }
  // U+2000 to U+200F, U+2028 to U+202F; U+205F to U+2064
  if ((begins("\xE2\x80") &&
       ((third >= 0x80 && third <= 0x8F) || (third >= 0xA8 && third <= 0xAF))) ||
      (begins("\xE2\x81") && third >= 0x9F && third <= 0xA4)) {
    return 3;
  }
  return 0;
}

/// Returns true if all of `text` is one blank or one invisible character.
inline bool is_unseen(std::string_view text) {
  return !text.empty() && unseen_at_start(text) == text.size();
}

/// Removes what cannot be seen from the ends of a text.
inline std::string_view without_unseen_ends(std::string_view text) {
  while (const std::size_t size = unseen_at_start(text)) {
    text.remove_prefix(size);
  }
  std::size_t before = 0;
  while (before != text.size()) {
    before = text.size();
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
      if (text.size() >= size && is_unseen(text.substr(text.size() - size))) {
        text.remove_suffix(size);
      }
    }
  }
  return text;
}

/// Returns the pattern in a rule. google takes the value as it is. Else, what cannot be seen at its
/// ends is no part of it, nor are the octets of U+00A0 and U+00AD in ISO-8859-1 before a path.
inline std::string_view pattern_of(std::string_view value, reading mode) {
  if (mode == reading::google) {
    return value;
  }
  value = without_unseen_ends(value);
  const std::size_t path = value.find_first_not_of(" \t\v\f\xA0\xAD");
  const bool begins_path =
      path != std::string_view::npos && (value[path] == '/' || value[path] == '*');
  return begins_path ? value.substr(path) : value;
}

/// Returns the name in a User-agent line. google takes the value as it is. Else, what cannot be
/// seen at its ends is no part of it, nor are the semicolons behind it, nor is what either of them
/// separates from `*`.
inline std::string_view name_of(std::string_view value, reading mode) {
  if (mode == reading::google) {
    return value;
  }
  value = without_unseen_ends(value);
  while (value.ends_with(';')) {
    value = without_unseen_ends(value.substr(0, value.size() - 1));
  }
  if (value.starts_with("*;") || (value.starts_with('*') && unseen_at_start(value.substr(1)) > 1)) {
    return "*";
  }
  return value;
}

/// Returns true if a User-agent line names everyone.
inline bool names_everyone(std::string_view written, reading mode) {
  const std::string_view value = name_of(written, mode);
  return value == "*" || (value.starts_with('*') &&
                          std::string_view{" \t\v\f"}.find(value[1]) != std::string_view::npos);
}

/// Returns true if a User-agent line names the crawler with this token (section 2.2.1).
inline bool names_crawler(std::string_view written, std::string_view token, reading mode) {
  const std::string_view value = name_of(written, mode);
  const auto is_token_char = [](char c) { return is_letter(c) || c == '-' || c == '_'; };
  if (token.empty() || token == "*") {
    return false;
  }
  std::string named;
  const bool plain = std::ranges::all_of(token, is_token_char);
  for (const char c : value) {
    if (plain ? !is_token_char(c)
              : std::string_view{" \t\v\f/"}.find(c) != std::string_view::npos) {
      break;
    }
    named += c;
  }
  return lower(named) == token;
}

/// Returns the rules of all groups that have a User-agent value for which `applies` is true.
/// Returns an empty optional if there is no such group.
template <class Applies>
std::optional<std::vector<line>> rules_of_groups(const std::vector<line>& lines, Applies applies) {
  std::vector<line> rules;
  bool found = false;
  bool in_agents = false;
  bool here = false;
  for (const line& entry : lines) {
    if (entry.kind == line_kind::user_agent) {
      here = (in_agents && here) || applies(entry.value);
      in_agents = true;
      found = found || here;
    } else if (entry.kind != line_kind::other) {
      in_agents = false;
      if (here) {
        rules.push_back(entry);
      }
    }
  }
  return found ? std::optional{rules} : std::nullopt;
}

/// Returns the patterns of a rule. In google/robotstxt, `Allow: /x/index.html` also allows `/x/`.
inline std::vector<std::string> patterns_of(const line& rule, reading mode) {
  std::vector<std::string> patterns{rule.value};
  const std::size_t slash = rule.value.rfind('/');
  if (mode == reading::google && rule.kind == line_kind::allow && slash != std::string::npos &&
      rule.value.substr(slash).starts_with("/index.htm")) {
    patterns.push_back(rule.value.substr(0, slash + 1) + '$');
  }
  return patterns;
}

/// Decides if the crawler may fetch `path`, which begins with a slash. The longest matching rule
/// decides. If rules of both kinds have this length, an Allow decides: the first one in the file.
inline answer decide(const std::vector<line>& lines, std::string_view user_agent,
                     std::string_view path, reading mode) {
  answer result;
  const std::string token = token_of(user_agent);
  auto rules = rules_of_groups(
      lines, [&](std::string_view value) { return names_crawler(value, token, mode); });
  if (!rules) {
    rules =
        rules_of_groups(lines, [&](std::string_view value) { return names_everyone(value, mode); });
    result.falls_back = rules.has_value();
  }
  if (is_exempt(path, mode)) {
    return result;
  }
  std::size_t most = 0;
  for (line rule : rules.value_or(std::vector<line>{})) {
    rule.value = pattern_of(rule.value, mode);
    if (rule.value.empty()) {
      continue;
    }
    for (const std::string& pattern : patterns_of(rule, mode)) {
      const std::size_t octets = specificity(pattern, mode);
      const bool decides = octets > most || (octets == most && rule.kind == line_kind::allow &&
                                             result.rule->kind == line_kind::disallow);
      if (decides && matches(pattern, path, mode)) {
        most = octets;
        result.rule = rule;
        result.allowed = rule.kind == line_kind::allow;
      }
    }
  }
  return result;
}

}  // namespace reference
