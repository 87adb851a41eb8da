#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/product_token.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// The quality of a match between a User-agent line and a crawler, from worst to best. Values above
/// `own` rank the names of one crawler: an earlier name has a higher value.
enum class agent_match : std::size_t { none, everyone, own };

/// Decides whether a User-agent line names a crawler.
///
/// Compares product tokens without regard to case (RFC 9309, section 2.2.1). The name in a line
/// ends where the RFC's grammar ends it. But if the crawler's token has a character that this
/// grammar does not allow (`MJ12bot`), the name ends at a blank or slash.
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

}  // namespace robots::rep_detail
