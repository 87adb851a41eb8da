#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/text/detail/normal_form.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// A split of a text into two parts, for `two_way_find` (a critical factorisation).
struct factorization {
  std::size_t left = 0;    ///< the length of the left part
  std::size_t period = 1;  ///< the period of the right part
};

/// Returns the start and period of the maximal suffix of `text` by order `less`, in linear time.
template <class Less>
[[nodiscard]] constexpr factorization maximal_suffix(std::string_view text, Less less) noexcept {
  std::size_t best = 0;
  std::size_t candidate = 1;
  std::size_t matched = 0;
  std::size_t period = 1;
  while (candidate + matched < text.size()) {
    const auto a = static_cast<unsigned char>(text[best + matched]);
    const auto b = static_cast<unsigned char>(text[candidate + matched]);
    if (a == b) {
      if (++matched == period) {
        candidate += period;
        matched = 0;
      }
    } else if (less(b, a)) {
      candidate += matched + 1;
      matched = 0;
      period = candidate - best;
    } else {
      best = candidate++;
      matched = 0;
      period = 1;
    }
  }
  return {.left = best, .period = period};
}

struct literal_search {
  std::size_t place = std::string_view::npos;
  std::size_t steps = 0;
};

/// The maximum size of a literal for `find_short`. That function may compare each octet of a text
/// with each octet of the literal.
inline constexpr std::size_t short_literal = 16;

/// Searches for a literal of 1 to 16 octets. Counts at most one step per octet of `text`.
[[nodiscard]] constexpr literal_search find_short(std::string_view text,
                                                  std::string_view literal) noexcept {
  const std::size_t places = text.size() + 1 - (std::min)(literal.size(), text.size() + 1);
  constexpr std::size_t at_a_glance = 16;
  std::size_t steps = 0;
  for (std::size_t place = 0;; ++place) {
    const std::size_t passed = find_octet(behind(text, place), literal.front());
    steps += passed / at_a_glance;
    place += passed;
    if (place >= places) {
      return {.steps = steps};
    }
    ++steps;
    if (begins_with(behind(text, place), literal)) {
      return {.place = place, .steps = steps};
    }
  }
}

/// Returns the position of the first `needle` in `text`, or npos if there is none. `needle` must
/// not be empty.
///
/// Uses the two-way algorithm of Crochemore and Perrin (1991), which takes linear time in needle
/// and text for any content, and constant space.
[[nodiscard]] constexpr std::size_t two_way_find(std::string_view text,
                                                 std::string_view needle) noexcept {
  const factorization up = maximal_suffix(needle, [](auto a, auto b) { return a < b; });
  const factorization down = maximal_suffix(needle, [](auto a, auto b) { return a > b; });
  auto [left, period] = up.left > down.left ? up : down;
  const bool periodic = needle.substr(period).starts_with(needle.substr(0, left));
  if (!periodic) {
    period = (std::max)(left, needle.size() - left) + 1;
  }
  const std::string_view first = needle.substr(left, short_literal);
  std::size_t known = 0;  // octets at the start of the needle that are known to match
  for (std::size_t place = 0; place + needle.size() <= text.size();) {
    if (known == 0) {
      const std::size_t passed = find_short(text.substr(place + left), first).place;
      if (passed == std::string_view::npos || place + passed + needle.size() > text.size()) {
        break;
      }
      place += passed;
    }
    const std::size_t start = (std::max)(left, known);
    const auto differs =
        std::mismatch(needle.begin() + start, needle.end(), text.begin() + place + start).first;
    if (differs != needle.end()) {
      known = 0;
      place += static_cast<std::size_t>(differs - needle.begin()) - left + 1;
      continue;
    }
    if (known >= left ||
        text.substr(place + known).starts_with(needle.substr(known, left - known))) {
      return place;
    }
    known = periodic ? needle.size() - period : 0;
    place += period;
  }
  return std::string_view::npos;
}

