#pragma once

#include <robots/base/inline.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/rep/read/product_token.hpp>

#include <stdexcept>
#include <string_view>

namespace robots {

namespace fetch_detail {

[[nodiscard]] inline bool is_header_value(std::string_view text) noexcept {
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if ((octet < 0x20 && c != '\t') || octet == 0x7F) {
      return false;
    }
  }
  return true;
}

}  // namespace fetch_detail

ROBOTS_INLINE void validate(const retrieval_options& options) {
  if (options.user_agent.empty()) {
    throw std::invalid_argument{
        "user_agent is empty: name your crawler, for example "
        "\"FooBot/1.0 (+https://foo.example/bot)\""};
  }
  if (product_token(options.user_agent).empty()) {
    throw std::invalid_argument{
        "user_agent has no product token: begin it with the crawler's name, as in FooBot/1.0"};
  }
  if (product_token(options.user_agent) == "*") {
    throw std::invalid_argument{
        "user_agent is \"*\", which stands for every crawler: give the name of yours, as in "
        "FooBot/1.0"};
  }
  if (!fetch_detail::is_header_value(options.user_agent) ||
      !fetch_detail::is_header_value(options.accept)) {
    throw std::invalid_argument{
        "user_agent or accept holds a control character: take out line ends and the like"};
  }
  if (options.max_redirects < 0) {
    throw std::invalid_argument{"max_redirects is negative: use 0 to follow none"};
  }
  if (options.timeout.count() < 0) {
    throw std::invalid_argument{"timeout is negative: use 0 for no limit"};
  }
  validate(options.retry);
}

}  // namespace robots
