#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The content signals of one line, such as `Content-Signal: search=yes, ai-train=no`
/// (contentsignals.org, Cloudflare 2025). draft-romm-aipref-contentsignals-00 defines the
/// categories.
///
/// A missing signal neither permits nor forbids a use. A path can precede the signals, as in a
/// Content-Usage line. contentsignals.org does not define such paths. A signal never changes a
/// verdict. `path` is valid as long as the document.
struct content_signal {
  static constexpr directive_kind kind = directive_kind::content_signal;  ///< used by `read_lines`

  std::string_view path{};         ///< a pattern; empty means every path
  std::optional<bool> search{};    ///< a search index, with links and short excerpts
  std::optional<bool> ai_input{};  ///< input of a model: retrieval, grounding, generated answers
  std::optional<bool> ai_train{};  ///< training or fine-tuning of a model
  std::uint32_t line = 0;          ///< the line number, 1-based; 0 if not read from a file
  bool complete = true;            ///< false if a part of the line could not be read

  /// Reads `[path] signal=yes|no, ...` in upper or lower case. If a line repeats a signal, the most
  /// restrictive value is used. Takes linear time.
  [[nodiscard]] static constexpr content_signal parse(std::string_view value) noexcept {
    auto [path, rest] = rep_detail::split_scope(value);
    content_signal result{.path = path};
    while (!rest.empty()) {
      const std::string_view member = rest.substr(0, rest.find(','));
      if (!base::trim(member, base::is_blank).empty() && !result.set(member)) {
        result.complete = false;
      }
      rest.remove_prefix((std::min)(member.size() + 1, rest.size()));
    }
    return result;
  }

 private:
  /// Sets the signal that `member` names. `member` has the form `name=value`. Returns false if name
  /// or value is unknown.
  constexpr bool set(std::string_view member) noexcept {
    const std::size_t equals = (std::min)(member.find('='), member.size());
    const std::string_view name = base::trim(member.substr(0, equals), base::is_blank);
    const std::string_view value =
        base::trim(member.substr((std::min)(equals + 1, member.size())), base::is_blank);
    const bool yes = base::equal_ignoring_case(value, "yes");
    if (!yes && !base::equal_ignoring_case(value, "no")) {
      return false;
    }
    const auto set_if = [&](std::string_view wanted, std::optional<bool>& signal) {
      const bool is_meant = base::equal_ignoring_case(name, wanted);
      signal = is_meant ? yes && signal.value_or(true) : signal;
      return is_meant;
    };
    return set_if("search", search) || set_if("ai-input", ai_input) || set_if("ai-train", ai_train);
  }
};

namespace rep_detail {

/// Reads a Dictionary of Structured Fields (RFC 9651, section 4.2.2) without storing it. Checks the
/// whole grammar, but does not check whether a Display String is UTF-8.
class dictionary_reader {
 public:
  constexpr explicit dictionary_reader(std::string_view text) noexcept : rest_(text) {}

  /// Returns the last value of the key `wanted` if the value is a Token, else an empty text.
  /// Returns an empty optional if the text is not a Dictionary.
  [[nodiscard]] constexpr std::optional<std::string_view> token_of(std::string_view wanted) {
    std::string_view found;
    take_all(" ");
    for (bool more = !rest_.empty(); more;) {
      const std::string_view key = read_key();
      const value token = take('=') ? read_member() : std::string_view{};
      if (key.empty() || !token || !read_parameters()) {
        return std::nullopt;
      }
      found = key == wanted ? *token : found;
      take_all(" \t");
      more = take(',');
      take_all(" \t");
    }
    return rest_.empty() ? std::optional{found} : std::nullopt;
  }

 private:
  /// A Token, or an empty text for a value of another type. An empty optional means a syntax error.
  using value = std::optional<std::string_view>;

  static constexpr std::string_view digits = "0123456789";
  static constexpr std::string_view key_chars = "abcdefghijklmnopqrstuvwxyz0123456789_-.*";
  static constexpr std::string_view token_chars =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~:/";
  static constexpr std::string_view base64_chars =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

  [[nodiscard]] constexpr char front() const noexcept { return rest_.empty() ? '\0' : rest_[0]; }

