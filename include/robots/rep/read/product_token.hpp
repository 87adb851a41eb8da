#pragma once

#include <robots/base/ascii.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots {

namespace rep_detail {

/// RFC 9309, section 2.2.1: `identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)`.
[[nodiscard]] constexpr bool is_product_token_char(char c) noexcept {
  return base::is_alpha(c) || c == '-' || c == '_';
}

/// Returns true if `c` ends a product name (RFC 9110, section 10.1.5).
[[nodiscard]] constexpr bool ends_product_name(char c) noexcept {
  return base::is_blank(c) || c == '\r' || c == '\n' || c == '/' || c == '(' || c == ';' ||
         c == ',' || c == ')';
}

[[nodiscard]] constexpr std::string_view product_name(std::string_view text) noexcept {
  text = base::trim(text, base::is_blank);
  // This is faster than `find_first_of`, which calls a function for each octet.
  const auto end = std::find_if(text.begin(), text.end(), ends_product_name);
  return {text.begin(), end};
}

/// Returns the name after `compatible;`. Crawlers that pose as a browser write their name there.
[[nodiscard]] constexpr std::string_view compatible_name(std::string_view user_agent) noexcept {
  constexpr std::string_view mark = "compatible;";
  for (std::size_t i = 0; i + mark.size() <= user_agent.size(); ++i) {
    if (base::equal_ignoring_case(user_agent.substr(i, mark.size()), mark)) {
      return product_name(user_agent.substr(i + mark.size()));
    }
  }
  return {};
}

}  // namespace rep_detail

/// Returns the product token in a crawler's name or `User-Agent` header value. `FooBot` is the
/// token of `FooBot/2.1 (+https://foo.example/bot)`. `ExampleBot` is the token of `Mozilla/5.0
/// (compatible; ExampleBot/0.1; https://www.example.com/bot.html)` (RFC 9309, section 2.2.1).
///
/// A name can have characters that the RFC does not allow (`MJ12bot`), so the token ends only at
/// white space or one of `/(;,)`. Returns an empty view if the token is empty. Takes linear time.
[[nodiscard]] constexpr std::string_view product_token(std::string_view user_agent) noexcept {
  const std::string_view first = rep_detail::product_name(user_agent);
  if (!base::equal_ignoring_case(first, "mozilla")) {
    return first;
  }
  const std::string_view posing = rep_detail::compatible_name(user_agent);
  return posing.empty() ? first : posing;
}

namespace rep_detail {

/// The quality of a match between a User-agent line and a crawler, from worst to best. Values above
/// `own` rank the names of a crawler with several names: an earlier name has a higher value.
enum class agent_match : std::size_t { none, everyone, own };

/// Decides whether a User-agent line names a crawler.
///
/// Compares product tokens without regard to case (RFC 9309, section 2.2.1). The name in a line
/// ends at the first character that the RFC forbids. If the crawler's token contains such a
/// character (`MJ12bot`), the name in a line ends at a blank or slash.
class agent_matcher {
 public:
  constexpr explicit agent_matcher(std::string_view user_agent) noexcept
      : token_(product_token(user_agent)) {
    if (token_ == "*") {
      token_ = {};
    }
  }

  /// Returns the crawler's token as the caller wrote it, or an empty text if only `*` applies.
  [[nodiscard]] constexpr std::string_view token() const noexcept { return token_; }

  [[nodiscard]] constexpr agent_match compare(std::string_view value) const noexcept {
    if (!value.empty() && value.front() == '*' && (value.size() == 1 || base::is_blank(value[1]))) {
      return agent_match::everyone;
    }
    if (token_.empty() || !base::starts_with_ignoring_case(value, token_)) {
      return agent_match::none;
    }
    const bool ends = value.size() == token_.size() || ends_token(value[token_.size()]);
    return ends ? agent_match::own : agent_match::none;
  }

 private:
  [[nodiscard]] constexpr bool ends_token(char c) const noexcept {
    const bool is_rfc_token = std::all_of(token_.begin(), token_.end(), is_product_token_char);
    return is_rfc_token ? !is_product_token_char(c) : base::is_blank(c) || c == '/';
  }

  std::string_view token_;
};

}  // namespace rep_detail

}  // namespace robots
