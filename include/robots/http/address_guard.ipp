#pragma once

#include <robots/base/config.hpp>
#include <robots/http/address_guard.hpp>
#include <robots/http/address_kind.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace robots {

ROBOTS_INLINE address_guard::address_guard(std::span<const std::string> allowed) {
  allowed_.reserve(allowed.size());
  for (const std::string& text : allowed) {
    allowed_.push_back(checked(text));
  }
}

ROBOTS_INLINE bool address_guard::permits(const detail::ip_address& address) const noexcept {
  return open_ || detail::is_global(address) ||
         std::any_of(allowed_.begin(), allowed_.end(), [&address](const detail::ip_prefix& prefix) {
           return prefix.contains(address);
         });
}

ROBOTS_INLINE detail::ip_prefix address_guard::checked(const std::string& text) {
  const std::optional<detail::ip_prefix> prefix = detail::parse_ip_prefix(text);
  if (!prefix) {
    throw std::invalid_argument("\"" + text +
                                "\" is neither an IP address nor an address prefix; write "
                                "\"127.0.0.1\", \"::1\", \"10.0.0.0/8\" or \"fd00::/8\"");
  }
  const detail::ip_address& first = prefix->first();
  if (detail::parse_ip_address(std::string_view(text).substr(0, text.find('/'))) != first) {
    throw std::invalid_argument(
        "\"" + text + "\" is not the first address of its prefix; write \"" + to_string(first) +
        '/' + std::to_string(prefix->length()) + "\", or the address alone");
  }
  return *prefix;
}

}  // namespace robots