  constexpr bool take(char c) noexcept {
    if (front() != c || rest_.empty()) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  constexpr std::string_view take_all(std::string_view accepted) noexcept {
    const std::string_view taken = rest_.substr(0, rest_.find_first_not_of(accepted));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  constexpr std::string_view read_key() noexcept {
    const bool is_key = (front() >= 'a' && front() <= 'z') || front() == '*';
    return is_key ? take_all(key_chars) : std::string_view{};
  }

  [[nodiscard]] static constexpr value other_if(bool valid) noexcept {
    return valid ? value{std::string_view{}} : std::nullopt;
  }

  constexpr value read_member() noexcept {
    return take('(') ? other_if(read_inner_list()) : read_bare_item();
  }

  constexpr bool read_inner_list() noexcept {
    for (;;) {
      take_all(" ");
      if (take(')')) {
        return true;
      }
      if (!read_bare_item() || !read_parameters() || (front() != ' ' && front() != ')')) {
        return false;
      }
    }
  }

  constexpr bool read_parameters() noexcept {
    while (take(';')) {
      take_all(" ");
      if (read_key().empty() || (take('=') && !read_bare_item())) {
        return false;
      }
    }
    return true;
  }

  constexpr value read_bare_item() noexcept {
    if (base::is_alpha(front()) || front() == '*') {
      return take_all(token_chars);
    }
    if (base::is_digit(front()) || front() == '-') {
      return other_if(read_number(true));
    }
    if (take('"')) {
      return other_if(read_string(false));
    }
    if (take(':')) {
      take_all(base64_chars);
      return other_if(take(':'));
    }
    if (take('?')) {
      return other_if(take('0') || take('1'));
    }
    if (take('@')) {
      return other_if(read_number(false));
    }
    return other_if(take('%') && take('"') && read_string(true));
  }

  constexpr bool read_number(bool decimals) noexcept {
    take('-');
    const std::size_t whole = take_all(digits).size();
    if (whole == 0 || front() != '.') {
      return whole > 0 && whole <= 15;
    }
    take('.');
    const std::size_t fraction = take_all(digits).size();
    return decimals && whole <= 12 && fraction > 0 && fraction <= 3;
  }

  /// Reads the rest of a String or Display String, after the opening quote. A String has the
  /// escapes `\"` and `\\`. In a Display String, an escape is `%` with two lower-case hexadecimal
  /// digits.
  constexpr bool read_string(bool is_display) noexcept {
    const auto is_hex = [](char c) { return base::is_digit(c) || (c >= 'a' && c <= 'f'); };
    while (front() >= ' ' && front() <= '~') {
      if (take('"')) {
        return true;
      }
      if (is_display && take('%')) {
        if (rest_.size() < 2 || !is_hex(rest_[0]) || !is_hex(rest_[1])) {
          return false;
        }
        rest_.remove_prefix(1);
      } else if (!is_display && take('\\') && front() != '"' && front() != '\\') {
        return false;
      }
      rest_.remove_prefix(1);
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace rep_detail

/// One statement about the use of content under a path, such as `Content-Usage: /path train-ai=n`
/// (draft-ietf-aipref-attach-05, section 3).
///
/// A statement never changes a verdict. The views live as long as the document.
struct content_usage {
  static constexpr directive_kind kind = directive_kind::content_usage;  ///< used by `read_lines`

  std::string_view path{};       ///< a pattern; empty means every path
  std::string_view statement{};  ///< a Dictionary of RFC 9651, as written
  std::uint32_t line = 0;        ///< the line number, 1-based; 0 if not read from a file

  /// Reads `[path] statement`. A path begins with `/` and ends before the first blank.
  [[nodiscard]] static constexpr content_usage parse(std::string_view value) noexcept {
    const auto [path, statement] = rep_detail::split_scope(value);
    return {.path = path, .statement = statement};
  }

  /// Returns the preference for the category named `label`: true for `y`, and false for `n`. The
  /// result is empty if the preference is unknown (draft-ietf-aipref-vocab-07, section 6.5).
  ///
  /// Labels and values are case-sensitive. If a label is repeated, its last value is used. A
  /// statement that is not a Dictionary has no preferences. Takes linear time.
  [[nodiscard]] constexpr std::optional<bool> preference(std::string_view label) const noexcept {
    const auto token = rep_detail::dictionary_reader{statement}.token_of(label);
    return token == "y" || token == "n" ? std::optional{token == "y"} : std::nullopt;
  }
};

/// A site's preferences for one target. They never change a verdict.
struct effective_preferences {
  /// The preference for one category of use, and the line that states this preference.
  struct preference {
    std::optional<bool> allowed{};                    ///< the preference; empty means unknown
    directive_kind source = directive_kind::unknown;  ///< content_usage or content_signal
    std::uint32_t line = 0;                           ///< the line number; 0 if there is no line

    [[nodiscard]] friend constexpr bool operator==(const preference&, const preference&) = default;
  };

  preference train_ai{};  ///< training of models: `train-ai`, `ai-train`
  preference ai_input{};  ///< input of models: `ai-input`, only in Content-Signal
  preference search{};    ///< search results: `search`

  [[nodiscard]] friend constexpr bool operator==(const effective_preferences&,
                                                 const effective_preferences&) = default;
};

namespace rep_detail {

/// Returns the more restrictive preference, or `first` if both are equal
/// (draft-ietf-aipref-vocab-07, section 5.1).
[[nodiscard]] constexpr effective_preferences::preference stricter_of(
    const effective_preferences::preference& first,
    const effective_preferences::preference& second) noexcept {
  const bool is_stricter = !first.allowed || second.allowed < first.allowed;
  return second.allowed && is_stricter ? second : first;
}

/// The preference of the matching line with the longest path, for one category.
struct longest_preference {
  std::uint32_t specificity = 0;
  effective_preferences::preference result{};

  constexpr void offer(std::uint32_t size, std::optional<bool> allowed, directive_kind source,
                       std::uint32_t line) noexcept {
    if (size >= specificity) {
      result = stricter_of(size > specificity ? effective_preferences::preference{} : result,
                           {allowed, source, line});
      specificity = size;
    }
  }
};

}  // namespace rep_detail

/// Returns the preferences for a crawler and a target. The target is an absolute URL or a path with
/// query.
///
/// The matching Content-Usage line with the longest path decides about all categories, even about
/// categories that the line does not name (draft-ietf-aipref-attach-05, section 3.1). Among the
/// matching Content-Signal lines that set a signal, the line with the longest path decides about
/// this signal. If several lines decide (lines with equally long paths, or lines of both kinds),
/// the most restrictive preference applies (draft-ietf-aipref-vocab-07, section 5.1). If both kinds
/// agree, the result refers to the Content-Usage line.
///
/// A line applies to the crawlers in the User-agent lines directly above it. All preferences are
/// unknown if the crawler is not allowed to fetch the target.
///
/// Takes time linear in the file. Comparing a path of n octets with a target of m octets takes at
/// most n + m + 1 steps. After 8 million steps, the result forbids all uses, and refers to no line.
[[nodiscard]] constexpr effective_preferences usage_preferences(const document& file,
                                                                std::string_view target,
                                                                std::string_view user_agent = "*") {
  if (!file.allows(target, user_agent)) {
    return {};
  }
  rep_detail::step_budget steps{rep_detail::max_match_steps};
  const auto match = [&](std::string_view path) -> std::optional<std::uint32_t> {
    steps.spend(1 + (path.empty() ? 0 : path.size() + target.size()));
    if (steps.exceeded() || path.empty()) {
      return steps.exceeded() ? std::nullopt : std::optional{0U};
    }
    const pattern compiled{path};
    return compiled.matches(target) ? std::optional{compiled.specificity()} : std::nullopt;
  };
  rep_detail::longest_preference train_ai;
  rep_detail::longest_preference search;
  for (const content_usage& line : file.read<content_usage>(user_agent)) {
    if (const auto size = match(line.path)) {
      constexpr auto source = directive_kind::content_usage;
      train_ai.offer(*size, line.preference("train-ai"), source, line.line);
      search.offer(*size, line.preference("search"), source, line.line);
    }
  }
  rep_detail::longest_preference ai_train_signal;
  rep_detail::longest_preference ai_input_signal;
  rep_detail::longest_preference search_signal;
  for (const content_signal& line : file.read<content_signal>(user_agent)) {
    const auto size = match(line.path);
    const auto offer = [&](rep_detail::longest_preference& to, std::optional<bool> signal) {
      if (size && signal) {
        to.offer(*size, signal, directive_kind::content_signal, line.line);
      }
    };
    offer(ai_train_signal, line.ai_train);
    offer(ai_input_signal, line.ai_input);
    offer(search_signal, line.search);
  }
  if (steps.exceeded()) {
    constexpr effective_preferences::preference denied{.allowed = false};
    return {.train_ai = denied, .ai_input = denied, .search = denied};
  }
  return {.train_ai = rep_detail::stricter_of(train_ai.result, ai_train_signal.result),
          .ai_input = ai_input_signal.result,
          .search = rep_detail::stricter_of(search.result, search_signal.result)};
}

}  // namespace robots
