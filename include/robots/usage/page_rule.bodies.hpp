#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/structured_field.hpp>
#include <robots/usage/page_date.hpp>
#include <robots/usage/page_rule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace robots {

namespace usage_detail {

struct page_rule_name {
  std::string_view text;
  page_rule_kind kind;
};

inline constexpr auto page_rule_names = [] {
  using enum page_rule_kind;
  return std::to_array<page_rule_name>({
      {"noindex", noindex},
      {"nofollow", nofollow},
      {"none", none},
      {"noarchive", noarchive},
      {"nocache", nocache},
      {"nosnippet", nosnippet},
      {"notranslate", notranslate},
      {"noimageindex", noimageindex},
      {"indexifembedded", indexifembedded},
      {"max-snippet", max_snippet},
      {"max-image-preview", max_image_preview},
      {"max-video-preview", max_video_preview},
      {"unavailable_after", unavailable_after},
      {"all", permissive},
      {"index", permissive},
      {"follow", permissive},
      {"archive", permissive},
      {"cache", permissive},
      {"snippet", permissive},
      {"translate", permissive},
      {"imageindex", permissive},
  });
}();

[[nodiscard]] ROBOTS_INLINE page_rule_kind page_rule_kind_of(std::string_view name) noexcept {
  for (const auto& [text, kind] : page_rule_names) {
    if (base::equal_ignoring_case(name, text)) {
      return kind;
    }
  }
  return page_rule_kind::unknown;
}

[[nodiscard]] constexpr bool takes_value(page_rule_kind kind) noexcept {
  using enum page_rule_kind;
  return kind == max_snippet || kind == max_image_preview || kind == max_video_preview ||
         kind == unavailable_after;
}

/// Reads a number of characters or seconds: -1 or more. A number above the largest `int` means no
/// limit below it, but is a mistake, and so is ignored.
[[nodiscard]] ROBOTS_INLINE std::optional<int> parse_page_limit(std::string_view text) noexcept {
  if (text == "-1") {
    return -1;
  }
  constexpr auto largest = static_cast<std::uint64_t>((std::numeric_limits<int>::max)());
  const std::optional<std::uint64_t> number = base::parse_decimal(text, largest + 1);
  if (!number || *number > largest) {
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

[[nodiscard]] ROBOTS_INLINE std::optional<image_preview> parse_image_preview(
    std::string_view text) noexcept {
  for (const image_preview preview :
       {image_preview::none, image_preview::standard, image_preview::large}) {
    if (base::equal_ignoring_case(text, to_string(preview))) {
      return preview;
    }
  }
  return std::nullopt;
}

/// Reads `rule.value` into the typed member for `rule.kind`.
ROBOTS_INLINE void read_rule_value(page_rule& rule) noexcept {
  switch (rule.kind) {
    case page_rule_kind::max_snippet:
    case page_rule_kind::max_video_preview:
      rule.number = parse_page_limit(rule.value);
      rule.problem = rule.number ? "" : "the value is not -1 or a whole number";
      break;
    case page_rule_kind::max_image_preview:
      rule.preview = parse_image_preview(rule.value);
      rule.problem = rule.preview ? "" : "the value is not none, standard or large";
      break;
    case page_rule_kind::unavailable_after:
      rule.time = parse_page_date(rule.value);
      rule.problem = rule.time ? "" : "the value is not a date";
      break;
    case page_rule_kind::unknown:
      rule.problem = "unknown rule";
      break;
    default:
      break;
  }
}

/// Cuts `text` behind the last whole member within the limit. Commas in quotes end no member.
[[nodiscard]] ROBOTS_INLINE std::string_view within_limit(std::string_view text) noexcept {
  if (text.size() <= max_page_rule_bytes) {
    return text;
  }
  std::size_t end = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= max_page_rule_bytes; ++i) {
    if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (!is_quoted && text[i] == ',') {
      end = i;
    }
  }
  return text.substr(0, end);
}

/// Reads rules that are separated by commas, semicolons, blanks and quotes.
class page_rule_reader {
 public:
  page_rule_reader(std::string_view text, bool has_prefixes)
      : rest_(within_limit(text)), has_prefixes_(has_prefixes) {}

  [[nodiscard]] std::vector<page_rule> read() {
    for (skip_separators(); !rest_.empty(); skip_separators()) {
      read_rule();
    }
    return std::move(rules_);
  }

 private:
  [[nodiscard]] static bool is_separator(char c) noexcept {
    return base::is_space(c) || c == ',' || c == ';' || c == '"' || c == '\'';
  }

  void skip_separators() noexcept {
    while (!rest_.empty() && is_separator(rest_.front())) {
      if (rest_.front() == ',') {
        is_in_member_of_ = false;
      }
      rest_.remove_prefix(1);
    }
  }

  [[nodiscard]] std::string_view take_word() noexcept {
    const auto end = std::find_if(rest_.begin(), rest_.end(),
                                  [](char c) { return is_separator(c) || c == ':'; });
    const std::string_view word{rest_.begin(), end};
    rest_.remove_prefix(word.size());
    return word;
  }

  /// Takes a colon, with blanks in front of it.
  [[nodiscard]] bool take_colon() noexcept {
    const std::size_t blanks = (std::min)(rest_.find_first_not_of(" \t"), rest_.size());
    if (!rest_.substr(blanks).starts_with(':')) {
      return false;
    }
    rest_.remove_prefix(blanks + 1);
    return true;
  }

  void read_rule() {
    const std::string_view word = take_word();
    const page_rule_kind kind = page_rule_kind_of(word);
    const bool starts_member = rest_.starts_with(';') && !looks_like_rule(word);
    if (takes_value(kind)) {
      const std::string_view value = take_colon() ? take_value(kind) : std::string_view{};
      add({.kind = kind, .name = word, .value = value});
      if (kind == page_rule_kind::unavailable_after && !rules_.back().time) {
        add_rules_in(value);
      }
      return;
    }
    const bool can_name_crawler = has_prefixes_ && kind == page_rule_kind::unknown;
    if (can_name_crawler && can_be_prefix(word) && take_colon()) {
      prefix_ = product_of(word);
    } else if (can_name_crawler && starts_member && !is_in_member_of_) {
      member_ = product_of(word);  // `ExampleBot;noindex`
      is_in_member_of_ = true;
    } else {
      add({.kind = kind, .name = word});
      static_cast<void>(take_colon());  // `noindex:` is a rule, not the name of a crawler
    }
  }

  /// Returns true for a word that begins like a rule, such as `noodp` or `noai`. In
  /// `noodp;noindex`, such a word is an unknown rule and not a product, so that the rule behind it
  /// is for everyone.
  [[nodiscard]] static bool looks_like_rule(std::string_view word) noexcept {
    return base::starts_with_ignoring_case(word, "no") ||
           base::starts_with_ignoring_case(word, "max-");
  }

  /// Returns false for a number, which stands before a colon in a time of day.
  [[nodiscard]] static bool can_be_prefix(std::string_view word) noexcept {
    return word.empty() || !std::all_of(word.begin(), word.end(), base::is_digit);
  }

  /// Returns the product token of a prefix: `FooBot` of `FooBot/2.1`, and nothing of `*`.
  [[nodiscard]] static std::string_view product_of(std::string_view word) noexcept {
    const std::string_view product = word.substr(0, word.find('/'));
    return product == "*" ? std::string_view{} : product;
  }

  [[nodiscard]] std::string_view take_value(page_rule_kind kind) noexcept {
    const std::size_t blanks = (std::min)(rest_.find_first_not_of(" \t"), rest_.size());
    rest_.remove_prefix(blanks);
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote == '"' || quote == '\'') {
      const std::size_t end = rest_.find(quote, 1);
      if (end != std::string_view::npos) {
        const std::string_view quoted = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return base::trim(quoted, base::is_space);
      }
      rest_.remove_prefix(1);  // A quote that does not end hides no rule.
    }
    if (kind != page_rule_kind::unavailable_after) {
      const auto end = std::find_if(rest_.begin(), rest_.end(), is_separator);
      const std::string_view value{rest_.begin(), end};
      rest_.remove_prefix(value.size());
      return value;
    }
    std::size_t size = (std::min)(rest_.find_first_of(",;\"'"), rest_.size());
    const std::string_view before_comma = base::trim(rest_.substr(0, size), base::is_blank);
    if (rest_.substr(size).starts_with(',') && is_day_name(before_comma)) {
      size = (std::min)(rest_.find_first_of(",;\"'", size + 1), rest_.size());
    }
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return base::trim(value, base::is_space);
  }

  /// Adds the rules among the words of an unreadable date, so that `unavailable_after: soon
  /// noindex` does not lose its second rule.
  void add_rules_in(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::find_if(text.begin(), text.end(), is_separator);
      const std::string_view word{text.begin(), end};
      text.remove_prefix((std::min)(word.size() + 1, text.size()));
      const page_rule_kind kind = page_rule_kind_of(word);
      if (kind != page_rule_kind::unknown && !takes_value(kind)) {
        add({.kind = kind, .name = word});
      }
    }
  }

