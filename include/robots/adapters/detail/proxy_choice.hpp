// Which proxy a request takes, decided as libcurl decides it, so that it is known here, too.
#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// The value of a variable of the environment; empty when it has none.
[[nodiscard]] inline std::string environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::string{} : std::string{value};
}

/// The proxy that the environment names for URLs of `scheme`; empty when it names none.
[[nodiscard]] inline std::string environment_proxy(const std::string& scheme) {
  std::string found = environment(scheme + "_proxy");
  // Not HTTP_PROXY: to a CGI program that is what a client sends as its header Proxy.
  if (found.empty() && scheme == "https") {
    found = environment("HTTPS_PROXY");
  }
  for (const char* const name : {"all_proxy", "ALL_PROXY"}) {
    if (found.empty()) {
      found = environment(name);
    }
  }
  return found;
}

/// Whether `host`, a name or an address with or without brackets, is one that `list` exempts from
/// proxies: names with all that lies under them, addresses and prefixes, with commas or blanks
/// between them; or `*` for all. Linear in both.
[[nodiscard]] constexpr bool exempt_from_proxy(std::string_view host,
                                               std::string_view list) noexcept {
  if (list == "*") {
    return true;
  }
  const std::optional<ip_address> address = parse_ip_address(host);
  const auto trimmed_dots = [](std::string_view name) {
    return base::trim(name, [](char c) { return c == '.'; });
  };
  host = trimmed_dots(host);
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(", \t"), list.size());
    const std::string_view entry = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (address) {
      const std::optional<ip_prefix> prefix = parse_ip_prefix(entry);
      if (prefix && prefix->contains(*address)) {
        return true;
      }
      continue;
    }
    const std::string_view name = trimmed_dots(entry);
    if (name.empty() || name.size() > host.size()) {
      continue;
    }
    const std::size_t rest = host.size() - name.size();
    if ((rest == 0 || host[rest - 1] == '.') &&
        base::equal_ignoring_case(host.substr(rest), name)) {
      return true;
    }
  }
  return false;
}

/// The proxy for a request: `wanted` or, when there is none, the environment's, unless `no_proxy`
/// exempts the host. Empty for none.
[[nodiscard]] inline std::string proxy_for(const std::string& scheme, std::string_view host,
                                           const std::optional<std::string>& wanted) {
  std::string proxy = wanted ? *wanted : environment_proxy(scheme);
  if (proxy.empty()) {
    return proxy;
  }
  std::string exempt = environment("no_proxy");
  if (exempt.empty()) {
    exempt = environment("NO_PROXY");
  }
  return exempt_from_proxy(host, exempt) ? std::string{} : proxy;
}

}  // namespace robots::adapters_detail