/// Searches for a literal, which must not be empty. Takes at most about one step per octet of the
/// text and one per octet of the literal.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr literal_search find_literal(
    std::string_view text, std::string_view literal) noexcept {
  const literal_search begin =
      find_short(text, {literal.data(), (std::min)(literal.size(), short_literal)});
  if (literal.size() <= short_literal || begin.place == std::string_view::npos) {
    return begin;
  }
  const std::string_view rest = text.substr(begin.place);
  const std::size_t place = two_way_find(rest, literal);
  const bool is_there = place != std::string_view::npos;
  return {
      .place = is_there ? begin.place + place : place,
      .steps = begin.steps + literal.size() + (is_there ? place + literal.size() : rest.size())};
}

/// The maximum number of steps for one query. These steps take tens of milliseconds. They are
/// enough to search a URL of 8,000 octets (RFC 9110, section 4.1) for a thousand literals.
inline constexpr std::size_t max_match_steps = std::size_t{1} << 23U;

/// Limits the work of a query. A step takes at most a few nanoseconds.
class step_budget {
 public:
  constexpr explicit step_budget(std::int64_t steps) noexcept : left_(steps) {}

  /// Subtracts `steps`. The subtraction cannot overflow, since no query takes 2^63 steps.
  constexpr void spend(std::size_t steps) noexcept { left_ -= static_cast<std::int64_t>(steps); }

  [[nodiscard]] constexpr bool exceeded() const noexcept { return left_ < 0; }
  [[nodiscard]] constexpr std::size_t left() const noexcept {
    return exceeded() ? 0 : static_cast<std::size_t>(left_);
  }

 private:
  std::int64_t left_;
};

/// Returns true if `target`, in normal form, matches `pattern` (RFC 9309, sections 2.2.2 and
/// 2.2.3). Returns false if `steps` is exceeded.
///
/// Uses the first occurrence of each literal after a `*`, since a later occurrence would leave less
/// text for the rest of the pattern. First searches for the last literal, to reject a target
/// without this literal at once. Takes time linear in pattern and target.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, std::string_view target,
                                     step_budget& steps) noexcept {
  const std::string_view text = pattern.text;
  auto star = find_octet(text, '*');
  if (!begins_with(target, {text.data(), star})) {
    return false;
  }
  if (star == text.size()) {
    return !pattern.anchored || target.size() == star;
  }
  const auto find_in = [&steps](std::string_view part, std::string_view literal) {
    const literal_search found = find_literal(part, literal);
    steps.spend(found.steps);
    return steps.exceeded() ? std::string_view::npos : found.place;
  };
  const std::size_t last_star = text.rfind('*');
  const std::string_view last = behind(text, last_star + 1);
  target.remove_prefix(star);
  const std::size_t last_at = !pattern.anchored        ? find_in(target, last)
                              : target.ends_with(last) ? target.size() - last.size()
                                                       : std::string_view::npos;
  if (last_at == std::string_view::npos) {
    return false;
  }
  const char* const last_place = target.data() + last_at;
  while (star != last_star) {
    const std::string_view rest = behind(text, star + 1);
    const std::string_view literal{rest.data(), find_octet(rest, '*')};
    const std::size_t place = find_in(target, literal);
    if (place == std::string_view::npos) {
      return false;
    }
    star += 1 + literal.size();
    target.remove_prefix(place + literal.size());
  }
  return target.data() <= last_place ||
         (!pattern.anchored && find_in(target, last) != std::string_view::npos);
}

/// The path and query of a URL. Rules are compared with this part.
struct target_path {
  std::string_view text{};     ///< path and query, as written
  bool leading_slash = false;  ///< true if a `/` is missing before `text`, as for `http://host?q`
};

[[nodiscard]] constexpr target_path path_from(std::string_view url, std::size_t start) noexcept {
  if (start == std::string_view::npos) {
    return {.text = {}, .leading_slash = true};
  }
  return {.text = url.substr(start), .leading_slash = url[start] != '/'};
}

