#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/detail/product_search.hpp>
#include <robots/rep/read/parse_options.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots {

namespace rep_detail {

/// RFC 9309, section 2.2.1: `identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)`.
[[nodiscard]] constexpr bool is_product_token_char(char c) noexcept {
  return base::is_alpha(c) || c == '-' || c == '_';
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

/// Returns the product token that a crawler with `dialect::google` has: the first product, or the
/// name after `compatible;` in a header that begins with `Mozilla`.
[[nodiscard]] constexpr std::string_view first_product(std::string_view user_agent) noexcept {
  const std::string_view first = product_name(user_agent);
  if (!base::equal_ignoring_case(first, "mozilla")) {
    return first;
  }
  const std::string_view posing = compatible_name(user_agent);
  return posing.empty() ? first : posing;
}

/// Returns true if a header has only one product, with or without a comment. Can return false for
/// such a header if its comment contains another comment.
[[nodiscard]] constexpr bool is_one_product(std::string_view user_agent) noexcept {
  const auto version = std::find_if(user_agent.begin(), user_agent.end(),
                                    [](char c) { return c != '/' && ends_product_name(c); });
  const std::string_view rest = base::trim({version, user_agent.end()}, base::is_blank);
  return rest.empty() || (rest.front() == '(' && rest.find(')') == rest.size() - 1);
}

}  // namespace rep_detail

/// Returns true for a text that cannot be a user agent, since it is a path or a URL: `/private`,
/// `https://example.com/`. Callers who swap their arguments pass such a text.
[[nodiscard]] constexpr bool is_target(std::string_view user_agent) noexcept {
  return user_agent.starts_with('/') || base::starts_with_ignoring_case(user_agent, "http://") ||
         base::starts_with_ignoring_case(user_agent, "https://");
}

/// Returns the product token in a crawler's name or `User-Agent` header value. `FooBot` is the
/// token of `FooBot/2.1 (+https://foo.example/bot)` (RFC 9309, section 2.2.1).
///
/// The token is the first product, unless this product is a browser, an engine or a client library:
/// `Sogou` is the token of `Sogou web spider/4.0 (+https://sogou.example/)`. If it is one, a header
/// that begins with `Mozilla/` or names several products is searched. Then the token is the product
/// with a URL or mail address beside it, such as `ExampleBot` in `Mozilla/5.0 (compatible;
/// ExampleBot/0.1; https://www.example.com/bot.html)`. If there is none, the token is the first
/// product that is no browser, engine or client library, such as `FooBot` in `python-requests/2.31
/// FooBot/1.0`. One product stays itself, such as `Scrapy/2.11`.
///
/// `dialect::google` takes the first product, or after `Mozilla` the name behind `compatible;`.
///
/// A name can have characters that the RFC does not allow (`MJ12bot`), so the token ends only at
/// white space or one of `/(;,)`. Returns an empty view if there is no token, as in a browser's
/// header, and for a path or a URL (`is_target`). Takes linear time.
[[nodiscard]] constexpr std::string_view product_token(
    std::string_view user_agent, robots::dialect dialect = robots::dialect::rfc9309) noexcept {
  if (std::all_of(user_agent.begin(), user_agent.end(), rep_detail::is_product_token_char)) {
    return user_agent;  // most callers pass a token
  }
  if (is_target(user_agent)) {
    return {};
  }
  if (dialect == robots::dialect::google) {
    return rep_detail::first_product(user_agent);
  }
  user_agent = base::trim(user_agent, base::is_blank);
  const std::string_view first = rep_detail::product_name(user_agent);
  if (first.empty() || first.size() == user_agent.size()) {
    return first;
  }
  const bool poses = base::equal_ignoring_case(first, "mozilla");
  if (!poses && (rep_detail::is_one_product(user_agent) || rep_detail::can_be_crawler(first))) {
    return first;
  }
  const rep_detail::product_search found{user_agent};
  return poses || found.products() > 1 ? found.name() : first;
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
  /// Makes a matcher for a crawler without a name, to which only `*` applies.
  constexpr agent_matcher() = default;

  constexpr explicit agent_matcher(std::string_view user_agent,
                                   robots::dialect dialect = robots::dialect::rfc9309) noexcept
      : token_(product_token(user_agent, dialect)) {
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

  std::string_view token_{};
};

}  // namespace rep_detail

}  // namespace robots