  void add(page_rule rule) {
    rule.addressee = is_in_member_of_ ? member_ : prefix_;
    read_rule_value(rule);
    rules_.push_back(rule);
  }

  std::string_view rest_;
  bool has_prefixes_;
  std::string_view prefix_{};
  std::string_view member_{};     // the product of a member such as `ExampleBot;noindex`
  bool is_in_member_of_ = false;  // true up to the next comma
  std::vector<page_rule> rules_{};
};

/// Collects the rules of a List of product tokens.
class robots_tag_handler {
 public:
  void on_member(std::string_view, const base::field_value& value) {
    first_of_member_ = rules.size();
    is_product_ = value.type == base::field_type::token || value.type == base::field_type::string;
    product_ = value.text == "*" ? std::string_view{} : value.text;
  }

  void on_parameter(std::string_view key, const base::field_value& value) {
    if (!is_product_) {
      return;
    }
    page_rule rule{.kind = page_rule_kind_of(key), .addressee = product_, .name = key};
    // RFC 9651, section 4.2.3.2: the last value of a repeated parameter counts.
    const auto repeated = std::find_if(
        rules.begin() + static_cast<std::ptrdiff_t>(first_of_member_), rules.end(),
        [&](const page_rule& other) { return base::equal_ignoring_case(other.name, key); });
    if (repeated != rules.end()) {
      rules.erase(repeated);
    }
    const bool is_off = value.type == base::field_type::boolean && value.text == "0";
    if (value.type != base::field_type::boolean) {
      rule.value = value.text;
    }
    const bool is_date =
        rule.kind == page_rule_kind::unavailable_after && value.type == base::field_type::date;
    if (is_date) {
      rule.time = parse_date_item(value.text.substr(1));
      rule.problem = rule.time ? "" : "the value is not a date";
    } else {
      read_rule_value(rule);
    }
    if (is_off) {
      rule.problem = "the value ?0 states nothing";
    }
    rules.push_back(rule);
  }