/// Returns path and query as google/robotstxt reads them. Skips `//` at the start. Even without a
/// scheme, the text up to `/`, `?` or `;` is the host. The result ends at a NUL octet.
[[nodiscard]] constexpr target_path lenient_path(std::string_view url) noexcept {
  constexpr auto npos = std::string_view::npos;
  const std::size_t search = url.starts_with("//") ? 2 : 0;
  const auto early = url.find_first_of("/?;", search);
  auto authority = url.find("://", search);
  authority = authority == npos || early < authority ? search : authority + 3;
  const auto start = url.find_first_of("/?;", authority);
  const auto fragment = url.find('#', search);
  if (start == npos || fragment < start) {
    return path_from(url, npos);
  }
  target_path path = path_from(url.substr(0, fragment), start);
  path.text = path.text.substr(0, path.text.find('\0'));
  return path;
}

/// Returns path and query, without the fragment, of an absolute URL or a path with query.
///
/// A target that is neither is a path without its first slash: `admin/users` means `/admin/users`
/// (WEB::ROBOTS). If `lenient` is true, `admin` is a host, as for google/robotstxt.
[[nodiscard]] constexpr target_path path_and_query(std::string_view target,
                                                   bool lenient = false) noexcept {
  if (lenient) {
    return lenient_path(target);
  }
  target = target.substr(0, target.find('#'));
  const std::size_t authority = base::scheme_prefix(target);
  if (authority == 0) {
    return {.text = target, .leading_slash = !target.starts_with('/')};
  }
  std::size_t path = authority;  // faster than `find_first_of`, which calls a function per octet
  while (path < target.size() && target[path] != '/' && target[path] != '?') {
    ++path;
  }
  return path_from(target, path < target.size() ? path : std::string_view::npos);
}

/// The maximum size of a normal form that is compared. Servers accept only shorter targets.
inline constexpr std::size_t max_normal_target = 65'536;

template <class Put>
constexpr void write_target(const target_path& path, const normal_form& form, Put put) {
  if (path.leading_slash) {
    put('/');
  }
  write_normal(path.text, form, put);
}

/// Calls `use` with the normal form of a target, cut after `max_normal_target + 1` octets. Not
/// inlined, since most targets do not need this large buffer.
template <class Use>
ROBOTS_NOINLINE constexpr auto use_rewritten(const target_path& path, const normal_form& form,
                                             Use use) {
  std::array<char, max_normal_target + 1> buffer;  // NOLINT(*-member-init): filled below
  std::size_t size = 0;
  const auto put = [&](char c) {
    if (size < buffer.size()) {
      buffer[size++] = c;
    }
  };
  write_target(path, form, put);
  return use(std::string_view{buffer.data(), size});
}

/// Returns the result of `use` for the normal form of `target`. If the form exceeds
/// `max_normal_target` octets, `use` may get only the start.
template <class Use>
constexpr auto with_normal_target(std::string_view target, const dialect_traits& traits, Use use) {
  const target_path path = path_and_query(target, traits.lenient_targets);
  if (path.leading_slash || !is_normal(path.text, *traits.target_form)) {
    return use_rewritten(path, *traits.target_form, use);
  }
  return use(path.text);
}

[[nodiscard]] constexpr std::vector<char> normal_target(std::string_view target,
                                                        const dialect_traits& traits) {
  std::vector<char> octets;
  write_target(path_and_query(target, traits.lenient_targets), *traits.target_form,
               [&](char c) { octets.push_back(c); });
  return octets;
}

[[nodiscard]] constexpr bool matches_target(const compiled_pattern& pattern,
                                            std::string_view target, const dialect_traits& traits) {
  step_budget steps{(std::numeric_limits<std::int64_t>::max)()};
  return with_normal_target(target, traits, [&](std::string_view text) {
    if (text.size() <= max_normal_target) {
      return matches(pattern, text, steps);
    }
    const std::vector<char> whole = normal_target(target, traits);
    return matches(pattern, {whole.data(), whole.size()}, steps);
  });
}

/// Returns true if no rule applies to `target`, which is in normal form. RFC 9309, section 2.2.2:
/// "The /robots.txt URI is implicitly allowed."
[[nodiscard]] constexpr bool is_exempt(std::string_view target,
                                       const dialect_traits& traits) noexcept {
  constexpr std::string_view path = "/robots.txt";
  return traits.robots_txt_always_allowed && begins_with(target, path) &&
         (target.size() == path.size() || target[path.size()] == '?');
}

}  // namespace robots::rep_detail
