#pragma once

#include <robots/rep/detail/ascii.hpp>

#include <string_view>

namespace robots {

/// Whether `c` may stand in a product token.
///
/// RFC 9309, section 2.2.1: `identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)`.
[[nodiscard]] constexpr bool is_product_token_char(char c) noexcept {
  return detail::is_alpha(c) || c == '-' || c == '_';
}

/// The product token at the start of a crawler's own name or `User-Agent` header value:
/// `FooBot` of `FooBot/2.1 (+https://foo.example/bot)`.
///
/// A crawler's name may hold other characters than the RFC's (`MJ12bot`), so the token ends only
/// where a product name does in RFC 9110, section 10.1.5: at white space, a slash or a comment.
/// Empty when nothing is left. Linear in the token.
[[nodiscard]] constexpr std::string_view product_token(std::string_view user_agent) noexcept {
  user_agent = detail::trim(user_agent, detail::is_blank);
  const auto end = user_agent.find_first_of(" \t\v\f\r\n/(;,");
  return user_agent.substr(0, end);
}

}  // namespace robots