  std::vector<page_rule> rules;

 private:
  /// Reads the seconds of a Date (RFC 9651, section 3.3.7).
  [[nodiscard]] static std::optional<std::chrono::sys_seconds> parse_date_item(
      std::string_view text) noexcept {
    const bool is_negative = text.starts_with('-');
    const auto seconds = base::parse_decimal(text.substr(is_negative ? 1 : 0), 253'402'300'799U);
    if (!seconds) {
      return std::nullopt;
    }
    const std::chrono::seconds since_1970{static_cast<std::int64_t>(*seconds)};
    return std::chrono::sys_seconds{is_negative ? -since_1970 : since_1970};
  }

  std::size_t first_of_member_ = 0;
  bool is_product_ = false;
  std::string_view product_{};
};

}  // namespace usage_detail

ROBOTS_INLINE std::vector<page_rule> parse_x_robots_tag(std::string_view value) {
  return usage_detail::page_rule_reader{value, true}.read();
}

ROBOTS_INLINE std::vector<page_rule> parse_robots_meta(std::string_view content) {
  return usage_detail::page_rule_reader{content, false}.read();
}

ROBOTS_INLINE std::vector<page_rule> parse_robots_tag(std::string_view value) {
  const std::string_view whole = usage_detail::within_limit(value);
  usage_detail::robots_tag_handler handler;
  if (!base::read_list_field(whole, handler, base::field_keys::any_case)) {
    return {page_rule{.name = whole, .problem = "not a List of RFC 9651"}};
  }
  return std::move(handler.rules);
}

}  // namespace robots
